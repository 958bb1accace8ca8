import { diffArrays } from "diff";

/** A run of text that both texts contain, that only the later one contains, or that only the earlier one contains. */
export interface DiffPart {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** When more words than this differ, the whole text is shown as replaced, because it was rewritten. */
const mostDifferences = 600;

/**
 * Compares two texts word by word. The parts that are not "removed" make up the later text, and those that are not
 * "added" the earlier one. The number of differing words is minimal, unless it exceeds `mostDifferences`.
 */
export function wordDiff(earlier: string, later: string): DiffPart[] {
  const before = words(earlier);
  const after = words(later);
  const kept = (ends: boolean) => {
    let count = 0;
    const of = (list: readonly string[]) => list[ends ? list.length - 1 - count : count];
    while (count < Math.min(before.length, after.length) && of(before) === of(after)) count++;
    return count;
  };
  const changes = diffArrays(before, after, { maxEditLength: mostDifferences });
  if (changes !== undefined)
    return joined(
      changes.flatMap(({ added, removed, value }) =>
        value.map((text) => ({ kind: added ? "added" : removed ? "removed" : "same", text }) as const),
      ),
    );
  const head = kept(false);
  const tail = Math.min(kept(true), Math.min(before.length, after.length) - head);
  const part = (kind: DiffPart["kind"], list: readonly string[]) => ({ kind, text: list.join("") });
  return [
    part("same", before.slice(0, head)),
    part("removed", before.slice(head, before.length - tail)),
    part("added", after.slice(head, after.length - tail)),
    part("same", before.slice(before.length - tail)),
  ].filter(({ text }) => text !== "");
}

const words = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu) ?? [];

/** Joins neighboring parts of one kind. Within a change, the removed text comes before the added text. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  let removed = "";
  let added = "";
  const flush = () => {
    if (removed !== "") result.push({ kind: "removed", text: removed });
    if (added !== "") result.push({ kind: "added", text: added });
    removed = "";
    added = "";
  };
  for (const [place, { kind, text }] of parts.entries()) {
    const next = parts[place + 1];
    // A space between two words that were both replaced belongs to the change.
    const inside = text.trim() === "" && removed !== "" && added !== "" && next && next.kind !== "same";
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else if (inside) {
      removed += text;
      added += text;
    } else {
      flush();
      const last = result.at(-1);
      if (last?.kind === "same") result[result.length - 1] = { kind: "same", text: last.text + text };
      else result.push({ kind: "same", text });
    }
  }
  flush();
  return result;
}
