interface FilterFieldProps {
  /** For readers of the screen. */
  readonly label: string;
  /** What may be typed. */
  readonly hint: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** Where a page's rows are narrowed down: the key `/` leads to the page's first one. */
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
