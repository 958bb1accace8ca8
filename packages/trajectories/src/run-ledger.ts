/** Job: the account of a run's groups. Says for each group id whether it is outstanding, trained or failed.
 *  Not its job: carrying anything; the account stays right whatever happens to jobs and payloads.
 *
 *  L1 (T1). Every dispatched group is in exactly one of outstanding, trained and failed; it leaves outstanding once.
 *  L2 (T1). episodes dispatched = trained + failed + dropped + those of outstanding groups.
 *  L3.      At most `maxOutstandingGroups` groups are outstanding.
 *  L4.      Only the newest consumer (highest epoch) settles groups; an older one is told that it is fenced off.
 *
 *  Each change is one Lua script: a client that dies leaves it done or not done, and a resent one changes nothing. */
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import type { RunKeys } from "./run-keys.js";
import { runScript, script } from "./script.js";

export type GroupState = "outstanding" | "trained" | "failed";
/** What a claim found: `claimed` may be put on the queues; `full` has to wait. */
export type ClaimResult = GroupState | "claimed" | "full";
export type FailureStage = "rollout" | "reward" | "group";

/** One episode that left its group. */
export interface EpisodeFailure {
  readonly trajectoryId: string;
  readonly groupId: string;
  readonly stage: FailureStage;
  readonly message: string;
}

export interface RunCounts {
  readonly groups: {
    readonly dispatched: number;
    readonly outstanding: number;
    readonly trained: number;
    readonly failed: number;
  };
  readonly episodes: {
    readonly dispatched: number;
    /** Handed to the learner and acknowledged. */
    readonly trained: number;
    /** Their own rollout or reward failed. */
    readonly failed: number;
    /** Good, but their group was failed as a whole. */
    readonly dropped: number;
  };
}

export interface Settlement {
  readonly groupId: string;
  readonly outcome: "trained" | "failed";
  /** Why the group failed: BELOW_MIN_GROUP_SIZE, STALE_POLICY, … */
  readonly reason?: string;
  readonly trainedEpisodes: number;
  readonly droppedEpisodes: number;
  readonly failures: readonly EpisodeFailure[];
  /** Payload keys that are deleted in the same instant. */
  readonly payloadKeys: readonly string[];
}

const keptFailures = 1000;

const claimScript = script(`
local states = {}
for i = 2, #ARGV, 2 do
  local id, size = ARGV[i], ARGV[i + 1]
  local state
  if redis.call("SISMEMBER", KEYS[3], id) == 1 then state = "trained"
  elseif redis.call("HEXISTS", KEYS[4], id) == 1 then state = "failed"
  elseif redis.call("SISMEMBER", KEYS[2], id) == 1 then state = "claimed"
  elseif redis.call("HEXISTS", KEYS[1], id) == 1 then state = "outstanding"
  elseif redis.call("HLEN", KEYS[1]) >= tonumber(ARGV[1]) then state = "full"
  else
    redis.call("HSET", KEYS[1], id, size)
    redis.call("SADD", KEYS[2], id)
    redis.call("HINCRBY", KEYS[5], "groupsDispatched", 1)
    redis.call("HINCRBY", KEYS[5], "episodesDispatched", size)
    state = "claimed"
  end
  states[#states + 1] = state
end
return states`);

