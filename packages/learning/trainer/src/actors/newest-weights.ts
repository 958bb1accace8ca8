import type { RunQueues, WeightsSubscription } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";

export interface NewestWeights {
  readonly queues: Pick<RunQueues, "onWeights">;
  /** Resolves when the sampler uses weights of at least that version. */
  readonly load: (policyVersion: number) => Promise<void>;
  /** Called with a version that could not be loaded; the next announcement, or an episode that needs it, loads it. */
  readonly onLate: (reason: unknown, policyVersion: number) => void;
}

/**
 * Loads every version as it is announced, even while episodes run: a sampler changes weights between two calls of an episode,
 * so that its later tokens come from newer weights and fewer of them are stale.
 */
export function followWeights({ queues, load, onLate }: NewestWeights): Promise<WeightsSubscription> {
  return queues.onWeights((bytes) => {
    const { policyVersion } = proto.WeightManifest.decode(bytes);
    load(policyVersion).catch((reason: unknown) => onLate(reason, policyVersion));
  });
}
