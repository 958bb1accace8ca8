import type { LedgerStore } from "../../../packages/learning/trajectories/src/store/ledger-store.js";
import type { Random } from "../world/random.js";
import { changed } from "./run-plant.js";

/** How often a loss follows or replaces a write. Take-overs, claims and confirmations are rare and decide the most. */
const shares: Partial<Record<keyof LedgerStore, number>> = {
  claim: 0.05,
  putTask: 0.02,
  confirm: 0.1,
  putTrajectory: 0.01,
  putScore: 0.01,
  putFailure: 0.02,
  takeOver: 0.3,
  close: 0.02,
};

/** Redis loses at most its last second (appendfsync everysec). */
const longestMs = 1_000;

/**
 * A ledger whose store dies between two writes that belong together: losses at random times hardly ever separate them.
 * @param lose makes the store lose what arrives within the given milliseconds
 */
export function fragileLedger(
  ledger: LedgerStore,
  random: Random,
  lose: (forMs: number) => void,
): LedgerStore {
  // Most of the writes that a loss can separate follow each other within a few milliseconds.
  const strike = () => lose(longestMs * random.float() ** 4);
  const fragile: Record<string, unknown> = {};
  for (const [name, share] of Object.entries(shares)) {
    const method = ledger[name as keyof LedgerStore] as (...given: unknown[]) => Promise<unknown>;
    fragile[name] = async (...given: unknown[]) => {
      const before = random.chance(share);
      if (before) strike();
      const result = await method.apply(ledger, given);
      if (!before && random.chance(share)) strike();
      return result;
    };
  }
  return changed(ledger, fragile);
}
