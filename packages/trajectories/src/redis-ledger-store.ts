/** Responsibility: the ledger store on Redis: one Lua script per change, one command or transaction per look.
 *  Not responsible for: waiting for room in Redis or for Redis itself; that is the connection's work.
 *  Invariants: those of `LedgerStore`. */
import type { Logger } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";
import { type EpisodeFailure, episodeFailureSchema, jsonOf } from "./episode-failure.js";
import {
  claimScript,
  closeScript,
  completeGroupsScript,
  endEpisodeScript,
  putTaskScript,
  putTrajectoryScript,
  rememberTrainedScript,
} from "./ledger-scripts.js";
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
  type Subscription,
} from "./ledger-store.js";
import type { RunKeys } from "./run-keys.js";
import { runScript } from "./script.js";
import { subscribe } from "./subscribe.js";
import { transaction } from "./transaction.js";

export interface RedisLedgerOptions {
  readonly redis: Redis;
  readonly keys: RunKeys;
  /** Tasks and trajectories are deleted after this, closed or not. */
  readonly payloadTtlMs: number;
  readonly logger: Logger;
}

export class RedisLedgerStore implements LedgerStore {
  readonly #redis: Redis;
  readonly #keys: RunKeys;
  readonly #ttlMs: number;
  readonly #logger: Logger;

  constructor({ redis, keys, payloadTtlMs, logger }: RedisLedgerOptions) {
    this.#redis = redis;
    this.#keys = keys;
    this.#ttlMs = payloadTtlMs;
    this.#logger = logger;
  }

  async claim(claims: readonly Claim[], limits: LedgerLimits): Promise<ClaimResult[]> {
    const { outstanding, dispatching, closed, counts, group } = this.#keys;
    const states = await runScript(
      this.#redis,
      claimScript,
      [outstanding, dispatching, closed, counts, ...claims.map(({ groupId }) => group(groupId))],
      [
        limits.maxOutstandingGroups,
        limits.maxQueuedBytes,
        ...claims.flatMap(({ groupId, groupSize, spec, taskBytes }) => [groupId, groupSize, spec, taskBytes]),
      ],
    );
    return states as ClaimResult[];
  }

  async confirm(groupIds: readonly string[]): Promise<void> {
    if (groupIds.length > 0) {
      await this.#redis.srem(this.#keys.dispatching, ...groupIds);
    }
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
  ): Promise<EpisodeState | undefined> {
    const { group, counts, trajectory } = this.#keys;
    const state = await runScript(
      this.#redis,
      putTrajectoryScript,
      [group(groupId), counts, trajectory(groupId, episodeIndex)],
      [episodeIndex, asBuffer(bytes), this.#ttlMs],
    );
    return episodeState(state);
  }

  async trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined> {
    return (await this.#redis.getBuffer(this.#keys.trajectory(groupId, episodeIndex))) ?? undefined;
  }

  async putScore(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
  ): Promise<EpisodeState | undefined> {
    return await this.#end(groupId, episodeIndex, "s", asBuffer(bytes));
  }

  async putFailure(
    groupId: string,
    episodeIndex: number,
    failure: string,
  ): Promise<EpisodeState | undefined> {
    return await this.#end(groupId, episodeIndex, "f", failure);
  }

  async #end(
    groupId: string,
    episodeIndex: number,
    how: "s" | "f",
    value: Buffer | string,
  ): Promise<EpisodeState | undefined> {
    const { group, counts, complete, completions } = this.#keys;
    const state = await runScript(
      this.#redis,
      endEpisodeScript,
      [group(groupId), counts, complete],
      [episodeIndex, how, value, groupId, completions],
    );
    return episodeState(state);
  }

  async takeOver(): Promise<number> {
    return await this.#redis.incr(this.#keys.consumerEpoch);
  }

  async completeGroups(epoch: number, cursor: number): Promise<CompleteGroups | undefined> {
    const { consumerEpoch, complete } = this.#keys;
    const rows = await runScript(
      this.#redis,
      completeGroupsScript,
      [consumerEpoch, complete],
      [epoch, cursor],
    );
    if (rows === -1) {
      return undefined;
    }
    const pairs = rows as string[];
    return {
      groupIds: pairs.filter((_, index) => index % 2 === 0),
      cursor: pairs.length === 0 ? cursor : Number(pairs.at(-1)),
    };
  }

  async onCompletion(listener: () => void): Promise<Subscription> {
    return await subscribe(this.#redis, this.#keys.completions, this.#logger, {
      onMessage: listener,
      onReady: listener,
    });
  }

