/**
 * Returns the fraction of a question's evidence turns that are among the retrieved ids, counted as in LoCoMo: when the
 * first id names a session ("S3"), a turn "D3:7" counts by its session. It is 1 without evidence, or when retrieval was
 * not requested (null). Source: snap-research/LoCoMo, task_eval/evaluation.py.
 * @param retrieved ids of the first k results; for records, all ids in their provenance
 */
export function evidenceRecall(retrieved: readonly string[] | null, evidence: readonly string[]): number {
  if (retrieved === null || evidence.length === 0) return 1;
  const bySession = retrieved[0]?.startsWith("S") === true;
  const ids = new Set(bySession ? retrieved.map((id) => id.slice(1)) : retrieved);
  const found = evidence.filter((id) => ids.has(bySession ? (id.split(":", 1)[0] as string).slice(1) : id));
  return found.length / evidence.length;
}
