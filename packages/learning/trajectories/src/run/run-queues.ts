/**
 * Responsibility: the queues of one run in one process: dispatch, rollouts, rewards, groups, announcements, accounting.
 * Not responsible for: knowing what an agent, a reward or an update is.
 *
 * Invariants:
 * T1. Every dispatched episode reaches the learner exactly once: as a trajectory or as a counted failure.
 * T2. No batch contains a trajectory that is more than maxStaleness policy versions old.
 * T3. Token ids pass through as bytes; no text is involved.
 * T4. A failed reward or rollout is not a zero reward: the episode leaves its group and is counted.
 * The files of its parts say how: ledger-store, payload-store, group-producer, job-consumer, group-consumer.
 */

import { type Clock, systemClock } from "@palimpsest/std";
import { parseInput } from "@palimpsest/std/input";
import { createLogger, type Logger, type Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import type { GroupRequest } from "../base/group-spec.js";
import { type QueueSettings, type QueueSettingsInput, queueSettingsSchema } from "../base/queue-settings.js";
import { type ClusterKeys, clusterKeys, type RunKeys, runKeys } from "../base/run-keys.js";
import { trajectoryFormat } from "../codec/trajectory-codec.js";
import type { GroupConsumerOptions } from "../groups/group-batch.js";
import { GroupConsumer } from "../groups/group-consumer.js";
import { type DispatchOptions, type DispatchOutcome, GroupProducer } from "../groups/group-producer.js";
import { BullEpisodeJobs } from "../jobs/episode-jobs.js";
import { type CloseOptions, JobConsumer } from "../jobs/job-consumer.js";
import type { JobWork } from "../jobs/job-work.js";
import { connectRedis } from "../redis/connection.js";
import { withRedis } from "../redis/redis-away.js";
import { RedisRoom } from "../redis/redis-room.js";
import { transaction } from "../redis/transaction.js";
import type { LedgerStore, RunCounts } from "../store/ledger-store.js";
import { PayloadStore } from "../store/payload-store.js";
import { RedisLedgerStore } from "../store/redis-ledger-store.js";
import { type RewardOptions, rewardWork } from "../work/reward-work.js";
import { type RolloutOptions, rolloutWork } from "../work/rollout-work.js";
import {
  WeightAnnouncements,
  type WeightsListener,
  type WeightsSubscription,
} from "./weight-announcements.js";

/** Which run, in which Redis. */
export interface RunQueuesOptions {
  /** Redis URL in the form that ioredis takes. */
  readonly redisUrl: string;
  /** Letters, digits, ".", "_" and "-". Runs never share a queue. */
  readonly runId: string;
  /** Id of the head's cluster, whose queue depths are those of its runs. Absent for a program without a cluster. */
  readonly clusterId?: string;
  readonly settings?: QueueSettingsInput;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

/** What remains of a run whose queues were deleted. */
export interface RunSummary {
  readonly runId: string;
  readonly endedAtMs: number;
  readonly counts: RunCounts;
}

const keysPerScan = 1000;
// A retired run expires after one hour, so that people can look at it after its end.
const keptAfterEndMs = 3_600_000;

/** Everything that a run keeps in Redis: queues, ledger, payloads, announcements. */
export class RunQueues {
  readonly runId: string;
  readonly settings: QueueSettings;
  /** The ledger of the run. */
  readonly ledger: LedgerStore;
  readonly #redis: Redis;
  readonly #keys: RunKeys;
  readonly #clusterKeys: ClusterKeys;
  readonly #logger: Logger;
  readonly #metrics: Metrics | undefined;
  readonly #clock: Clock;
  readonly #room: RedisRoom;
  readonly #payloads: PayloadStore;
  readonly #jobs: BullEpisodeJobs;
  readonly #weights: WeightAnnouncements;
  readonly #consumers = new Set<{ close(options?: CloseOptions): Promise<void> }>();
  readonly #producer: GroupProducer;
  #closing: Promise<void> | undefined;

  private constructor(options: RunQueuesOptions, settings: QueueSettings, redis: Redis, logger: Logger) {
    this.runId = options.runId;
    this.settings = settings;
    this.#redis = redis;
    this.#keys = runKeys(options.runId);
    this.#clusterKeys = clusterKeys(options.clusterId ?? "");
    this.#logger = logger;
    this.#metrics = options.metrics;
    this.#clock = options.clock ?? systemClock;
    this.ledger = new RedisLedgerStore({
      redis,
      keys: this.#keys,
      payloadTtlMs: settings.payloadTtlMs,
      logger,
    });
    this.#room = new RedisRoom({ redis, logger, clock: this.#clock });
    this.#payloads = new PayloadStore({ store: this.ledger, room: this.#room, settings });
    this.#jobs = new BullEpisodeJobs({ redis, keys: this.#keys, settings });
    this.#weights = new WeightAnnouncements(redis, this.#keys, logger);
    this.#producer = new GroupProducer({
      ...this.#deps(),
      jobs: this.#jobs,
      room: this.#room,
      listRun: async () => {
        await redis.sadd(this.#clusterKeys.runs, options.runId);
      },
    });
  }

  /**
   * Connects. Every process of a run opens its own RunQueues.
   * @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED, CONFIG_INVALID (settings, or a Redis that evicts keys),
   *   INVALID_ARGUMENT (run id), CODEC (another version wrote the run)
   */
  static async open(options: RunQueuesOptions): Promise<RunQueues> {
    const keys = runKeys(options.runId);
    const settings = parseInput(
      queueSettingsSchema,
      options.settings ?? {},
      (problem) => new PalimpsestError("CONFIG_INVALID", `queue settings: ${problem}`),
    );
    const logger = options.logger ?? createLogger({ component: "queues", level: "silent" });
    const redis = await connectRedis(options.redisUrl, { logger, silenceMs: settings.redisSilenceMs });
    try {
      await withRedis(() => checkFormat(redis, keys, options.runId));
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    return new RunQueues(options, settings, redis, logger);
  }

  /** Dispatches groups in order, many per round trip. See GroupProducer.dispatch. */
  async dispatchGroups(
    requests: readonly GroupRequest[],
    options?: DispatchOptions,
  ): Promise<readonly DispatchOutcome[]> {
    return await this.#producer.dispatch(requests, options);
  }

  /** Takes rollouts until it is closed. @throws {PalimpsestError} UNAVAILABLE when Redis is away */
  async consumeRollouts(options: RolloutOptions): Promise<JobConsumer> {
    const work = rolloutWork(options.run, { ...this.#deps(), jobs: this.#jobs });
    return await this.#consume(work, options.concurrency);
  }

  /** Takes rewards until it is closed. @throws {PalimpsestError} UNAVAILABLE when Redis is away */
  async consumeRewards(options: RewardOptions): Promise<JobConsumer> {
    return await this.#consume(rewardWork(options, this.#deps()), options.concurrency);
  }

  async #consume(work: JobWork, concurrency: number): Promise<JobConsumer> {
    const isRollout = work.kind === "rollout";
    const options = {
      ...this.#deps(),
      redis: this.#redis,
      keys: this.#keys,
      work,
      queueName: isRollout ? "rollouts" : "rewards",
      concurrency,
      timeoutMs: isRollout ? this.settings.rolloutTimeoutMs : this.settings.rewardTimeoutMs,
    } as const;
    return this.#keep(await withRedis(() => JobConsumer.start(options)));
  }

  /**
   * Becomes the run's one learner. An earlier learner is fenced. @throws {PalimpsestError} UNAVAILABLE when Redis is
   * away
   */
  async consumeGroups(options: GroupConsumerOptions = {}): Promise<GroupConsumer> {
    return this.#keep(
      await withRedis(() => GroupConsumer.open(options, { ...this.#deps(), jobs: this.#jobs })),
    );
  }

  async announceWeights(manifest: Uint8Array): Promise<void> {
    await withRedis(() => this.#weights.announce(manifest));
  }

  /** Says what is stored of weights that will be announced, so that others may fetch it already. */
  async foretellWeights(manifest: Uint8Array): Promise<void> {
    await withRedis(() => this.#weights.foretell(manifest));
  }

  async currentWeights(): Promise<Uint8Array | undefined> {
    return await withRedis(() => this.#weights.current());
  }

  /** Calls the listener with the current manifest, if there is one, and with each later one. */
  async onWeights(listener: WeightsListener): Promise<WeightsSubscription> {
    return this.#keep(await withRedis(() => this.#weights.listen(listener)));
  }

  /** Calls the listener with what is foretold from now on; it must not throw. */
  async onComingWeights(listener: WeightsListener): Promise<WeightsSubscription> {
    return this.#keep(await withRedis(() => this.#weights.listenAhead(listener)));
  }

  /** Deletes the queues, payloads and ledger of this run and keeps a summary. Use it for a run that has ended. */
  async obliterate(): Promise<RunSummary> {
    const summary: RunSummary = {
      runId: this.runId,
      endedAtMs: Date.now(),
      counts: await this.ledger.counts(),
    };
    await this.#redis.hset(this.#clusterKeys.runSummaries, this.runId, JSON.stringify(summary));
    await this.#redis.srem(this.#clusterKeys.runs, this.runId);
    await this.#jobs.obliterate();
    await this.#eachKey(async (keys) => {
      await this.#redis.unlink(...keys);
    });
    return summary;
  }

  /**
   * Retires a run that has ended successfully: it is no longer listed, its jobs are deleted, and the rest expires after
   * `keepMs`.
   */
  async retire(keepMs = keptAfterEndMs): Promise<void> {
    await this.#redis.srem(this.#clusterKeys.runs, this.runId);
    await this.#jobs.obliterate();
    await this.#eachKey(async (keys) => {
      const pipeline = this.#redis.pipeline();
      for (const key of keys) pipeline.pexpire(key, keepMs);
      await pipeline.exec();
    });
  }

  /** Calls back with every key of the run except BullMQ's. */
  async #eachKey(work: (keys: readonly string[]) => Promise<void>): Promise<void> {
    const stream = this.#redis.scanStream({ match: `${this.#keys.prefix}:*`, count: keysPerScan });
    for await (const found of stream) {
      const own = (found as string[]).filter((key) => !key.startsWith(`${this.#keys.bullmq}:`));
      if (own.length > 0) {
        await work(own);
      }
    }
  }

  /** Closes the consumers that were opened here, gives their jobs back and disconnects. */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    await Promise.allSettled([...this.#consumers].map((consumer) => consumer.close(options)));
    // While Redis is away this waits for it; disconnecting ends the wait.
    const jobs = this.#jobs.close();
    this.#redis.disconnect();
    await jobs.catch(() => undefined);
  }

  #deps() {
    return {
      store: this.ledger,
      payloads: this.#payloads,
      settings: this.settings,
      logger: this.#logger,
      metrics: this.#metrics,
      clock: this.#clock,
    };
  }

  #keep<C extends { close(options?: CloseOptions): Promise<void> }>(consumer: C): C {
    this.#consumers.add(consumer);
    return consumer;
  }
}

/**
 * Refuses a run whose trajectories this program cannot read before anything takes its jobs, because each of its
 * episodes would become a failure. Runs of format 1 have no format number in Redis.
 * @throws {PalimpsestError} CODEC naming the run and both formats
 */
async function checkFormat(redis: Redis, keys: RunKeys, runId: string): Promise<void> {
  const [exists, stored] = await transaction<[number, string | null]>(() =>
    redis.multi().exists(keys.counts).get(keys.format),
  );
  const format = stored ?? (exists === 1 ? "1" : String(trajectoryFormat));
  if (format !== String(trajectoryFormat)) {
    throw new PalimpsestError(
      "CODEC",
      `run ${runId} is in Redis with trajectories of format ${format}, and this program reads format ${trajectoryFormat}; ` +
        "end the run with the version that started it, or start a run under a new id from its checkpoint",
    );
  }
}
