/** Finds labels in texts as whole words, in any case; the longest label that stands at a place counts. */
export function labelFinder(labels: readonly string[]): (text: string) => string[] {
  const byKey = new Map(labels.map((label) => [label.toLowerCase(), label]));
  const longestFirst = [...byKey.keys()].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return () => [];
  const escaped = longestFirst.map((key) => key.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${escaped.join("|")})(?![\\p{L}\\p{N}-])`, "gu");
  return (text) => (text.toLowerCase().match(pattern) ?? []).map((key) => byKey.get(key) as string);
}

/**
 * Returns whether an answer names exactly the labels of the right one. An answer that lists every candidate is wrong,
 * and so is one that names an old value beside the new one.
 * @param right.candidates every label that an answer may name
 * @param right.answer the right labels, several of them joined by " and "
 * @param right.asked labels that the question is about, which an answer may repeat
 */
export function namesOnly(
  reply: string,
  right: {
    readonly candidates: readonly string[];
    readonly answer: string;
    readonly asked?: readonly string[];
  },
): boolean {
  const find = labelFinder(right.candidates);
  const wanted = new Set(find(right.answer));
  const named = new Set(find(reply).filter((label) => wanted.has(label) || !right.asked?.includes(label)));
  return named.size === wanted.size && [...named].every((label) => wanted.has(label));
}
