import type { Signal } from "@preact/signals";

interface FilterFieldProps {
  /** The label for screen readers. */
  readonly label: string;
  /** What can be typed. */
  readonly hint: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** The field over a page's own signal. */
export const FilterWords = ({ label, hint, words }: FilterWordsProps) => (
  <FilterField
    label={label}
    hint={hint}
    value={words.value}
    onText={(text) => {
      words.value = text;
    }}
  />
);

type FilterWordsProps = Pick<FilterFieldProps, "label" | "hint"> & { readonly words: Signal<string> };

/** The field that filters a page's rows. The key `/` focuses the first one of a page. */
export function FilterField({ label, hint, value, onText }: FilterFieldProps) {
  return (
    <input
      data-filter
      type="search"
      aria-label={label}
      placeholder={hint}
      value={value}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
