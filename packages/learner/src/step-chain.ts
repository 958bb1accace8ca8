/** What of a logged step says where it belongs. */
export interface StepLink {
  /** Policy version that the step made. */
  readonly policyVersion: number;
  /** Of the weights before the step. */
  readonly parentHash: string;
  /** Of the weights after it. */
  readonly weightsHash: string;
  readonly writtenAtMs: number;
}

/** The steps that lead on from those weights (STEPLOG-2), of records in any order. */
export function longestChain<Step extends StepLink>(
  records: readonly Step[],
  from: Pick<StepLink, "policyVersion" | "weightsHash">,
): readonly Step[] {
  const chains = records
    .filter(
      ({ policyVersion, parentHash }) =>
        policyVersion === from.policyVersion + 1 && parentHash === from.weightsHash,
    )
    .map((record) => [record, ...longestChain(records, record)]);
  const lastWritten = (chain: readonly Step[]) => chain.at(-1)?.writtenAtMs ?? 0;
  return chains.sort((a, b) => b.length - a.length || lastWritten(b) - lastWritten(a))[0] ?? [];
}
