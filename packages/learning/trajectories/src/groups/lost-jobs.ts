/**
 * Responsibility: adds missing jobs of episodes that wait for one to the queues again. A store that lost its last
 * second may have lost a record whose job was afterwards marked as done.
 * Not responsible for: groups that are not dispatched; those have to be dispatched again.
 *
 * Invariants:
 * - LOSTJOBS-1 (T1). While a learner waits for a group, every episode of the group that has not ended gets its job
 *   back within one pass over the open episodes. Each look covers at least `episodesPerLook` of them, so a pass takes
 *   at most one look per `episodesPerLook` open episodes.
 * - LOSTJOBS-2. One look adds at most `episodesPerLook` jobs, not counting those of the last group that it reaches.
 */

import type { EpisodeSpec } from "../base/group-spec.js";
import type { EpisodeJobs } from "../jobs/episode-jobs.js";
import type { LedgerStore } from "../store/ledger-store.js";
import { specOfRecord } from "./group-assembly.js";

/** Adding a job that still exists costs Redis some 20 µs, so a look costs it about 5 ms. */
const episodesPerLook = 256;

interface OpenEpisodes {
  readonly rollouts: readonly EpisodeSpec[];
  readonly rewards: readonly EpisodeSpec[];
}

export class LostJobs {
  readonly #store: LedgerStore;
  readonly #jobs: Pick<EpisodeJobs, "restore">;
  /** The next look begins after this group. */
  #after = "";

  constructor(store: LedgerStore, jobs: Pick<EpisodeJobs, "restore">) {
    this.#store = store;
    this.#jobs = jobs;
  }

  /**
   * Adds the missing jobs of some open episodes; the next look continues after them.
   * @param groupIds the groups that somebody waits for; default: all outstanding groups
   */
  async look(groupIds?: readonly string[]): Promise<void> {
    const ids = [...(groupIds ?? (await this.#store.outstanding()))].sort();
    const undispatched = new Set(await this.#store.undispatched(ids));
    const start = ids.findIndex((groupId) => groupId > this.#after);
    const inTurn = start === -1 ? ids : [...ids.slice(start), ...ids.slice(0, start)];
    let left = episodesPerLook;
    for (const groupId of inTurn) {
      if (left <= 0) return;
      this.#after = groupId;
      if (undispatched.has(groupId)) continue;
      const { rollouts, rewards } = await this.#openOf(groupId);
      left -= rollouts.length + rewards.length;
      await this.#jobs.restore("rollouts", rollouts);
      await this.#jobs.restore("rewards", rewards);
    }
  }

  async #openOf(groupId: string): Promise<OpenEpisodes> {
    const record = await this.#store.group(groupId);
    const spec = record && specOfRecord(record);
    // Groups that another version wrote have the jobs which that version gave them.
    if (record === undefined || spec === undefined) return { rollouts: [], rewards: [] };
    const open = record.episodes.flatMap(({ trajectoryBytes, score, failure }, episodeIndex) =>
      score === undefined && failure === undefined
        ? [{ spec: { ...spec, episodeIndex }, sampled: trajectoryBytes !== undefined }]
        : [],
    );
    return {
      rollouts: open.filter(({ sampled }) => !sampled).map(({ spec: episode }) => episode),
      rewards: open.filter(({ sampled }) => sampled).map(({ spec: episode }) => episode),
    };
  }
}
