/**
 * Returns the fraction of the evidence that is among the sources of the first k retrieved passages, as the measure
 * `recall@k`, and of the first 5, 10 and 50 if these are fewer; nothing when the item names no evidence.
 */
export function evidenceRecall(
  retrieved: readonly (readonly string[])[],
  evidence: readonly string[] | undefined,
  k: number,
): Record<string, number> {
  if (evidence === undefined || evidence.length === 0) return {};
  const wanted = [...new Set(evidence)];
  const shareOf = (first: number) => {
    const found = new Set(retrieved.slice(0, first).flat());
    return wanted.filter((id) => found.has(id)).length / wanted.length;
  };
  const counts = [...[5, 10, 50].filter((first) => first < k), k];
  return Object.fromEntries(counts.map((first) => [`recall@${first}`, shareOf(first)]));
}
