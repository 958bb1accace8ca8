/** Job: hands finished groups to the one learner of a run and holds them until it acknowledges them.
 *  Not its job: training; deciding what to do about dropped groups.
 *
 *  C1 (T1). A group is returned again after a restart until it is acknowledged, and never after that.
 *  C2 (T1). A group in `alreadyConsumed` counts as trained and is not returned.
 *  C3 (T2). A group with a trajectory more than `maxStaleness` versions old is failed as STALE_POLICY.
 *  C4 (T4). Failed episodes are left out; a group with fewer than `minGroupSize` members is failed whole.
 *  C5 (T6). A batch is sorted by group id and its members by episode index, in whatever order they finished. */
import type { Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { type AssembledGroup, assembleGroup, type DropReason, dropReason } from "./group-assembly.js";
import { GroupFeed, type GroupFeedDeps, type HeldGroup } from "./group-feed.js";
import type { GroupSpec } from "./group-spec.js";
import type { PayloadStore } from "./payload-store.js";
import type { EpisodeFailure } from "./run-ledger.js";
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

export interface GroupConsumerDeps extends GroupFeedDeps {
  readonly payloads: PayloadStore;
  readonly metrics: Metrics | undefined;
}

const settleConcurrency = 32;

export class GroupConsumer {
  readonly #deps: GroupConsumerDeps;
  readonly #minGroupSize: number;
  readonly #maxStaleness: number | undefined;
  readonly #feed: GroupFeed;
  #requestRunning = false;
  #closing: Promise<void> | undefined;

  private constructor(options: GroupConsumerOptions, deps: GroupConsumerDeps, feed: GroupFeed) {
    this.#deps = deps;
    this.#minGroupSize = Math.max(1, options.minGroupSize ?? 2);
    this.#maxStaleness = options.maxStaleness;
    this.#feed = feed;
  }

  /** Becomes the run's learner: an earlier one is fenced off and its groups are taken over at once. */
  static async open(options: GroupConsumerOptions, deps: GroupConsumerDeps): Promise<GroupConsumer> {
    const feed = await GroupFeed.open(deps);
    const consumer = new GroupConsumer(options, deps, feed);
    await consumer.#settleConsumed(options.alreadyConsumed ?? []);
    await feed.start();
    return consumer;
  }

  /** Rises with every learner that opens the run. */
  get epoch(): number {
    return this.#feed.epoch;
  }

  /** Group ids that were returned and not yet acknowledged or released. */
  get delivered(): readonly string[] {
    return [...this.#feed.held].filter(([, held]) => held.delivered).map(([groupId]) => groupId);
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
    const batch: HeldGroup[] = [];
    while (batch.length < request.count) {
      this.#feed.throwIfStopped();
      throwIfCancelled(request.signal);
      const seen = this.#feed.changes;
      batch.length = 0;
      for (const held of this.#candidates(request.step).slice(0, request.count)) {
        await this.#judge(held, request.policyVersion);
        batch.push(held);
      }
      if (batch.length < request.count) {
        await this.#feed.waitForChange(seen, request.signal);
      }
    }
    return this.#deliver(batch);
  }

  #candidates(step: number | undefined): HeldGroup[] {
    return [...this.#feed.held.values()]
      .filter((held) => !held.delivered && (step === undefined || held.spec.step === step))
      .sort((a, b) => (a.spec.groupId < b.spec.groupId ? -1 : 1));
  }

  /** Loads a group and fails it when it may not be trained. */
  async #judge(held: HeldGroup, policyVersion: number | undefined): Promise<void> {
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
    await this.#feed.finish(held.job);
    this.#deps.metrics?.counter("palimpsest_queue_groups_failed_total").inc({ reason });
    this.#deps.logger.warn(
      { groupId: held.spec.groupId, reason, failures: assembled.failures },
      "group dropped",
    );
  }

  async #assemble(held: HeldGroup): Promise<AssembledGroup> {
    const [payloads, errors] = await Promise.all([
      this.#deps.payloads.group(held.spec),
      held.job.getIgnoredChildrenFailures(),
    ]);
    const byTrajectory = new Map(
      Object.entries(errors).map(([jobKey, message]) => [jobKey.slice(jobKey.lastIndexOf(":") + 1), message]),
    );
    return assembleGroup(held.spec, payloads, byTrajectory);
  }

  #deliver(batch: readonly HeldGroup[]): GroupBatch {
    const groups: Group[] = [];
    const dropped: DroppedGroup[] = [];
    const failures: EpisodeFailure[] = [];
    for (const held of batch) {
      failures.push(...(held.assembled?.failures ?? []));
      if (held.dropped !== undefined) {
        const { groupId, taskId, step } = held.spec;
        dropped.push({ groupId, taskId, step, reason: held.dropped });
        this.#feed.held.delete(groupId);
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
    const held = this.#feed.held.get(groupId);
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
    this.#feed.held.delete(groupId);
    await this.#feed.finish(held.job);
  }

  /** Gives returned groups back without training them: nextGroups may return them again. */
  release(groupIds: readonly string[]): void {
    for (const groupId of groupIds) {
      const held = this.#feed.held.get(groupId);
      if (held !== undefined) {
        held.delivered = false;
      }
    }
    this.#feed.changed();
  }

  /** Takes over the groups that an earlier learner held. Done by open and while waiting; safe at any time.
   *  @returns their ids */
  async reclaim(): Promise<readonly string[]> {
    return await this.#feed.reclaim();
  }

  /** Counts the groups of the checkpoint as trained, before anyone asks for more (C2). */
  async #settleConsumed(groupIds: Iterable<string>): Promise<void> {
    const consumed = new Set(groupIds);
    for (const groupId of await this.#deps.ledger.outstanding()) {
      const held = consumed.has(groupId) ? await this.#feed.find(groupId) : undefined;
      if (held !== undefined) {
        await this.#settle(held.spec, "trained", await this.#assemble(held));
      }
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
      this.#feed.epoch,
    );
    if (settled) {
      for (const { stage } of failures) {
        this.#deps.metrics?.counter("palimpsest_queue_episodes_failed_total").inc({ stage });
      }
    }
    return settled;
  }

  /** Puts every unacknowledged group back on the queue, for the next learner. */
  close(): Promise<void> {
    this.#closing ??= this.#feed.close();
    return this.#closing;
  }
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new PalimpsestError("CANCELLED", "waiting for groups was cancelled", { cause: signal.reason });
  }
}
