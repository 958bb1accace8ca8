/**
 * Reads the state of a run's groups and episodes from its ledger on Redis, with one command or transaction per
 * request.
 */
import type { Redis } from "ioredis";
import { type EpisodeFailure, episodeFailureSchema, jsonOf } from "../base/episode-failure.js";
import type { RunKeys } from "../base/run-keys.js";
import { transaction } from "../redis/transaction.js";
import type { GroupState, RunCounts } from "./ledger-store.js";

export class RedisAccount {
  readonly #redis: Redis;
  readonly #keys: RunKeys;

  constructor(redis: Redis, keys: RunKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async states(groupIds: readonly string[]): Promise<(GroupState | undefined)[]> {
    if (groupIds.length === 0) {
      return [];
    }
    const keys = this.#keys;
    const [open, closed] = await transaction<[(string | null)[], (string | null)[]]>(() =>
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
    // One transaction is used so that the numbers are consistent.
    const [counts, outstanding] = await transaction<[Record<string, string>, number]>(() =>
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
