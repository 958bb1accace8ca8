/**
 * Responsibility: the ledger store on Redis, with one Lua script per change and one command or transaction per read.
 * Not responsible for: waiting for room in Redis or for Redis itself; that is the connection's work.
 *
 * Invariants: those of `LedgerStore`.
 */
import type { Logger } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";
import type { EpisodeFailure } from "../base/episode-failure.js";
import { type Epoch, epochText } from "../base/epoch.js";
import type { RunKeys } from "../base/run-keys.js";
import { trajectoryFormat } from "../codec/trajectory-codec.js";
import { runScript } from "../redis/script.js";
import { subscribe } from "../redis/subscribe.js";
import {
  claimScript,
  closeScript,
  completeGroupsScript,
  confirmScript,
  rememberTrainedScript,
  takeOverScript,
  undispatchedScript,
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
  type SampledHead,
  type ScoreResult,
  type Subscription,
} from "./ledger-store.js";
import { RedisAccount } from "./redis-account.js";
import { RedisEpisodes, type RedisEpisodesOptions } from "./redis-episodes.js";

export interface RedisLedgerOptions extends RedisEpisodesOptions {
  readonly logger: Logger;
}

export class RedisLedgerStore implements LedgerStore {
  readonly #redis: Redis;
  readonly #keys: RunKeys;
  readonly #episodes: RedisEpisodes;
  readonly #account: RedisAccount;
  readonly #logger: Logger;

  constructor({ redis, keys, payloadTtlMs, logger }: RedisLedgerOptions) {
    this.#redis = redis;
    this.#keys = keys;
    this.#episodes = new RedisEpisodes({ redis, keys, payloadTtlMs });
    this.#account = new RedisAccount(redis, keys);
    this.#logger = logger;
  }

  async claim(claims: readonly Claim[], limits: LedgerLimits): Promise<ClaimResult[]> {
    const { outstanding, dispatching, closed, counts, format, group } = this.#keys;
    const states = await runScript(
      this.#redis,
      claimScript,
      [outstanding, dispatching, closed, counts, format, ...claims.map(({ groupId }) => group(groupId))],
      [
        limits.maxOutstandingGroups,
        limits.maxQueuedBytes,
        trajectoryFormat,
        ...claims.flatMap(({ groupId, groupSize, spec, taskBytes }) => [groupId, groupSize, spec, taskBytes]),
      ],
    );
    return states as ClaimResult[];
  }

  async confirm(groupIds: readonly string[]): Promise<readonly string[]> {
    const { dispatching, closed, group, task } = this.#keys;
    const keys = groupIds.flatMap((groupId) => [group(groupId), task(groupId)]);
    return (await runScript(
      this.#redis,
      confirmScript,
      [dispatching, closed, ...keys],
      groupIds,
    )) as string[];
  }

  async undispatched(groupIds: readonly string[]): Promise<readonly string[]> {
    const { dispatching, closed, group } = this.#keys;
    const keys = [dispatching, closed, ...groupIds.map((groupId) => group(groupId))];
    return (await runScript(this.#redis, undispatchedScript, keys, groupIds)) as string[];
  }

  async putTask(groupId: string, bytes: Uint8Array): Promise<boolean> {
    return await this.#episodes.putTask(groupId, bytes);
  }

  async task(groupId: string): Promise<Uint8Array | undefined> {
    return await this.#episodes.task(groupId);
  }

  async episode(groupId: string, episodeIndex: number): Promise<EpisodeState | undefined> {
    return await this.#episodes.episode(groupId, episodeIndex);
  }

  async putTrajectory(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    headBytes?: number,
  ): Promise<EpisodeState | undefined> {
    return await this.#episodes.putTrajectory(groupId, episodeIndex, bytes, headBytes);
  }

  async trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined> {
    return await this.#episodes.trajectory(groupId, episodeIndex);
  }

  async sampledHead(groupId: string, episodeIndex: number): Promise<SampledHead> {
    return await this.#episodes.sampledHead(groupId, episodeIndex);
  }

  async putScore(
    groupId: string,
    episodeIndex: number,
    bytes: Uint8Array,
    trajectoryToken: string,
  ): Promise<ScoreResult> {
    return await this.#episodes.putScore(groupId, episodeIndex, bytes, trajectoryToken);
  }

  async putFailure(
    groupId: string,
    episodeIndex: number,
    failure: string,
  ): Promise<EpisodeState | undefined> {
    return await this.#episodes.putFailure(groupId, episodeIndex, failure);
  }

  async takeOver(token: string): Promise<Epoch> {
    const number = await runScript(this.#redis, takeOverScript, [this.#keys.consumerEpoch], [token]);
    return { number: Number(number), token };
  }

  async completeGroups(epoch: Epoch, cursor: number): Promise<CompleteGroups | undefined> {
    const { consumerEpoch, complete } = this.#keys;
    const rows = await runScript(
      this.#redis,
      completeGroupsScript,
      [consumerEpoch, complete],
      [epochText(epoch), cursor],
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

  async onCompletion(listener: () => void, onReconnect: () => void): Promise<Subscription> {
    return await subscribe(this.#redis, this.#keys.completions, this.#logger, {
      onMessage: listener,
      onReady: onReconnect,
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

  async close(closing: Closing, epoch: Epoch): Promise<CloseResult> {
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
        epochText(epoch),
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

  async rememberTrained(groupIds: readonly string[], epoch: Epoch): Promise<"remembered" | "fenced"> {
    const { consumerEpoch, outstanding, closed, closedOrder } = this.#keys;
    const result = await runScript(
      this.#redis,
      rememberTrainedScript,
      [consumerEpoch, outstanding, closed, closedOrder],
      [epochText(epoch), keptClosedGroups, ...groupIds],
    );
    return result === -1 ? "fenced" : "remembered";
  }

  async states(groupIds: readonly string[]): Promise<(GroupState | undefined)[]> {
    return await this.#account.states(groupIds);
  }

  async outstanding(): Promise<readonly string[]> {
    return await this.#account.outstanding();
  }

  async failedGroups(): Promise<Readonly<Record<string, string>>> {
    return await this.#account.failedGroups();
  }

  async failures(): Promise<readonly EpisodeFailure[]> {
    return await this.#account.failures();
  }

  async counts(): Promise<RunCounts> {
    return await this.#account.counts();
  }
}
