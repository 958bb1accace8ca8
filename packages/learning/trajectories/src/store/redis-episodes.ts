/**
 * Responsibility: stores the tasks of a run's groups and the trajectories, scores and failures of their episodes on
 * Redis.
 * Not responsible for: which groups there are, and who may close them.
 * A small trajectory is an argument of the script that records it. A large one is first set under a key of its own,
 * which Redis does without a copy, and the script then renames it, because Redis copies arguments of scripts twice.
 * When a writer dies in between, the key expires.
 */
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { newToken } from "../base/epoch.js";
import type { RunKeys } from "../base/run-keys.js";
import { runScript, runScriptForBytes } from "../redis/script.js";
import {
  commitTrajectoryScript,
  endEpisodeScript,
  putTaskScript,
  putTrajectoryScript,
  sampledHeadScript,
} from "./ledger-scripts.js";
import type { EpisodeState, SampledHead, ScoreResult } from "./ledger-store.js";

export interface RedisEpisodesOptions {
  readonly redis: Redis;
  readonly keys: RunKeys;
  /** Milliseconds after which tasks and trajectories are deleted, closed or not. */
  readonly payloadTtlMs: number;
}

/** Above this size Redis keeps an argument of SET without copying it (PROTO_MBULK_BIG_ARG in its source). */
const stagedFromBytes = 32 * 1024;
/** Milliseconds that a staged trajectory may exist. The script that commits it follows in the same write. */
const stagedTtlMs = 60_000;

export class RedisEpisodes {
  readonly #redis: Redis;
  readonly #keys: RunKeys;
  readonly #ttlMs: number;

  constructor({ redis, keys, payloadTtlMs }: RedisEpisodesOptions) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlMs = payloadTtlMs;
  }

  async putTask(groupId: string, bytes: Uint8Array): Promise<boolean> {
    const { group, task } = this.#keys;
    const stored = await runScript(
      this.#redis,
      putTaskScript,
      [group(groupId), task(groupId)],
      [asBuffer(bytes), this.#ttlMs],
    );
    return stored === 1;
  }

  async task(groupId: string): Promise<Uint8Array | undefined> {
    return (await this.#redis.getBuffer(this.#keys.task(groupId))) ?? undefined;
  }

  async episode(groupId: string, episodeIndex: number): Promise<EpisodeState | undefined> {
    const [size, score, failure, trajectory] = await this.#redis.hmget(
      this.#keys.group(groupId),
      "size",
      `s${episodeIndex}`,
      `f${episodeIndex}`,
      `t${episodeIndex}`,
    );
    if (typeof size !== "string" || episodeIndex >= Number(size)) {
      return undefined;
    }
    return typeof score === "string" || typeof failure === "string"
      ? "ended"
      : typeof trajectory === "string"
        ? "sampled"
        : "open";
  }

  async putTrajectory(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    headBytes = bytes.length,
  ): Promise<EpisodeState | undefined> {
    const { group, counts, trajectory } = this.#keys;
    const keys = [group(groupId), counts, trajectory(groupId, episodeIndex)];
    const args = [episodeIndex, headBytes, newToken(), this.#ttlMs];
    const state =
      bytes.length < stagedFromBytes
        ? await runScript(this.#redis, putTrajectoryScript, keys, [...args, asBuffer(bytes)])
        : await this.#putStaged(keys, args, bytes);
    return episodeState(state);
  }

  async #putStaged(
    keys: readonly string[],
    args: readonly (string | number)[],
    bytes: Uint8Array,
  ): Promise<unknown> {
    const staged = this.#keys.staged(randomUUID());
    const setting = this.#redis.set(staged, asBuffer(bytes), "PX", stagedTtlMs);
    // The script is sent right behind it, without waiting for the answer. Where nothing was staged, it changes nothing.
    const [set, committed] = await Promise.allSettled([
      setting,
      runScript(this.#redis, commitTrajectoryScript, [...keys, staged], args),
    ]);
    if (set.status === "rejected") {
      throw set.reason;
    }
    if (committed.status === "rejected") {
      throw committed.reason;
    }
    if (committed.value === "unstaged") {
      throw new Error("Redis lost a trajectory before it was recorded");
    }
    return committed.value;
  }

  async trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined> {
    return (await this.#redis.getBuffer(this.#keys.trajectory(groupId, episodeIndex))) ?? undefined;
  }

  async sampledHead(groupId: string, episodeIndex: number): Promise<SampledHead> {
    const { group, trajectory } = this.#keys;
    const [state, token, bytes] = (await runScriptForBytes(
      this.#redis,
      sampledHeadScript,
      [group(groupId), trajectory(groupId, episodeIndex)],
      [episodeIndex],
    )) as [Buffer, Buffer?, Buffer?];
    return {
      state: episodeState(state.toString()),
      ...(token === undefined ? {} : { trajectoryToken: token.toString() }),
      ...(bytes !== undefined && bytes.length > 0 ? { bytes } : {}),
    };
  }

  async putScore(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    trajectoryToken: string,
  ): Promise<ScoreResult> {
    const state = await this.#end(groupId, episodeIndex, ["s", asBuffer(bytes)], [trajectoryToken]);
    return state === "replaced" ? state : episodeState(state);
  }

  async putFailure(
    groupId: string,
    episodeIndex: number,
    failure: string,
  ): Promise<EpisodeState | undefined> {
    return episodeState(await this.#end(groupId, episodeIndex, ["f", failure], []));
  }

  async #end(
    groupId: string,
    episodeIndex: number,
    end: readonly ["s", Buffer] | readonly ["f", string],
    condition: readonly string[],
  ): Promise<unknown> {
    const { group, counts, complete, completions } = this.#keys;
    return await runScript(
      this.#redis,
      endEpisodeScript,
      [group(groupId), counts, complete],
      [episodeIndex, ...end, groupId, completions, ...condition],
    );
  }
}

function episodeState(reply: unknown): EpisodeState | undefined {
  return reply === "open" || reply === "sampled" || reply === "ended" ? reply : undefined;
}

/** Returns the same memory as a Buffer, the type that ioredis sends as bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
