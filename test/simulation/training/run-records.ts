/**
 * Responsibility: checks what a run promises: T1, T2, T4, T6, the ledger's account and the learner's order.
 * Not responsible for: making anything happen (run-world.ts).
 */

import type { Epoch } from "../../../packages/learning/trajectories/src/base/epoch.js";
import type { GroupBatch } from "../../../packages/learning/trajectories/src/groups/group-batch.js";
import type {
  Closing,
  LedgerStore,
  RunCounts,
} from "../../../packages/learning/trajectories/src/store/ledger-store.js";
import type { Disk } from "./sim-learner.js";

/** The reward of the simulated judge. `startedAtMs` distinguishes the trajectories of one episode. */
export function rewardOf(trajectoryId: string, startedAtMs: number): number {
  return trajectoryId.length + Math.floor(startedAtMs % 1_000_003) / 1_000_003 + 1;
}

export class RunRecords {
  readonly #fail: (invariant: string, text: string) => void;
  readonly #disk: Disk;
  readonly #losses: () => number;
  readonly counts = { steps: 0, dropped: 0, rejected: 0, episodes: 0, learners: 0, faults: 0 };

  constructor(fail: (invariant: string, text: string) => void, disk: Disk, losses: () => number) {
    this.#fail = fail;
    this.#disk = disk;
    this.#losses = losses;
  }

  /** Checks T1, T2, T4 and T6 for a batch that is about to be trained. */
  batch(batch: GroupBatch, trainedBefore: readonly string[], policyVersion: number): void {
    const ids = batch.groups.map(({ groupId }) => groupId);
    if (ids.join() !== [...ids].sort().join()) this.#fail("T6", `a batch is not sorted: ${ids}`);
    this.counts.dropped += batch.dropped.length;
    const lost = batch.failures.find(({ stage }) => stage === "group");
    if (lost !== undefined)
      this.#fail(
        "T1",
        `${lost.trajectoryId} has no payload, and its group is not acknowledged: ${lost.message}`,
      );
    for (const { groupId, members } of batch.groups) {
      if (trainedBefore.includes(groupId)) this.#fail("T1", `${groupId} is trained a second time`);
      const indexes = members.map(({ trajectory }) => trajectory.episodeIndex);
      if (indexes.some((index, at) => at > 0 && index <= (indexes[at - 1] ?? 0)))
        this.#fail("T6", `members of ${groupId} are not sorted: ${indexes}`);
      for (const { trajectory, score } of members) {
        this.counts.episodes++;
        if (trajectory.policyVersionMin !== policyVersion)
          this.#fail(
            "T2",
            `${trajectory.trajectoryId} is of version ${trajectory.policyVersionMin}, the learner ${policyVersion}`,
          );
        if (score.reward !== rewardOf(trajectory.trajectoryId, trajectory.startedAtMs))
          this.#fail(
            "T4",
            `${trajectory.trajectoryId} has reward ${score.reward}, which was given to no such trajectory`,
          );
      }
    }
  }

  /** STEP-1: what is acknowledged is on disk. LEDGER-4: only the newest learner closes groups. */
  closed({ groupId, outcome, reason }: Closing, epoch: Epoch, newest: number): void {
    if (epoch.number < newest)
      this.#fail("LEDGER-4", `epoch ${epoch.number} closed ${groupId}, and ${newest} has taken over`);
    if (outcome === "trained" && !this.#disk.head.trained.includes(groupId))
      this.#fail("STEP-1", `${groupId} is acknowledged, and neither checkpoint nor log on disk has it`);
    if (reason === "ZERO_VARIANCE" && !this.#disk.head.everRejected.includes(groupId))
      this.#fail("STEP-7", `${groupId} is closed as rejected, and neither checkpoint nor log on disk has it`);
  }

  /** Checks LEDGER-1 and LEDGER-2. */
  account({ groups, episodes }: RunCounts): void {
    if (groups.dispatched !== groups.trained + groups.failed + groups.outstanding)
      this.#fail("LEDGER-1", `groups do not add up: ${JSON.stringify(groups)}`);
    if (groups.outstanding > 0) return;
    if (episodes.dispatched !== episodes.trained + episodes.failed + episodes.dropped)
      this.#fail("LEDGER-2", `episodes do not add up: ${JSON.stringify(episodes)}`);
  }

  /** T1: at the end each due group was trained once, was rejected once, or has failed and was counted. */
  async end(
    ledger: LedgerStore,
    groupIds: readonly string[],
    steps: number,
    teaches: (groupId: string) => boolean,
  ): Promise<void> {
    const { trained, everRejected, policyVersion } = this.#disk.head;
    if (new Set(everRejected).size < everRejected.length)
      this.#fail("STEP-7", `rejected twice: ${everRejected}`);
    this.counts.rejected = everRejected.length;
    for (const groupId of [...trained, ...everRejected])
      if (teaches(groupId) !== trained.includes(groupId))
        this.#fail("STEP-7", `${groupId} was taken for another`);
    if (policyVersion !== steps) this.#fail("REST", `the run stands at step ${policyVersion} of ${steps}`);
    const counts = await ledger.counts();
    this.account(counts);
    if (counts.groups.outstanding > 0)
      this.#fail("T1", `groups are outstanding at the end: ${await ledger.outstanding()}`);
    const states = await ledger.states(groupIds);
    for (const [at, groupId] of groupIds.entries()) {
      const state = states[at];
      const isRejected = everRejected.includes(groupId);
      // With a loss the store may have forgotten the rejection; it then remembers only not to dispatch the group again.
      if (isRejected && !trained.includes(groupId) && (state === "failed" || this.#losses() > 0)) continue;
      if (state === "failed" && !trained.includes(groupId)) continue;
      if (state === "trained" && trained.includes(groupId)) continue;
      // With a loss, groups older than the last checkpoints may be forgotten.
      if (this.#losses() > 0 && state === undefined && trained.includes(groupId)) continue;
      this.#fail(
        "T1",
        `${groupId} is ${state} in the ledger, and ${trained.includes(groupId) ? "" : "not "}in the weights`,
      );
    }
  }
}
