import type { MemoryRecord, StoreDiff, Task } from "@palimpsest/trajectories";
import { RewardError } from "../error.js";

/** A store's records before an episode and after it, in the order in which they were added, and what changed. */
export interface StoreStates {
  readonly before: readonly MemoryRecord[];
  readonly after: readonly MemoryRecord[];
  readonly diff: StoreDiff;
}

/**
 * Returns both states of an episode's store as separate snapshots, so that what the episode did never shows in
 * `before`.
 * @throws {RewardError} NO_STORE when the episode's agent had no store
 */
export function storeStates(
  task: Pick<Task, "id" | "records">,
  episode: { readonly storeDiff?: StoreDiff },
): StoreStates {
  const { storeDiff: diff } = episode;
  if (diff === undefined) {
    throw new RewardError(
      "NO_STORE",
      `storeDiff of an episode of task ${task.id}: is missing; use this reward with an agent that has a memory store, such as memupdate`,
    );
  }
  const before = task.records ?? [];
  return { before, after: storeAfter(before, diff), diff };
}

/** Returns the store after its changes: updated records keep their positions, created ones follow. */
export function storeAfter(before: readonly MemoryRecord[], diff: StoreDiff): readonly MemoryRecord[] {
  const deleted = new Set(diff.deleted);
  const updated = new Map(diff.updated.map((record) => [record.id, record]));
  const kept = before.filter(({ id }) => !deleted.has(id)).map((record) => updated.get(record.id) ?? record);
  return [...kept, ...diff.created];
}
