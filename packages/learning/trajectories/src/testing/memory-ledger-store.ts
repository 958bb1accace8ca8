/**
 * Responsibility: the ledger store in the memory of one process, for simulations: it answers like Redis without Redis.
 * Not responsible for: expiry and durability; `snapshot` and `restore` let a simulation lose the last second.
 *
 * Invariants: those of `LedgerStore`; `ledger-store.test.ts` checks that this store and the one on Redis answer alike.
 */
import type { EpisodeFailure } from "../base/episode-failure.js";
import { type Epoch, newToken } from "../base/epoch.js";
import {
  type Claim,
  type ClaimResult,
  type CloseResult,
  type Closing,
  type CompleteGroups,
  type EpisodeRecord,
  type EpisodeState,
  type GroupRecord,
  type GroupState,
  keptClosedGroups,
  keptFailures,
  type LedgerLimits,
  type LedgerStore,
  type RunCounts,
  type SampledHead,
  type ScoreResult,
  type Subscription,
} from "../store/ledger-store.js";

interface MemoryEpisode {
  trajectory?: Uint8Array;
  trajectoryToken?: string;
  headBytes?: number;
  score?: Uint8Array;
  failure?: string;
}

interface MemoryGroup {
  readonly spec: string;
  readonly episodes: MemoryEpisode[];
  task?: Uint8Array;
  bytes: number;
  dispatching: boolean;
  /** The group's position among the complete groups; 0 while it is not complete. */
  completed: number;
}

/** Everything that the store remembers. */
interface LedgerMemory {
  epoch: Epoch;
  completions: number;
  readonly groups: Map<string, MemoryGroup>;
  /** The outcome of each closed group, and why it failed, in the order of closing. */
  readonly closed: Map<string, { readonly outcome: "trained" | "failed"; readonly reason: string }>;
  failures: EpisodeFailure[];
  trajectories: number;
  trajectoryBytes: number;
  readonly groupCounts: { dispatched: number; trained: number; failed: number };
  readonly episodeCounts: { dispatched: number; trained: number; failed: number; dropped: number };
}

