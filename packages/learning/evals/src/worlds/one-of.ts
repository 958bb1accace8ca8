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
 * and so is one that names an old value beside the new one. Digits count as their number's word, and "one" beside
 * another number as no number.
 * @param right.candidates every label that an answer may name
 * @param right.answer the right labels, several of them joined by " and "
 * @param right.aliases other forms of the answer, which are right wherever they stand alone
 * @param right.asked labels that the question is about, which an answer may repeat
 */
export function namesOnly(
  reply: string,
  right: {
    readonly candidates: readonly string[];
    readonly answer: string;
    readonly aliases?: readonly string[];
    readonly asked?: readonly string[];
  },
): boolean {
  const { candidates, answer, aliases = [], asked = [] } = right;
  const find = labelFinder(candidates);
  const wanted = new Set(find(answer));
  const named = new Set(find(reply).filter((label) => wanted.has(label) || !asked.includes(label)));
  if (aliases.length > 0) {
    const numbers = reply.match(/(?<![\p{L}\p{N}.,-])\p{Nd}+(?![\p{L}\p{N}-])/gu) ?? [];
    for (const number of numbers) named.add(aliases.includes(number) ? answer : number);
    if (named.size > 1 && !wanted.has("one")) named.delete("one");
  }
  return wanted.size > 0 && named.size === wanted.size && [...named].every((label) => wanted.has(label));
}
