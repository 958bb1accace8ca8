/**
 * Responsibility: returns complete groups to the one learner of a run, and closes those that it acknowledges.
 * Not responsible for: training, or deciding what to do about dropped groups.
 *
 * Invariants:
 * - CONSUMER-1 (T1). After a restart a group is returned again until it is acknowledged, and never afterwards.
 * - CONSUMER-2 (T1). A group in `alreadyConsumed` counts as trained and is not returned.
 * - CONSUMER-3 (T2). A group with a trajectory more than `maxStaleness` versions old is failed as STALE_POLICY.
 * - CONSUMER-4 (T4). Failed episodes are left out. A group with fewer than `minGroupSize` members is failed as a whole,
 *   as is one whose entry another version wrote (UNREADABLE).
 * - CONSUMER-5 (T6). A batch is sorted by group id and its members by episode index, in whatever order they finished.
 * - CONSUMER-6 (T1). A group that the learner rejects is failed once, with the learner's reason, and is not returned
 *   again.
 */
import { isDeepStrictEqual } from "node:util";
import type { Group } from "@palimpsest/memory/records";
import type { Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { EpisodeFailure } from "../base/episode-failure.js";
import { failureStages } from "../base/episode-failure.js";
import type { EpisodeJobs } from "../jobs/episode-jobs.js";
import type { PayloadStore } from "../store/payload-store.js";
import {
  type AssembledGroup,
  assembleGroup,
  type DropReason,
  dropReason,
  failureReasons,
  type RejectReason,
} from "./group-assembly.js";
import type { DroppedGroup, GroupBatch, GroupConsumerOptions, NextGroupsRequest } from "./group-batch.js";
import { type FoundGroup, GroupFeed, type GroupFeedDeps } from "./group-feed.js";
import { LostJobs } from "./lost-jobs.js";

export interface GroupConsumerDeps extends GroupFeedDeps {
  readonly jobs: Pick<EpisodeJobs, "restore">;
  readonly payloads: PayloadStore;
  readonly metrics: Metrics | undefined;
}

const closeConcurrency = 64;

/** The learner's side of a run's queues: takes complete groups and acknowledges them. */
export class GroupConsumer {
  readonly #deps: GroupConsumerDeps;
  readonly #minGroupSize: number;
  readonly #maxStaleness: number | undefined;
  readonly #feed: GroupFeed;
  readonly #lostJobs: LostJobs;
  #requestRunning = false;
  #closing: Promise<void> | undefined;

  private constructor(options: GroupConsumerOptions, deps: GroupConsumerDeps, feed: GroupFeed) {
    this.#deps = deps;
    this.#minGroupSize = Math.max(1, options.minGroupSize ?? 2);
    this.#maxStaleness = options.maxStaleness;
    this.#feed = feed;
    this.#lostJobs = new LostJobs(deps.store, deps.jobs);
    // An alert needs the value zero before the first event.
    const groups = deps.metrics?.counter("palimpsest_queue_groups_failed_total");
    for (const reason of failureReasons) groups?.inc({ reason }, 0);
    const episodes = deps.metrics?.counter("palimpsest_queue_episodes_failed_total");
    for (const stage of failureStages) episodes?.inc({ stage }, 0);
  }

  /** Becomes the run's learner. An earlier learner is fenced, and what it did not acknowledge is found again. */
  static async open(options: GroupConsumerOptions, deps: GroupConsumerDeps): Promise<GroupConsumer> {
    const feed = await GroupFeed.open(deps);
    const consumer = new GroupConsumer(options, deps, feed);
    const { alreadyConsumed = [], alreadyRejected } = options;
    await consumer.#recordConsumed([
      ...(typeof alreadyConsumed === "function" ? await alreadyConsumed() : alreadyConsumed),
    ]);
    await consumer.reject([...(alreadyRejected?.() ?? [])]);
    return consumer;
  }

  /** A number that rises with every learner that opens the run. */
  get epoch(): number {
    return this.#feed.epoch;
  }

  /** Ids of groups that were returned and are neither acknowledged nor released. */
  get delivered(): readonly string[] {
    return [...this.#feed.found.values()].filter(({ delivered }) => delivered).map(({ groupId }) => groupId);
  }

  /**
   * Waits until `count` groups are complete, including dropped ones.
   * @throws {PalimpsestError} CANCELLED (signal or close); ALREADY_EXISTS when a newer learner has taken over;
   *   NOT_FOUND (retryable) when a group of `groupIds` is not dispatched, or no longer: dispatch it again; NOT_FOUND
   *   when it is closed
   */
  async nextGroups(request: NextGroupsRequest): Promise<GroupBatch> {
    if (this.#requestRunning) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        "nextGroups is already waiting; await that call before you call it again",
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
    for (let fullLooks = 0; request.count > 0; ) {
      throwIfCancelled(request.signal);
      const all = await this.#feed.look();
      const batch = this.#candidates(request).slice(0, request.count);
      await Promise.all(batch.map((found) => this.#judge(found, request.policyVersion)));
      if (batch.length === request.count && batch.every(({ groupId }) => this.#feed.found.has(groupId))) {
        return this.#deliver(batch);
      }
      if (all) {
        fullLooks++;
        await this.#checkDispatched(request);
        // Before the first full look the jobs have had no time to finish.
        if (fullLooks > 1) {
          await this.#lostJobs.look(request.groupIds);
        }
      }
      await this.#feed.waitForChange(request.signal);
    }
    return this.#deliver([]);
  }

  #candidates({ groupIds, step }: NextGroupsRequest): FoundGroup[] {
    const wanted = groupIds && new Set(groupIds);
    return [...this.#feed.found.values()]
      .filter(({ groupId, spec, delivered }) => {
        // The step of an unreadable entry is not known, so the first caller gets it.
        const ofStep = step === undefined || spec === undefined || spec.step === step;
        return !delivered && ofStep && (wanted?.has(groupId) ?? true);
      })
      .sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
  }

  /**
   * Fails when a group will never become complete because nobody works on it or it is closed. A store that lost its
   * last second may have lost a dispatch, or the take-over that kept another learner from closing.
   */
  async #checkDispatched({ groupIds = [], count }: NextGroupsRequest): Promise<void> {
    const waited = groupIds.filter((groupId) => !this.#feed.found.has(groupId));
    const [lost] = await this.#deps.store.undispatched(waited);
    if (lost !== undefined) {
      throw new PalimpsestError("NOT_FOUND", `group ${lost} is not dispatched; dispatch it again`, {
        retryable: true,
      });
    }
    const states = await this.#deps.store.states(waited);
    const closed = waited.filter((_, at) => states[at] !== "outstanding");
    if (closed.length > 0 && groupIds.length - closed.length < count) {
      throw new PalimpsestError("NOT_FOUND", `group ${closed[0]} is closed; request only the other groups`, {
        retryable: true,
      });
    }
  }

  /** Loads a group, and fails it when it may not be trained on. */
  async #judge(found: FoundGroup, policyVersion: number | undefined): Promise<void> {
    if (found.dropped !== undefined) {
      return;
    }
    const assembled = found.assembled ?? (await this.#assemble(found));
    if (assembled.failures.some(({ stage }) => stage === "group") && (await this.#isOld(found))) {
      this.#feed.found.delete(found.groupId);
      return;
    }
    found.assembled = assembled;
    const reason =
      found.spec === undefined
        ? "UNREADABLE"
        : dropReason(assembled.group, {
            minGroupSize: this.#minGroupSize,
            ...(policyVersion === undefined ? {} : { policyVersion }),
            ...(this.#maxStaleness === undefined ? {} : { maxStaleness: this.#maxStaleness }),
          });
    if (reason === undefined) {
      return;
    }
    await this.#close(assembled, "failed", reason);
    found.dropped = reason;
    this.#deps.metrics?.counter("palimpsest_queue_groups_failed_total").inc({ reason });
    this.#deps.logger.warn({ groupId: found.groupId, reason, failures: assembled.failures }, "group dropped");
  }

  /**
   * Returns whether the record of a group with missing parts is out of date: since it was read, another learner may
   * have closed the group, or a store that lost its last second may have opened it again.
   */
  async #isOld({ groupId, record }: FoundGroup): Promise<boolean> {
    return !isDeepStrictEqual(await this.#deps.store.group(groupId), record);
  }

  async #assemble({ groupId, record }: Pick<FoundGroup, "groupId" | "record">): Promise<AssembledGroup> {
    return await assembleGroup(groupId, record, (episodeIndex, sizeBytes) =>
      this.#deps.payloads.fetch({ groupId, episodeIndex }, sizeBytes),
    );
  }

  #deliver(batch: readonly FoundGroup[]): GroupBatch {
    const groups: Group[] = [];
    const dropped: DroppedGroup[] = [];
    const failures: EpisodeFailure[] = [];
    for (const found of batch) {
      failures.push(...(found.assembled?.failures ?? []));
      if (found.dropped !== undefined) {
        const { taskId = "", step = 0 } = found.spec ?? {};
        dropped.push({ groupId: found.groupId, taskId, step, reason: found.dropped });
        this.#feed.found.delete(found.groupId);
      } else if (found.assembled !== undefined) {
        found.delivered = true;
        groups.push(found.assembled.group);
      }
    }
    return { groups, dropped, failures };
  }

  /**
   * Records that a durable checkpoint contains what these groups taught, and deletes their payloads. Acknowledging
   * again changes nothing.
   * @throws {PalimpsestError} ALREADY_EXISTS when a newer learner has taken over; INVALID_ARGUMENT for a group that was
   *   neither returned nor trained on
   */
  async acknowledge(groupIds: readonly string[]): Promise<void> {
    for (let start = 0; start < groupIds.length; start += closeConcurrency) {
      await Promise.all(
        groupIds.slice(start, start + closeConcurrency).map((groupId) => this.#acknowledge(groupId)),
      );
    }
  }

  async #acknowledge(groupId: string): Promise<void> {
    const found = this.#feed.found.get(groupId);
    if (found?.assembled === undefined || !found.delivered) {
      const [state] = await this.#deps.store.states([groupId]);
      if (state === "trained" || (await this.#feed.closeAgain(groupId))) {
        return;
      }
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `group ${groupId} is ${state ?? "unknown"} and was not returned by nextGroups; acknowledge only groups that nextGroups returned`,
      );
    }
    if (await this.#close(found.assembled, "trained")) {
      this.#deps.metrics?.counter("palimpsest_queue_groups_trained_total").inc();
    } else {
      await this.#remember([groupId]);
    }
    this.#feed.found.delete(groupId);
  }

  /**
   * Records that a durable checkpoint exists after a step that took these groups and did not train on them: their
   * episodes count as dropped. Rejecting again changes nothing. A group that the store does not know is remembered as
   * closed.
   * @throws {PalimpsestError} ALREADY_EXISTS when a newer learner has taken over
   */
  async reject(groupIds: readonly string[], reason: RejectReason = "ZERO_VARIANCE"): Promise<void> {
    for (let start = 0; start < groupIds.length; start += closeConcurrency) {
      await Promise.all(
        groupIds.slice(start, start + closeConcurrency).map((groupId) => this.#reject(groupId, reason)),
      );
    }
  }

  async #reject(groupId: string, reason: RejectReason): Promise<void> {
    const record = await this.#deps.store.group(groupId);
    const assembled =
      this.#feed.found.get(groupId)?.assembled ?? (record && (await this.#assemble({ groupId, record })));
    if (assembled !== undefined && (await this.#close(assembled, "failed", reason))) {
      this.#deps.metrics?.counter("palimpsest_queue_groups_failed_total").inc({ reason });
    } else {
      await this.#remember([groupId]);
    }
    this.#feed.found.delete(groupId);
  }

  /** Gives back returned groups without training on them. nextGroups may return them again. */
  release(groupIds: readonly string[]): void {
    for (const groupId of groupIds) {
      const found = this.#feed.found.get(groupId);
      if (found !== undefined) {
        found.delivered = false;
      }
    }
    this.#feed.wake();
  }

  /**
   * Counts the checkpoint's groups as trained before anyone asks for more (CONSUMER-2). Groups that the store does not
   * know, because it lost its last second, are remembered, so that a second dispatch does not train on them again.
   */
  async #recordConsumed(groupIds: readonly string[]): Promise<void> {
    for (const groupId of groupIds) {
      const record = await this.#deps.store.group(groupId);
      if (record !== undefined) {
        await this.#close(await this.#assemble({ groupId, record }), "trained");
      }
    }
    await this.#remember(groupIds);
  }

  async #remember(groupIds: readonly string[]): Promise<void> {
    if (groupIds.length === 0) {
      return;
    }
    await this.#feed.rememberTrained(groupIds);
  }

  async #close(
    { group, failures }: AssembledGroup,
    outcome: "trained" | "failed",
    reason?: DropReason | RejectReason,
  ): Promise<boolean> {
    const result = await this.#feed.close({
      groupId: group.groupId,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      trainedEpisodes: outcome === "trained" ? group.members.length : 0,
      droppedEpisodes: outcome === "failed" ? group.members.length : 0,
      failures,
    });
    if (result === "closed") {
      for (const { stage } of failures) {
        this.#deps.metrics?.counter("palimpsest_queue_episodes_failed_total").inc({ stage });
      }
    }
    return result === "closed";
  }

  /** Leaves every unacknowledged group complete, for the next learner. */
  close(): Promise<void> {
    this.#closing ??= this.#feed.end();
    return this.#closing;
  }
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new PalimpsestError("CANCELLED", "waiting for groups was canceled", { cause: signal.reason });
  }
}