/** A ledger in memory that answers as the scripts in Redis do. */
export class MemoryLedgerStore implements LedgerStore {
  readonly #listeners = new Set<() => void>();
  #memory: LedgerMemory = {
    epoch: { number: 0, token: "" },
    completions: 0,
    groups: new Map(),
    closed: new Map(),
    failures: [],
    trajectories: 0,
    trajectoryBytes: 0,
    groupCounts: { dispatched: 0, trained: 0, failed: 0 },
    episodeCounts: { dispatched: 0, trained: 0, failed: 0, dropped: 0 },
  };

  /** Returns a copy of everything that the store remembers, for `restore`. */
  snapshot(): LedgerMemory {
    return structuredClone(this.#memory);
  }

  /** Restores a snapshot, like a Redis that lost what it had not yet written. */
  restore(memory: LedgerMemory): void {
    this.#memory = structuredClone(memory);
  }

  async claim(claims: readonly Claim[], limits: LedgerLimits): Promise<ClaimResult[]> {
    return claims.map((claim) => this.#claim(claim, limits));
  }

  #claim({ groupId, groupSize, spec, taskBytes }: Claim, limits: LedgerLimits): ClaimResult {
    const { groups, closed, groupCounts, episodeCounts } = this.#memory;
    const end = closed.get(groupId);
    if (end !== undefined) {
      return end.outcome;
    }
    const group = groups.get(groupId);
    if (group !== undefined) {
      group.dispatching &&= group.completed === 0;
      return group.dispatching ? "claimed" : "outstanding";
    }
    if (this.#isFull(groupSize, taskBytes, limits)) {
      return "full";
    }
    groups.set(groupId, {
      spec,
      episodes: Array.from({ length: groupSize }, () => ({})),
      bytes: taskBytes,
      dispatching: true,
      completed: 0,
    });
    groupCounts.dispatched += 1;
    episodeCounts.dispatched += groupSize;
    return "claimed";
  }

  #isFull(
    groupSize: number,
    taskBytes: number,
    { maxOutstandingGroups, maxQueuedBytes }: LedgerLimits,
  ): boolean {
    const { groups, trajectories, trajectoryBytes } = this.#memory;
    if (groups.size >= maxOutstandingGroups) {
      return true;
    }
    if (groups.size === 0) {
      return false;
    }
    const unsampled = [...groups.values()]
      .flatMap(({ episodes }) => episodes)
      .filter(({ trajectory, failure, score }) => !trajectory && failure === undefined && !score).length;
    const mean = trajectories === 0 ? 0 : trajectoryBytes / trajectories;
    return this.#queuedBytes() + taskBytes + (unsampled + groupSize) * mean > maxQueuedBytes;
  }

  #queuedBytes(): number {
    return [...this.#memory.groups.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async confirm(groupIds: readonly string[]): Promise<readonly string[]> {
    const { groups, closed } = this.#memory;
    return groupIds.filter((groupId) => {
      const group = groups.get(groupId);
      if (group === undefined) {
        return !closed.has(groupId);
      }
      if (group.task === undefined && group.completed === 0) {
        return true;
      }
      group.dispatching = false;
      return false;
    });
  }

  async undispatched(groupIds: readonly string[]): Promise<readonly string[]> {
    const { groups, closed } = this.#memory;
    return groupIds.filter((groupId) => {
      const group = groups.get(groupId);
      return group === undefined ? !closed.has(groupId) : group.dispatching && group.completed === 0;
    });
  }

  async putTask(groupId: string, bytes: Uint8Array): Promise<boolean> {
    const group = this.#memory.groups.get(groupId);
    if (!group) {
      return false;
    }
    group.task ??= bytes.slice();
    return true;
  }

  async task(groupId: string): Promise<Uint8Array | undefined> {
    return this.#memory.groups.get(groupId)?.task;
  }

  async episode(groupId: string, episodeIndex: number): Promise<EpisodeState | undefined> {
    const episode = this.#memory.groups.get(groupId)?.episodes[episodeIndex];
    return episode && stateOf(episode);
  }

  async putTrajectory(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    headBytes = bytes.length,
  ): Promise<EpisodeState | undefined> {
    const group = this.#memory.groups.get(groupId);
    const episode = group?.episodes[episodeIndex];
    if (!group || !episode) {
      return undefined;
    }
    const state = stateOf(episode);
    if (state === "open") {
      episode.trajectory = bytes.slice();
      episode.trajectoryToken = newToken();
      episode.headBytes = headBytes;
      group.bytes += bytes.length;
      this.#memory.trajectories += 1;
      this.#memory.trajectoryBytes += bytes.length;
    }
    return state;
  }

  async trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined> {
    return this.#memory.groups.get(groupId)?.episodes[episodeIndex]?.trajectory;
  }

  async sampledHead(groupId: string, episodeIndex: number): Promise<SampledHead> {
    const episode = this.#memory.groups.get(groupId)?.episodes[episodeIndex];
    const state = episode && stateOf(episode);
    return state === "sampled" && episode?.trajectory
      ? {
          state,
          bytes: episode.trajectory.subarray(0, episode.headBytes),
          trajectoryToken: episode.trajectoryToken ?? "",
        }
      : { state };
  }

  async putScore(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    trajectoryToken: string,
  ): Promise<ScoreResult> {
    const episode = this.#memory.groups.get(groupId)?.episodes[episodeIndex];
    const isOther = (episode?.trajectoryToken ?? "") !== trajectoryToken;
    if (episode && stateOf(episode) !== "ended" && isOther) {
      return "replaced";
    }
    return this.#end(groupId, episodeIndex, { score: bytes.slice() }, bytes.length);
  }

  async putFailure(
    groupId: string,
    episodeIndex: number,
    failure: string,
  ): Promise<EpisodeState | undefined> {
    return this.#end(groupId, episodeIndex, { failure }, Buffer.byteLength(failure));
  }

  #end(groupId: string, episodeIndex: number, end: MemoryEpisode, bytes: number): EpisodeState | undefined {
    const group = this.#memory.groups.get(groupId);
    const episode = group?.episodes[episodeIndex];
    if (!group || !episode) {
      return undefined;
    }
    const state = stateOf(episode);
    if (state !== "ended") {
      Object.assign(episode, end);
      group.bytes += bytes;
      if (group.episodes.every((other) => stateOf(other) === "ended")) {
        this.#memory.completions += 1;
        group.completed = this.#memory.completions;
        for (const listener of this.#listeners) {
          listener();
        }
      }
    }
    return state;
  }

  async takeOver(token: string): Promise<Epoch> {
    const { epoch } = this.#memory;
    this.#memory.epoch = epoch.token === token ? epoch : { number: epoch.number + 1, token };
    return this.#memory.epoch;
  }

  #isFenced(epoch: Epoch): boolean {
    const stored = this.#memory.epoch;
    if (stored.number < epoch.number) {
      this.#memory.epoch = epoch;
    } else if (stored.number > epoch.number || stored.token !== epoch.token) {
      return true;
    }
    return false;
  }

  async completeGroups(epoch: Epoch, cursor: number): Promise<CompleteGroups | undefined> {
    if (this.#isFenced(epoch)) {
      return undefined;
    }
    const found = [...this.#memory.groups]
      .filter(([, { completed }]) => completed > cursor)
      .sort(([, a], [, b]) => a.completed - b.completed);
    return { groupIds: found.map(([id]) => id), cursor: found.at(-1)?.[1].completed ?? cursor };
  }

  async onCompletion(listener: () => void): Promise<Subscription> {
    this.#listeners.add(listener);
    return {
      close: async () => {
        this.#listeners.delete(listener);
      },
    };
  }

  async group(groupId: string): Promise<GroupRecord | undefined> {
    const group = this.#memory.groups.get(groupId);
    if (!group) {
      return undefined;
    }
    const episodes = group.episodes.map(
      ({ trajectory, score, failure }): EpisodeRecord => ({
        ...(trajectory ? { trajectoryBytes: trajectory.length } : {}),
        ...(score ? { score } : {}),
        ...(failure === undefined ? {} : { failure }),
      }),
    );
    return { spec: group.spec, episodes };
  }

  async close(closing: Closing, epoch: Epoch): Promise<CloseResult> {
    const { groups, groupCounts, episodeCounts } = this.#memory;
    if (this.#isFenced(epoch)) {
      return "fenced";
    }
    const { groupId, outcome, failures } = closing;
    if (!groups.delete(groupId)) {
      return "unknown";
    }
    this.#remember(groupId, outcome, closing.reason ?? "");
    groupCounts[outcome] += 1;
    episodeCounts.trained += closing.trainedEpisodes;
    episodeCounts.failed += failures.length;
    episodeCounts.dropped += closing.droppedEpisodes;
    this.#memory.failures = [...[...failures].reverse(), ...this.#memory.failures].slice(0, keptFailures);
    return "closed";
  }

  async rememberTrained(groupIds: readonly string[], epoch: Epoch): Promise<"remembered" | "fenced"> {
    const { groups, closed } = this.#memory;
    if (this.#isFenced(epoch)) {
      return "fenced";
    }
    for (const groupId of groupIds) {
      if (!groups.has(groupId) && !closed.has(groupId)) {
        this.#remember(groupId, "trained", "");
      }
    }
    return "remembered";
  }

  #remember(groupId: string, outcome: "trained" | "failed", reason: string): void {
    const { closed } = this.#memory;
    closed.set(groupId, { outcome, reason });
    const [oldest] = closed.keys();
    if (closed.size > keptClosedGroups && oldest !== undefined) {
      closed.delete(oldest);
    }
  }

  async states(groupIds: readonly string[]): Promise<(GroupState | undefined)[]> {
    const { groups, closed } = this.#memory;
    return groupIds.map((id) => closed.get(id)?.outcome ?? (groups.has(id) ? "outstanding" : undefined));
  }

  async outstanding(): Promise<readonly string[]> {
    return [...this.#memory.groups.keys()].sort();
  }

  async failedGroups(): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries(
      [...this.#memory.closed].flatMap(([groupId, { outcome, reason }]) =>
        outcome === "failed" ? [[groupId, reason]] : [],
      ),
    );
  }

  async failures(): Promise<readonly EpisodeFailure[]> {
    return this.#memory.failures;
  }

  async counts(): Promise<RunCounts> {
    const { groups, groupCounts, episodeCounts } = this.#memory;
    return {
      groups: { ...groupCounts, outstanding: groups.size },
      episodes: { ...episodeCounts },
      queuedBytes: this.#queuedBytes(),
    };
  }
}

function stateOf({ trajectory, score, failure }: MemoryEpisode): EpisodeState {
  return score !== undefined || failure !== undefined ? "ended" : trajectory ? "sampled" : "open";
}
