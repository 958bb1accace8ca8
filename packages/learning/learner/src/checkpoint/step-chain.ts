/** The fields of a logged step that determine where it belongs. */
export interface StepLink {
  /** Policy version that the step produced. */
  readonly policyVersion: number;
  /** Hash of the weights before the step. */
  readonly parentHash: string;
  /** Hash of the weights after it. */
  readonly weightsHash: string;
  readonly writtenAtMs: number;
}

/** A step, and the best chain that follows it. */
interface Chain<Step extends StepLink> {
  readonly step: Step;
  readonly next: Chain<Step> | undefined;
  readonly length: number;
  /** The time at which its last step was written. */
  readonly endedAtMs: number;
}

/** Returns the steps that continue from those weights (STEPLOG-2), from records in any order. */
export function longestChain<Step extends StepLink>(
  records: readonly Step[],
  from: Pick<StepLink, "policyVersion" | "weightsHash">,
): readonly Step[] {
  /** The best chain from each weights hash, computed from the last version to the first, so that each record is visited once. */
  const best = new Map<string, Chain<Step>>();
  for (const step of [...records].sort((a, b) => b.policyVersion - a.policyVersion)) {
    const next = best.get(keyOf(step.policyVersion, step.weightsHash));
    const length = 1 + (next?.length ?? 0);
    const chain = { step, next, length, endedAtMs: next?.endedAtMs ?? step.writtenAtMs };
    const parent = keyOf(step.policyVersion - 1, step.parentHash);
    const other = best.get(parent);
    if (other === undefined || isBetter(chain, other)) best.set(parent, chain);
  }
  const steps: Step[] = [];
  let chain = best.get(keyOf(from.policyVersion, from.weightsHash));
  for (; chain !== undefined; chain = chain.next) steps.push(chain.step);
  return steps;
}

function isBetter(chain: Chain<StepLink>, other: Chain<StepLink>): boolean {
  if (chain.length !== other.length) return chain.length > other.length;
  return chain.endedAtMs > other.endedAtMs;
}

function keyOf(policyVersion: number, weightsHash: string): string {
  return `${policyVersion} ${weightsHash}`;
}
