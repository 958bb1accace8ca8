/**
 * Responsibility: converts tasks, trajectories and scores between their records and the ledger's bytes, within bounds.
 * Not responsible for: jobs, or when a group is complete.
 *
 * Invariants:
 * - PAYLOAD-1. Nothing larger than `maxTrajectoryBytes` is stored; anything larger is refused with its size.
 * - PAYLOAD-2. Fetching a group has at most `maxFetchBytes` of encoded trajectories in flight (see WINDOW-1).
 */

import type { Score, Task, Trajectory, TrajectoryHead } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import { encodeFailure, type FailureReason } from "../base/episode-failure.js";
import { trajectoryIdOf } from "../base/group-spec.js";
import type { QueueSettings } from "../base/queue-settings.js";
import { encodeScore } from "../codec/score-codec.js";
import { decodeTask, encodeTask } from "../codec/task-codec.js";
import { decodeTrajectory, decodeTrajectoryHead, encodeTrajectoryParts } from "../codec/trajectory-codec.js";
import type { Room } from "../redis/redis-room.js";
import { ByteWindow } from "./byte-window.js";
import type { EpisodeState, LedgerStore, ScoreResult } from "./ledger-store.js";

/** Identifies an episode. */
export interface EpisodeKey {
  readonly groupId: string;
  readonly episodeIndex: number;
}

/** The part of an episode that is scored. */
export interface SampledTrajectory {
  /** Undefined when the group is not outstanding. */
  readonly state: EpisodeState | undefined;
  /** Undefined unless the episode is sampled and its trajectory still exists. */
  readonly trajectory: TrajectoryHead | undefined;
  /** The token to pass to `putScore` with the trajectory's score; "" unless the episode is sampled. */
  readonly trajectoryToken: string;
}

/** The result of a write: the state that it found, and how much it wrote. */
export interface Stored {
  /** State of the episode before the write; undefined when the group is not outstanding. */
  readonly state: EpisodeState | undefined;
  readonly bytes: number;
}

export interface PayloadStoreOptions {
  readonly store: LedgerStore;
  readonly room: Room;
  readonly settings: Pick<QueueSettings, "maxTrajectoryBytes" | "maxFetchBytes" | "rolloutTimeoutMs">;
}

// Episodes of one group share their task, and consumers work on few groups at a time.
const cachedTasks = 32;

export class PayloadStore {
  readonly #store: LedgerStore;
  readonly #room: Room;
  readonly #settings: PayloadStoreOptions["settings"];
  readonly #window: ByteWindow;
  readonly #tasks = new Map<string, Promise<Task | undefined>>();

  constructor({ store, room, settings }: PayloadStoreOptions) {
    this.#store = store;
    this.#room = room;
    this.#settings = settings;
    this.#window = new ByteWindow(settings.maxFetchBytes);
  }

  /** @throws {PalimpsestError} LIMIT_EXCEEDED above maxTrajectoryBytes */
  encodeTask(task: Task): Uint8Array {
    const bytes = encodeTask(task);
    this.#checkSize(`task ${task.id}`, bytes);
    return bytes;
  }

  /** @throws {PalimpsestError} LIMIT_EXCEEDED when Redis stays full */
  async putTask(groupId: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#write(() => this.#store.putTask(groupId, bytes), signal);
  }

  /** @returns undefined when the group is not outstanding or the task has expired */
  async task(groupId: string): Promise<Task | undefined> {
    let loading = this.#tasks.get(groupId);
    if (loading === undefined) {
      loading = this.#loadTask(groupId);
      this.#tasks.set(groupId, loading);
      const forget = (): void => {
        if (this.#tasks.get(groupId) === loading) {
          this.#tasks.delete(groupId);
        }
      };
      loading.then((task) => task ?? forget(), forget);
      const [oldest] = this.#tasks.keys();
      if (this.#tasks.size > cachedTasks && oldest !== undefined) {
        this.#tasks.delete(oldest);
      }
    }
    return await loading;
  }

  async #loadTask(groupId: string): Promise<Task | undefined> {
    const bytes = await this.#store.task(groupId);
    return bytes && decodeTask(bytes);
  }

  async episode({ groupId, episodeIndex }: EpisodeKey): Promise<EpisodeState | undefined> {
    return await this.#store.episode(groupId, episodeIndex);
  }

  /**
   * Stores the first trajectory of an open episode. Waits while Redis is full.
   * @throws {PalimpsestError} LIMIT_EXCEEDED above maxTrajectoryBytes or when Redis stays full; CODEC
   */
  async putTrajectory(trajectory: Trajectory, signal?: AbortSignal): Promise<Stored> {
    const { bytes, headBytes } = encodeTrajectoryParts(trajectory);
    this.#checkSize(`trajectory ${trajectory.trajectoryId}`, bytes);
    const { groupId, episodeIndex } = trajectory;
    const state = await this.#write(
      () => this.#store.putTrajectory(groupId, episodeIndex, bytes, headBytes),
      signal,
    );
    return { state, bytes: bytes.length };
  }

  /** @throws {PalimpsestError} CODEC */
  async trajectory({ groupId, episodeIndex }: EpisodeKey): Promise<Trajectory | undefined> {
    const bytes = await this.#store.trajectory(groupId, episodeIndex);
    return bytes && decodeTrajectory(bytes);
  }

  /**
   * Returns the trajectory of a sampled episode without its token columns, with the state of the episode at that
   * moment.
   * @throws {PalimpsestError} CODEC
   */
  async sampledHead({ groupId, episodeIndex }: EpisodeKey): Promise<SampledTrajectory> {
    const { state, bytes, trajectoryToken = "" } = await this.#store.sampledHead(groupId, episodeIndex);
    return { state, trajectory: bytes && decodeTrajectoryHead(bytes), trajectoryToken };
  }

  /** Does the same as `trajectory`, once there is room for that many bytes among all fetches of this store. */
  async fetch(episode: EpisodeKey, sizeBytes: number): Promise<Trajectory | undefined> {
    return await this.#window.run(sizeBytes, () => this.trajectory(episode));
  }

  /** Ends an episode with the score of the trajectory that `sampledHead` gave. @throws {PalimpsestError} CODEC */
  async putScore(
    { groupId, episodeIndex }: EpisodeKey,
    score: Score,
    { actorId, trajectoryToken }: { readonly actorId: string; readonly trajectoryToken: string },
  ): Promise<{ readonly state: ScoreResult; readonly bytes: number }> {
    const bytes = encodeScore(score, { trajectoryId: trajectoryIdOf(groupId, episodeIndex), actorId });
    const state = await this.#store.putScore(groupId, episodeIndex, bytes, trajectoryToken);
    return { state, bytes: bytes.length };
  }

  /** Ends an episode with a failure. */
  async putFailure({ groupId, episodeIndex }: EpisodeKey, reason: FailureReason): Promise<void> {
    await this.#store.putFailure(groupId, episodeIndex, encodeFailure(reason));
  }

  #checkSize(what: string, { length }: Uint8Array): void {
    const limit = this.#settings.maxTrajectoryBytes;
    if (length > limit) {
      throw new PalimpsestError(
        "LIMIT_EXCEEDED",
        `${what} has ${length} bytes, more than queues.maxTrajectoryBytes ${limit}; raise it, or shorten documents or replies`,
        { retryable: false },
      );
    }
  }

  async #write<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return await this.#room.write(work, { timeoutMs: this.#settings.rolloutTimeoutMs, signal });
  }
}
