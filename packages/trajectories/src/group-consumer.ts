/** Job: hands finished groups to the one learner of a run and holds them until it acknowledges them.
 *  Not its job: training; deciding what to do about dropped groups.
 *
 *  C1 (T1). A group is returned again after a restart until it is acknowledged, and never after that.
 *  C2 (T1). A group in `alreadyConsumed` counts as trained and is not returned.
 *  C3 (T2). A group with a trajectory more than `maxStaleness` versions old is failed as STALE_POLICY.
 *  C4 (T4). Failed episodes are left out; a group with fewer than `minGroupSize` members is failed whole.
 *  C5 (T6). A batch is sorted by group id and its members by episode index, in whatever order they finished. */
import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { type AssembledGroup, assembleGroup, type DropReason, dropReason } from "./group-assembly.js";
import { GroupOwnership, ownershipLockMs } from "./group-ownership.js";
import { type GroupSpec, groupSpecSchema, parseSpec } from "./group-spec.js";
import type { PayloadStore } from "./payload-store.js";
import type { QueueSettings } from "./queue-settings.js";
import type { RunKeys } from "./run-keys.js";
import { type EpisodeFailure, fencedError, type RunLedger } from "./run-ledger.js";
import type { Group } from "./trajectory.js";

export interface GroupConsumerOptions {
  /** Members that a group needs to be trained. Default 2: one member has no advantage over itself. */
  readonly minGroupSize?: number;
  /** Policy versions that a trajectory may lie behind `policyVersion` of the request. Default: any number. */
  readonly maxStaleness?: number;
  /** Group ids that the restored checkpoint was trained on. */
  readonly alreadyConsumed?: Iterable<string>;
}

export interface NextGroupsRequest {
  /** Settled groups to wait for, good and dropped ones together. */
  readonly count: number;
  /** Only groups of this training step; others are kept for later. Absent: any. */
  readonly step?: number;
  /** Version of the learner's weights, for staleness. */
  readonly policyVersion?: number;
  readonly signal?: AbortSignal;
}

export interface DroppedGroup {
  readonly groupId: string;
  readonly taskId: string;
  readonly step: number;
  readonly reason: DropReason;
}

export interface GroupBatch {
  /** To train and then acknowledge. */
  readonly groups: readonly Group[];
  /** Failed whole and already counted; nothing to acknowledge. */
  readonly dropped: readonly DroppedGroup[];
  /** Every episode that left a group of this batch. */
  readonly failures: readonly EpisodeFailure[];
}

export interface GroupConsumerDeps {
  readonly redis: Redis;
  readonly keys: RunKeys;
  readonly ledger: RunLedger;
  readonly payloads: PayloadStore;
  readonly settings: QueueSettings;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
}

interface Held {
  readonly job: Job;
  readonly spec: GroupSpec;
  assembled?: AssembledGroup;
  dropped?: DropReason;
  delivered: boolean;
}

const settleConcurrency = 32;

export class GroupConsumer {
  readonly #deps: GroupConsumerDeps;
  readonly #minGroupSize: number;
  readonly #maxStaleness: number | undefined;
  readonly #ownership: GroupOwnership;
  readonly #worker: Worker;
  readonly #held = new Map<string, Held>();
  readonly #events = new EventEmitter();
  readonly #stopping = new AbortController();
  #changes = 0;
  #failure: unknown;
  #fetching: Promise<void> = Promise.resolve();
  #requestRunning = false;
  #closing: Promise<void> | undefined;

