import type { ActorHandle } from "@palimpsest/client";
import type { RolloutActor } from "../actors/rollout-actor.js";

const statsTimeoutMs = 5_000;

/** Tracks the sampled tokens of all rollout actors. The count of a restarted actor begins at zero again. */
export function samplerProgress(rollouts: readonly ActorHandle<RolloutActor>[]) {
  const known = rollouts.map(() => 0);
  return {
    /** Returns the sampled tokens per second since the last call, over `seconds` of rollout. */
    async sample(seconds: number): Promise<number> {
      let sampled = 0;
      await Promise.all(
        rollouts.map(async (handle, index) => {
          try {
            const { sampledTokens } = await handle.with({ timeoutMs: statsTimeoutMs, retries: 0 }).stats();
            const before = known[index] ?? 0;
            sampled += sampledTokens >= before ? sampledTokens - before : sampledTokens;
            known[index] = sampledTokens;
          } catch {
            // An actor that died while it was asked is skipped, because its restarted process is counted at the next step.
          }
        }),
      );
      return seconds > 0 ? sampled / seconds : 0;
    },
  };
}
