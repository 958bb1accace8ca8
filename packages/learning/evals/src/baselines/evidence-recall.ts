/**
 * Returns the fraction of the evidence that is among the sources of the first k retrieved passages, as the measure
 * `recall@k`; nothing when the item names no evidence.
 */
export function evidenceRecall(
  retrieved: readonly (readonly string[])[],
  evidence: readonly string[] | undefined,
  k: number,
): Record<string, number> {
  if (evidence === undefined || evidence.length === 0) return {};
  const found = new Set(retrieved.slice(0, k).flat());
  const wanted = [...new Set(evidence)];
  return { [`recall@${k}`]: wanted.filter((id) => found.has(id)).length / wanted.length };
}
