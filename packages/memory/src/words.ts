/**
 * Returns the words that search compares: runs of letters and digits, lower-cased, with compatibility forms folded
 * (NFKC).
 */
export function words(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Returns how often each word occurs, in the order of first occurrence. */
export function wordCounts(text: string): {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
} {
  const counts = new Map<string, number>();
  const found = words(text);
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: found.length };
}