  private constructor(options: GroupConsumerOptions, deps: GroupConsumerDeps, ownership: GroupOwnership) {
    this.#deps = deps;
    this.#minGroupSize = Math.max(1, options.minGroupSize ?? 2);
    this.#maxStaleness = options.maxStaleness;
    this.#ownership = ownership;
    this.#worker = new Worker("groups", null, {
      connection: deps.redis,
      prefix: deps.keys.prefix,
      autorun: false,
      lockDuration: ownershipLockMs,
      skipStalledCheck: true,
    });
    this.#worker.on("error", (error) => {
      if (!this.#stopping.signal.aborted) {
        deps.logger.warn({ err: error }, "group consumer error");
      }
    });
  }

  /** Becomes the run's learner: an earlier one is fenced off and its groups are taken over at once. */
  static async open(options: GroupConsumerOptions, deps: GroupConsumerDeps): Promise<GroupConsumer> {
    const ownership = await GroupOwnership.take(deps.redis, deps.keys);
    const consumer = new GroupConsumer(options, deps, ownership);
    await consumer.#worker.waitUntilReady();
    await consumer.#settleConsumed(options.alreadyConsumed ?? []);
    await consumer.reclaim();
    consumer.#fetching = consumer.#fetch();
    return consumer;
  }

  /** Rises with every learner that opens the run. */
  get epoch(): number {
    return this.#ownership.epoch;
  }

  /** Group ids that were returned and not yet acknowledged or released. */
  get delivered(): readonly string[] {
    return [...this.#held].filter(([, held]) => held.delivered).map(([groupId]) => groupId);
  }

  /** Waits until `count` groups are settled: complete or dropped.
   *  @throws {PalimpsestError} CANCELLED (signal, close); ALREADY_EXISTS when a newer learner has taken over */
  async nextGroups(request: NextGroupsRequest): Promise<GroupBatch> {
    if (this.#requestRunning) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        "nextGroups is already waiting; ask again when it is done",
      );
    }
    this.#requestRunning = true;
    try {
      return await this.#waitForBatch(request);
    } finally {
      this.#requestRunning = false;
    }
  }

  async #waitForBatch(request: NextGroupsRequest): Promise<GroupBatch> {
    for (;;) {
      this.#throwIfStopped(request.signal);
      const seen = this.#changes;
      const batch: Held[] = [];
      for (const held of this.#candidates(request.step)) {
        await this.#judge(held, request.policyVersion);
        batch.push(held);
        if (batch.length === request.count) {
          return this.#deliver(batch);
        }
      }
      if (request.count <= 0) {
        return { groups: [], dropped: [], failures: [] };
      }
      if (seen === this.#changes) {
        await this.#waitForChange(request.signal);
      }
    }
  }

  #candidates(step: number | undefined): Held[] {
    return [...this.#held.values()]
      .filter((held) => !held.delivered && (step === undefined || held.spec.step === step))
      .sort((a, b) => (a.spec.groupId < b.spec.groupId ? -1 : 1));
  }

  /** Loads a group and fails it when it may not be trained. */
  async #judge(held: Held, policyVersion: number | undefined): Promise<void> {
    if (held.dropped !== undefined) {
      return;
    }
    const assembled = held.assembled ?? (await this.#assemble(held));
    held.assembled = assembled;
    const reason = dropReason(assembled.group, {
      minGroupSize: this.#minGroupSize,
      ...(policyVersion === undefined ? {} : { policyVersion }),
      ...(this.#maxStaleness === undefined ? {} : { maxStaleness: this.#maxStaleness }),
    });
    if (reason === undefined) {
      return;
    }
    await this.#settle(held.spec, "failed", assembled, reason);
    held.dropped = reason;
    await this.#finish(held.job);
    this.#deps.metrics?.counter("palimpsest_queue_groups_failed_total").inc({ reason });
    this.#deps.logger.warn(
      { groupId: held.spec.groupId, reason, failures: assembled.failures },
      "group dropped",
    );
  }

  async #assemble(held: Held): Promise<AssembledGroup> {
    const [payloads, errors] = await Promise.all([
      this.#deps.payloads.group(held.spec),
      held.job.getIgnoredChildrenFailures(),
    ]);
    const byTrajectory = new Map(
      Object.entries(errors).map(([jobKey, message]) => [jobKey.slice(jobKey.lastIndexOf(":") + 1), message]),
    );
    return assembleGroup(held.spec, payloads, byTrajectory);
  }

  #deliver(batch: readonly Held[]): GroupBatch {
    const groups: Group[] = [];
    const dropped: DroppedGroup[] = [];
    const failures: EpisodeFailure[] = [];
    for (const held of batch) {
      failures.push(...(held.assembled?.failures ?? []));
      if (held.dropped !== undefined) {
        const { groupId, taskId, step } = held.spec;
        dropped.push({ groupId, taskId, step, reason: held.dropped });
        this.#held.delete(groupId);
      } else if (held.assembled !== undefined) {
        held.delivered = true;
        groups.push(held.assembled.group);
      }
    }
    return { groups, dropped, failures };
  }

  /** Says that a durable checkpoint holds what these groups taught. Deletes their payloads.
   *  Acknowledging again is a no-op.
   *  @throws {PalimpsestError} ALREADY_EXISTS when a newer learner has taken over; INVALID_ARGUMENT for a group
   *          that is neither held nor trained */
  async acknowledge(groupIds: readonly string[]): Promise<void> {
    for (let start = 0; start < groupIds.length; start += settleConcurrency) {
      await Promise.all(
        groupIds.slice(start, start + settleConcurrency).map((groupId) => this.#acknowledge(groupId)),
      );
    }
  }

  async #acknowledge(groupId: string): Promise<void> {
    const held = this.#held.get(groupId);
    if (held?.assembled === undefined || !held.delivered) {
      const state = await this.#deps.ledger.state(groupId);
      if (state === "trained") {
        return;
      }
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `group ${groupId} is ${state ?? "unknown"} and not held; only groups from nextGroups can be acknowledged`,
      );
    }
    if (await this.#settle(held.spec, "trained", held.assembled)) {
      this.#deps.metrics?.counter("palimpsest_queue_groups_trained_total").inc();
    }
    this.#held.delete(groupId);
    await this.#finish(held.job);
  }

  /** Gives returned groups back without training them: nextGroups may return them again. */
  release(groupIds: readonly string[]): void {
    for (const groupId of groupIds) {
      const held = this.#held.get(groupId);
      if (held !== undefined) {
        held.delivered = false;
      }
    }
    this.#changed();
  }

  /** Takes over the groups that an earlier learner held. Done by open and while waiting; safe at any time.
   *  @returns their ids */
  async reclaim(): Promise<readonly string[]> {
    const groupIds = await this.#ownership.adopt();
    const jobs = await Promise.all(groupIds.map((groupId) => Job.fromId(this.#worker, groupId)));
    for (const job of jobs) {
      if (job !== undefined) {
        await this.#hold(job);
      }
    }
    return groupIds;
  }

  /** Counts the groups of the checkpoint as trained, before anyone asks for more (C2). */
  async #settleConsumed(groupIds: Iterable<string>): Promise<void> {
    const consumed = new Set(groupIds);
    for (const groupId of await this.#deps.ledger.outstanding()) {
      const job = consumed.has(groupId) ? await Job.fromId(this.#worker, groupId) : undefined;
      if (job !== undefined) {
        const held: Held = { job, spec: parseSpec(groupSpecSchema, job.data), delivered: true };
        await this.#settle(held.spec, "trained", await this.#assemble(held));
      }
    }
  }

  async #fetch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const job = await this.#worker.getNextJob(this.#ownership.token);
        if (job !== undefined) {
          await this.#hold(job);
        }
      } catch (error) {
        if (this.#stopping.signal.aborted) {
          return;
        }
        if (error instanceof PalimpsestError && error.code === "ALREADY_EXISTS") {
          this.#failure = error;
          this.#changed();
          return;
        }
        this.#deps.logger.warn({ err: error }, "cannot fetch groups, trying again");
        await sleep(this.#deps.settings.retryDelayMs, undefined, { signal: this.#stopping.signal }).catch(
          () => {},
        );
      }
    }
  }

  async #hold(job: Job): Promise<void> {
    const spec = parseSpec(groupSpecSchema, job.data);
    await this.#ownership.assertOwner();
    // Settled before, by a learner that ended before it could finish the job (C1, C2).
    if ((await this.#deps.ledger.state(spec.groupId)) !== "outstanding") {
      await this.#finish(job);
      return;
    }
    if (!this.#held.has(spec.groupId)) {
      this.#held.set(spec.groupId, { job, spec, delivered: false });
      this.#changed();
    }
  }

  async #settle(
    spec: GroupSpec,
    outcome: "trained" | "failed",
    { group, failures }: AssembledGroup,
    reason?: DropReason,
  ): Promise<boolean> {
    const settled = await this.#deps.ledger.settle(
      {
        groupId: spec.groupId,
        outcome,
        ...(reason === undefined ? {} : { reason }),
        trainedEpisodes: outcome === "trained" ? group.members.length : 0,
        droppedEpisodes: outcome === "failed" ? group.members.length : 0,
        failures,
        payloadKeys: this.#deps.payloads.keysOf(spec),
      },
      this.#ownership.epoch,
    );
    if (settled) {
      for (const { stage } of failures) {
        this.#deps.metrics?.counter("palimpsest_queue_episodes_failed_total").inc({ stage });
      }
    }
    return settled;
  }

  /** Ends the BullMQ job of a settled group. The ledger has the truth; a job that cannot be ended is only noise. */
  async #finish(job: Job): Promise<void> {
    try {
      await this.#ownership.renew(job.id ?? "");
      await job.moveToCompleted(null, this.#ownership.token, false);
    } catch (error) {
      this.#deps.logger.warn({ err: error, groupId: job.id }, "settled group's job is already gone");
    }
  }

  #changed(): void {
    this.#changes += 1;
    this.#events.emit("change");
  }

  async #waitForChange(signal: AbortSignal | undefined): Promise<void> {
    const timedOut = await new Promise<boolean>((resolve) => {
      const settle = (late: boolean): void => {
        clearTimeout(timer);
        this.#events.off("change", onChange);
        signal?.removeEventListener("abort", onChange);
        resolve(late);
      };
      const onChange = (): void => settle(false);
      // A learner that is fenced off may have taken a group in its last moment: look now and then.
      const timer = setTimeout(() => settle(true), this.#deps.settings.stalledIntervalMs);
      this.#events.on("change", onChange);
      signal?.addEventListener("abort", onChange);
    });
    if (timedOut) {
      await this.reclaim();
    }
  }

  #throwIfStopped(signal: AbortSignal | undefined): void {
    if (this.#failure !== undefined) {
      throw fencedError(this.epoch);
    }
    const stopped = [signal, this.#stopping.signal].find((candidate) => candidate?.aborted);
    if (stopped !== undefined) {
      throw new PalimpsestError("CANCELLED", "waiting for groups was cancelled", { cause: stopped.reason });
    }
  }

  /** Puts every unacknowledged group back on the queue, for the next learner. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopping.abort(new Error("group consumer closed"));
    this.#changed();
    await this.#worker.close(true);
    await this.#fetching;
    for (const held of this.#held.values()) {
      if (held.dropped === undefined) {
        await held.job.moveToWait(this.#ownership.token).catch((error) => {
          this.#deps.logger.debug({ err: error, groupId: held.spec.groupId }, "group stays active");
        });
      }
    }
    this.#held.clear();
  }
}
