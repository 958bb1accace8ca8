/** Job: tasks, trajectories and scores as bytes under their ids in Redis.
 *  Not its job: jobs; a payload without a job is harmless and ends by its time to live.
 *
 *  P1 (T1). The first trajectory and the first score stored under an id stay; later ones are ignored,
 *           so that a consumer that was taken for dead cannot change what was scored or trained.
 *  P2.      Nothing is stored for a group that is not outstanding. */
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { decodeTrajectory, encodeScore, encodeTrajectory } from "./codec.js";
import { trajectoryIdsOf } from "./group-spec.js";
import type { RunKeys } from "./run-keys.js";
import { runScript, script } from "./script.js";
import type { Task } from "./task.js";
import { decodeTask, encodeTask } from "./task-codec.js";
import type { Score, Trajectory } from "./trajectory.js";

const storeScript = script(`
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call("SET", KEYS[2], ARGV[2], "PX", ARGV[3], "NX")
return 1`);

// Episodes of one group share their task; consumers work on few groups at a time.
const cachedTasks = 32;

export interface GroupPayloads {
  readonly trajectories: readonly (Buffer | null)[];
  readonly scores: readonly (Buffer | null)[];
}

export class PayloadStore {
  readonly #redis: Redis;
  readonly #keys: RunKeys;
  readonly #ttlMs: number;
  readonly #tasks = new Map<string, Promise<Task>>();

  constructor(redis: Redis, keys: RunKeys, ttlMs: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlMs = ttlMs;
  }

  async putTask(groupId: string, task: Task): Promise<number> {
    const bytes = Buffer.from(encodeTask(task));
    await this.#redis.set(this.#keys.task(groupId), bytes, "PX", this.#ttlMs);
    return bytes.length;
  }

  /** @throws {PalimpsestError} NOT_FOUND when the group is settled or its time to live is over */
  async task(groupId: string): Promise<Task> {
    let loading = this.#tasks.get(groupId);
    if (loading === undefined) {
      loading = this.#loadTask(groupId);
      this.#tasks.set(groupId, loading);
      loading.catch(() => this.#tasks.delete(groupId));
      const [oldest] = this.#tasks.keys();
      if (this.#tasks.size > cachedTasks && oldest !== undefined) {
        this.#tasks.delete(oldest);
      }
    }
    return await loading;
  }

  async #loadTask(groupId: string): Promise<Task> {
    const bytes = await this.#redis.getBuffer(this.#keys.task(groupId));
    if (bytes === null) {
      throw new PalimpsestError("NOT_FOUND", `task of group ${groupId} is not in Redis: settled or expired`);
    }
    return decodeTask(bytes);
  }

  /** @returns bytes stored, also when an earlier trajectory stays
   *  @throws {PalimpsestError} NOT_FOUND when the group is not outstanding */
  async putTrajectory(trajectory: Trajectory): Promise<number> {
    const { groupId, trajectoryId } = trajectory;
    return await this.#store(groupId, this.#keys.trajectory(trajectoryId), encodeTrajectory(trajectory));
  }

  async hasTrajectory(trajectoryId: string): Promise<boolean> {
    return (await this.#redis.exists(this.#keys.trajectory(trajectoryId))) === 1;
  }

  async trajectory(trajectoryId: string): Promise<Trajectory | undefined> {
    const bytes = await this.#redis.getBuffer(this.#keys.trajectory(trajectoryId));
    return bytes === null ? undefined : decodeTrajectory(bytes);
  }

  /** @throws {PalimpsestError} NOT_FOUND when the group is not outstanding */
  async putScore(groupId: string, trajectoryId: string, score: Score, actorId: string): Promise<number> {
    return await this.#store(
      groupId,
      this.#keys.score(trajectoryId),
      encodeScore(score, { trajectoryId, actorId }),
    );
  }

  async hasScore(trajectoryId: string): Promise<boolean> {
    return (await this.#redis.exists(this.#keys.score(trajectoryId))) === 1;
  }

  /** Trajectories and scores of a group by episode index; null where there is none. */
  async group(spec: { readonly groupId: string; readonly groupSize: number }): Promise<GroupPayloads> {
    const ids = trajectoryIdsOf(spec);
    const values = await this.#redis.mgetBuffer(
      ...ids.map((id) => this.#keys.trajectory(id)),
      ...ids.map((id) => this.#keys.score(id)),
    );
    return { trajectories: values.slice(0, ids.length), scores: values.slice(ids.length) };
  }

  /** Every key that a group's payloads may have. */
  keysOf(spec: { readonly groupId: string; readonly groupSize: number }): string[] {
    const ids = trajectoryIdsOf(spec);
    return [
      this.#keys.task(spec.groupId),
      ...ids.map((id) => this.#keys.trajectory(id)),
      ...ids.map((id) => this.#keys.score(id)),
    ];
  }

  async #store(groupId: string, key: string, encoded: Uint8Array): Promise<number> {
    const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    const stored = await runScript(
      this.#redis,
      storeScript,
      [this.#keys.outstanding, key],
      [groupId, bytes, this.#ttlMs],
    );
    if (stored === 0) {
      throw new PalimpsestError(
        "NOT_FOUND",
        `group ${groupId} is not outstanding; its payloads are not kept`,
      );
    }
    return bytes.length;
  }
}
