/** Job: the queues of one run in one process: dispatch, rollouts, rewards, groups, announcements, the account.
 *  Not its job: knowing what an agent, a reward or an update is.
 *
 *  T1. Every dispatched episode reaches the learner exactly once: as a trajectory or as a counted failure.
 *  T2. No batch holds a trajectory older than maxStaleness policy versions.
 *  T3. Token ids go through as bytes; no text is involved.
 *  T4. A failed reward or rollout is not a zero reward: it leaves the group and is counted.
 *
 *  The parts say how: run-ledger, payload-store, group-producer, job-consumer, group-consumer. */
import { createLogger, type Logger, type Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { z } from "zod";
import { connectRedis } from "./connection.js";
import { GroupConsumer, type GroupConsumerOptions } from "./group-consumer.js";
import { type DispatchOptions, type DispatchOutcome, GroupProducer } from "./group-producer.js";
import type { GroupRequest } from "./group-spec.js";
import type { CloseOptions, JobConsumer } from "./job-consumer.js";
import { ObjectHolders } from "./object-holders.js";
import { PayloadStore } from "./payload-store.js";
import { type QueueSettings, type QueueSettingsInput, queueSettingsSchema } from "./queue-settings.js";
import { type RewardOptions, startRewardConsumer } from "./reward-consumer.js";
import { type RolloutOptions, startRolloutConsumer } from "./rollout-consumer.js";
import { queueNames, type RunKeys, runKeys, runSummariesKey, runsKey } from "./run-keys.js";
import { type RunCounts, RunLedger } from "./run-ledger.js";
import {
  WeightAnnouncements,
  type WeightsListener,
  type WeightsSubscription,
} from "./weight-announcements.js";

export interface RunQueuesOptions {
  /** ioredis URL. */
  readonly redisUrl: string;
  /** Letters, digits, ".", "_" and "-". Runs never share a queue. */
  readonly runId: string;
  readonly settings?: QueueSettingsInput;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** What stays of a run whose queues were deleted. */
export interface RunSummary {
  readonly runId: string;
  readonly endedAtMs: number;
  readonly counts: RunCounts;
}

// BullMQ's event streams are not read by anyone here.
const keptEvents = 100;
const keysPerScan = 1000;
// Long enough for a person who looks after the end.
const keptAfterEndMs = 3_600_000;

export class RunQueues {
  readonly runId: string;
  readonly settings: QueueSettings;
  /** The account of the run. */
  readonly ledger: RunLedger;
  /** Object stores that hold what lasts as long as the run. */
  readonly objectHolders: ObjectHolders;
  readonly #redis: Redis;
  readonly #keys: RunKeys;
  readonly #logger: Logger;
  readonly #metrics: Metrics | undefined;
  readonly #payloads: PayloadStore;
  readonly #weights: WeightAnnouncements;
  readonly #consumers = new Set<{ close(options?: CloseOptions): Promise<void> }>();
  #producer: GroupProducer | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: RunQueuesOptions, settings: QueueSettings, redis: Redis, logger: Logger) {
    this.runId = options.runId;
    this.settings = settings;
    this.#redis = redis;
    this.#keys = runKeys(options.runId);
    this.#logger = logger;
    this.#metrics = options.metrics;
    this.ledger = new RunLedger(redis, this.#keys);
    this.objectHolders = new ObjectHolders(redis, this.#keys);
    this.#payloads = new PayloadStore(redis, this.#keys, this.settings.payloadTtlMs);
    this.#weights = new WeightAnnouncements(redis, this.#keys, logger);
  }

  /** Connects. Every process of a run opens its own.
   *  @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED, CONFIG_INVALID (settings, or a Redis that evicts keys),
   *          INVALID_ARGUMENT (run id) */
  static async open(options: RunQueuesOptions): Promise<RunQueues> {
    const keys = runKeys(options.runId);
    const settings = queueSettingsSchema.safeParse(options.settings ?? {});
    if (!settings.success) {
      throw new PalimpsestError("CONFIG_INVALID", `queue settings: ${z.prettifyError(settings.error)}`);
    }
    const logger = options.logger ?? createLogger({ component: "queues", level: "silent" });
    const redis = await connectRedis(options.redisUrl, { logger });
    for (const name of queueNames) {
      await redis.hset(keys.queue(name, "meta"), "opts.maxLenEvents", keptEvents);
    }
    return new RunQueues(options, settings.data, redis, logger);
  }

  /** Dispatches one group; waits for room first. The same group id again is a no-op that tells its state. */
  async dispatchGroup(request: GroupRequest, options?: DispatchOptions): Promise<DispatchOutcome> {
    const [outcome] = await this.dispatchGroups([request], options);
    return outcome ?? "outstanding";
  }

  /** Dispatches groups in order, many to a round trip. See GroupProducer.dispatch. */
  async dispatchGroups(
    requests: readonly GroupRequest[],
    options?: DispatchOptions,
  ): Promise<readonly DispatchOutcome[]> {
    this.#producer ??= new GroupProducer({ ...this.#deps(), runId: this.runId });
    return await this.#producer.dispatch(requests, options);
  }

  /** Takes rollouts until it is closed. */
  async consumeRollouts(options: RolloutOptions): Promise<JobConsumer> {
    return this.#keep(await startRolloutConsumer(options, this.#deps()));
  }

  /** Takes rewards until it is closed. */
  async consumeRewards(options: RewardOptions): Promise<JobConsumer> {
    return this.#keep(await startRewardConsumer(options, this.#deps()));
  }

  /** Becomes the run's one learner; an earlier one is fenced off. */
  async consumeGroups(options: GroupConsumerOptions = {}): Promise<GroupConsumer> {
    return this.#keep(await GroupConsumer.open(options, this.#deps()));
  }

  async announceWeights(manifest: Uint8Array): Promise<void> {
    await this.#weights.announce(manifest);
  }

  async currentWeights(): Promise<Uint8Array | undefined> {
    return await this.#weights.current();
  }

  /** Calls the listener with the current manifest, if there is one, and with each later one. */
  async onWeights(listener: WeightsListener): Promise<WeightsSubscription> {
    return this.#keep(await this.#weights.listen(listener));
  }

  /** Deletes the queues, payloads and account of this run and keeps a summary. For a run that has ended. */
  async obliterate(): Promise<RunSummary> {
    const summary: RunSummary = {
      runId: this.runId,
      endedAtMs: Date.now(),
      counts: await this.ledger.counts(),
    };
    await this.#redis.hset(runSummariesKey, this.runId, JSON.stringify(summary));
    await this.#redis.srem(runsKey, this.runId);
    const stream = this.#redis.scanStream({ match: `${this.#keys.prefix}:*`, count: keysPerScan });
    for await (const found of stream) {
      const keys = found as string[];
      if (keys.length > 0) {
        await this.#redis.unlink(...keys);
      }
    }
    return summary;
  }

  /** For a run that has ended well: it is no longer listed, and what is left of it goes by itself after `keepMs`. */
  async retire(keepMs = keptAfterEndMs): Promise<void> {
    await this.#redis.srem(runsKey, this.runId);
    const stream = this.#redis.scanStream({ match: `${this.#keys.prefix}:*`, count: keysPerScan });
    for await (const found of stream) {
      const pipeline = this.#redis.pipeline();
      for (const key of found as string[]) pipeline.pexpire(key, keepMs);
      await pipeline.exec();
    }
  }

  /** Closes its consumers, gives their jobs back and disconnects. */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    await Promise.allSettled([...this.#consumers].map((consumer) => consumer.close(options)));
    await this.#producer?.close();
    this.#redis.disconnect();
  }

  #deps() {
    return {
      redis: this.#redis,
      keys: this.#keys,
      ledger: this.ledger,
      payloads: this.#payloads,
      settings: this.settings,
      logger: this.#logger,
      metrics: this.#metrics,
    };
  }

  #keep<C extends { close(options?: CloseOptions): Promise<void> }>(consumer: C): C {
    this.#consumers.add(consumer);
    return consumer;
  }
}