  async group(groupId: string): Promise<GroupRecord | undefined> {
    const fields = await this.#redis.hgetallBuffer(this.#keys.group(groupId));
    const text = (name: string): string | undefined => fields[name]?.toString();
    const size = text("size");
    if (size === undefined) {
      return undefined;
    }
    const episodes = Array.from({ length: Number(size) }, (_, index): EpisodeRecord => {
      const trajectoryBytes = text(`t${index}`);
      const score = fields[`s${index}`];
      const failure = text(`f${index}`);
      return {
        ...(trajectoryBytes === undefined ? {} : { trajectoryBytes: Number(trajectoryBytes) }),
        ...(score === undefined ? {} : { score }),
        ...(failure === undefined ? {} : { failure }),
      };
    });
    return { spec: text("spec") ?? "", episodes };
  }

  async close(closing: Closing, epoch: number): Promise<CloseResult> {
    const keys = this.#keys;
    const { groupId, failures } = closing;
    const size = Number(await this.#redis.hget(keys.outstanding, groupId));
    const result = await runScript(
      this.#redis,
      closeScript,
      [
        keys.consumerEpoch,
        keys.outstanding,
        keys.dispatching,
        keys.complete,
        keys.closed,
        keys.closedOrder,
        keys.counts,
        keys.failures,
        keys.group(groupId),
        keys.task(groupId),
        ...Array.from({ length: size }, (_, index) => keys.trajectory(groupId, index)),
      ],
      [
        epoch,
        groupId,
        closing.outcome,
        closing.reason ?? "",
        closing.trainedEpisodes,
        failures.length,
        closing.droppedEpisodes,
        keptFailures,
        keptClosedGroups,
        ...failures.map((failure) => JSON.stringify(failure)),
      ],
    );
    return result === -1 ? "fenced" : result === 1 ? "closed" : "unknown";
  }

  async rememberTrained(groupIds: readonly string[], epoch: number): Promise<"remembered" | "fenced"> {
    const { consumerEpoch, outstanding, closed, closedOrder } = this.#keys;
    const result = await runScript(
      this.#redis,
      rememberTrainedScript,
      [consumerEpoch, outstanding, closed, closedOrder],
      [epoch, keptClosedGroups, ...groupIds],
    );
    return result === -1 ? "fenced" : "remembered";
  }

  async states(groupIds: readonly string[]): Promise<(GroupState | undefined)[]> {
    if (groupIds.length === 0) {
      return [];
    }
    const keys = this.#keys;
    const [open, closed] = await transaction<[(string | null)[], (string | null)[]]>(
      this.#redis
        .multi()
        .hmget(keys.outstanding, ...groupIds)
        .hmget(keys.closed, ...groupIds),
    );
    return groupIds.map((_, index) => {
      const end = closed[index];
      if (typeof end === "string") {
        return end === "trained" ? "trained" : "failed";
      }
      return typeof open[index] === "string" ? "outstanding" : undefined;
    });
  }

  async outstanding(): Promise<readonly string[]> {
    return (await this.#redis.hkeys(this.#keys.outstanding)).sort();
  }

  async failedGroups(): Promise<Readonly<Record<string, string>>> {
    const closed = Object.entries(await this.#redis.hgetall(this.#keys.closed));
    return Object.fromEntries(
      closed.flatMap(([groupId, outcome]) =>
        outcome.startsWith("failed:") ? [[groupId, outcome.slice("failed:".length)]] : [],
      ),
    );
  }

  async failures(): Promise<readonly EpisodeFailure[]> {
    const rows = await this.#redis.lrange(this.#keys.failures, 0, -1);
    return rows.flatMap((row) => {
      const failure = episodeFailureSchema.safeParse(jsonOf(row));
      return failure.success ? [failure.data] : [];
    });
  }

  async counts(): Promise<RunCounts> {
    const keys = this.#keys;
    // One transaction, so that the numbers fit each other.
    const [counts, outstanding] = await transaction<[Record<string, string>, number]>(
      this.#redis.multi().hgetall(keys.counts).hlen(keys.outstanding),
    );
    const count = (name: string): number => Number(counts[name] ?? 0);
    return {
      groups: {
        dispatched: count("groupsDispatched"),
        outstanding,
        trained: count("groupsTrained"),
        failed: count("groupsFailed"),
      },
      episodes: {
        dispatched: count("episodesDispatched"),
        trained: count("episodesTrained"),
        failed: count("episodesFailed"),
        dropped: count("episodesDropped"),
      },
      queuedBytes: count("queuedBytes"),
    };
  }
}

function episodeState(reply: unknown): EpisodeState | undefined {
  return reply === "open" || reply === "sampled" || reply === "ended" ? reply : undefined;
}

/** The same memory under the type that ioredis sends as bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