const settleScript = script(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return -1 end
local id, outcome = ARGV[2], ARGV[3]
if redis.call("HDEL", KEYS[2], id) == 0 then return 0 end
redis.call("SREM", KEYS[3], id)
if outcome == "trained" then redis.call("SADD", KEYS[4], id) else redis.call("HSET", KEYS[5], id, ARGV[4]) end
redis.call("HINCRBY", KEYS[6], "episodesTrained", ARGV[5])
redis.call("HINCRBY", KEYS[6], "episodesFailed", ARGV[6])
redis.call("HINCRBY", KEYS[6], "episodesDropped", ARGV[7])
for i = 9, #ARGV do redis.call("LPUSH", KEYS[7], ARGV[i]) end
redis.call("LTRIM", KEYS[7], 0, ARGV[8] - 1)
for i = 8, #KEYS do redis.call("UNLINK", KEYS[i]) end
return 1`);

export class RunLedger {
  readonly #redis: Redis;
  readonly #keys: RunKeys;

  constructor(redis: Redis, keys: RunKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Claims groups for dispatch, in order, up to the limit. A claim that was never confirmed can be made again. */
  async claim(
    groups: readonly { readonly groupId: string; readonly groupSize: number }[],
    maxOutstandingGroups: number,
  ): Promise<ClaimResult[]> {
    const keys = this.#keys;
    const states = await runScript(
      this.#redis,
      claimScript,
      [keys.outstanding, keys.dispatching, keys.trained, keys.failed, keys.counts],
      [maxOutstandingGroups, ...groups.flatMap(({ groupId, groupSize }) => [groupId, groupSize])],
    );
    return states as ClaimResult[];
  }

  /** Says that the jobs of claimed groups are on the queues. */
  async confirm(groupIds: readonly string[]): Promise<void> {
    if (groupIds.length > 0) {
      await this.#redis.srem(this.#keys.dispatching, ...groupIds);
    }
  }

  /** Ends a group as trained or failed and deletes its payloads.
   *  @returns whether it was outstanding until now
   *  @throws {PalimpsestError} ALREADY_EXISTS when a newer consumer has taken over */
  async settle(settlement: Settlement, epoch: number): Promise<boolean> {
    const keys = this.#keys;
    const result = await runScript(
      this.#redis,
      settleScript,
      [
        keys.consumerEpoch,
        keys.outstanding,
        keys.dispatching,
        keys.trained,
        keys.failed,
        keys.counts,
        keys.failures,
        ...settlement.payloadKeys,
      ],
      [
        epoch,
        settlement.groupId,
        settlement.outcome,
        settlement.reason ?? "",
        settlement.trainedEpisodes,
        settlement.failures.length,
        settlement.droppedEpisodes,
        keptFailures,
        ...settlement.failures.map((failure) => JSON.stringify(failure)),
      ],
    );
    if (result === -1) {
      throw fencedError(epoch);
    }
    return result === 1;
  }

  async state(groupId: string): Promise<GroupState | undefined> {
    const keys = this.#keys;
    const [outstanding, trained, failed] = await Promise.all([
      this.#redis.hexists(keys.outstanding, groupId),
      this.#redis.sismember(keys.trained, groupId),
      this.#redis.hexists(keys.failed, groupId),
    ]);
    return trained ? "trained" : failed ? "failed" : outstanding ? "outstanding" : undefined;
  }

  /** Ids of the groups that are dispatched and not settled, sorted. */
  async outstanding(): Promise<readonly string[]> {
    return (await this.#redis.hkeys(this.#keys.outstanding)).sort();
  }

  /** Failed groups and why, by id. */
  async failedGroups(): Promise<Readonly<Record<string, string>>> {
    return await this.#redis.hgetall(this.#keys.failed);
  }

  /** The last failed episodes, newest first, at most 1000. */
  async failures(): Promise<readonly EpisodeFailure[]> {
    const rows = await this.#redis.lrange(this.#keys.failures, 0, -1);
    return rows.map((row) => JSON.parse(row) as EpisodeFailure);
  }

  async counts(): Promise<RunCounts> {
    const keys = this.#keys;
    // One transaction, so that the numbers fit each other.
    const replies = await this.#redis
      .multi()
      .hgetall(keys.counts)
      .hlen(keys.outstanding)
      .scard(keys.trained)
      .hlen(keys.failed)
      .exec();
    const [counts, outstanding, trained, failed] = (replies ?? []).map(([error, value]) => {
      if (error) {
        throw error;
      }
      return value;
    }) as [Record<string, string>, number, number, number];
    const count = (name: string): number => Number(counts[name] ?? 0);
    return {
      groups: { dispatched: count("groupsDispatched"), outstanding, trained, failed },
      episodes: {
        dispatched: count("episodesDispatched"),
        trained: count("episodesTrained"),
        failed: count("episodesFailed"),
        dropped: count("episodesDropped"),
      },
    };
  }
}

export function fencedError(epoch: number): PalimpsestError {
  return new PalimpsestError(
    "ALREADY_EXISTS",
    `a newer learner consumes this run; this one (epoch ${epoch}) may not settle groups any more`,
    { details: { epoch: String(epoch) } },
  );
}
