/**
 * Responsibility: dispatches groups: claims them in the ledger, stores their tasks, and adds a rollout for each
 * episode.
 * Not responsible for: what happens to them afterwards.
 *
 * Invariants:
 * - DISPATCH-1 (T1). A group id is dispatched once, however often and by whomever it is requested.
 * - DISPATCH-2 (T1). A producer that dies at any instruction leaves a group that a second dispatch completes.
 * - DISPATCH-3. Dispatch waits, or is refused, while the limits of LEDGER-3 or the free space in Redis (ROOM-1) do
 *   not allow more.
 * - DISPATCH-4 (T1). A group whose claim or task Redis lost before its jobs were confirmed is claimed again by the same
 *   dispatch.
 */

import { Backoff, type Clock, delay } from "@palimpsest/std";
import { type Metrics, tracing } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { type GroupRequest, type GroupSpec, specOf } from "../base/group-spec.js";
import type { QueueSettings } from "../base/queue-settings.js";
import type { EpisodeJobs } from "../jobs/episode-jobs.js";
import type { Room } from "../redis/redis-room.js";
import type { Claim, GroupState, LedgerStore } from "../store/ledger-store.js";
import type { PayloadStore } from "../store/payload-store.js";

/** `added` when this call added the group; otherwise the state in which an earlier dispatch left it. */
export type DispatchOutcome = "added" | GroupState;

/** What a dispatch does when the run has too much outstanding. */
export interface DispatchOptions {
  readonly signal?: AbortSignal;
  /** Whether to wait for room or to throw LIMIT_EXCEEDED when too much is outstanding. Default "wait". */
  readonly whenFull?: "wait" | "refuse";
  /** Milliseconds without any admitted group after which LIMIT_EXCEEDED is thrown. Default: unlimited. */
  readonly timeoutMs?: number;
}

export interface GroupProducerDeps {
  readonly store: LedgerStore;
  readonly jobs: EpisodeJobs;
  readonly payloads: PayloadStore;
  readonly room: Room;
  readonly settings: QueueSettings;
  readonly metrics: Metrics | undefined;
  readonly clock: Clock;
  /** Called before the first group of a dispatch is added. */
  readonly listRun: () => Promise<void>;
}

const groupsPerClaim = 32;
const polling = { firstMs: 10, longestMs: 200 };

export class GroupProducer {
  readonly #deps: GroupProducerDeps;

  constructor(deps: GroupProducerDeps) {
    this.#deps = deps;
  }

  /**
   * Dispatches groups in order.
   * @returns one outcome per request
   * @throws {PalimpsestError} INVALID_ARGUMENT; CANCELLED (signal); LIMIT_EXCEEDED (whenFull "refuse", or after
   *   timeoutMs; groups dispatched before stay so)
   */
  async dispatch(
    requests: readonly GroupRequest[],
    options: DispatchOptions = {},
  ): Promise<DispatchOutcome[]> {
    const { store, settings, clock } = this.#deps;
    const specs = requests.map((request) => traced(specOf(request)));
    const outcomes = new Map<string, DispatchOutcome>();
    const { timeoutMs = Number.POSITIVE_INFINITY } = options;
    let start = 0;
    const poll = new Backoff(polling);
    let admittedAtMs = clock.monotonicMs();
    const tasks = new Map<string, Uint8Array>();
    while (start < requests.length) {
      throwIfCancelled(options.signal);
      const batch = specs.slice(start, start + groupsPerClaim);
      for (const { groupId, task } of requests.slice(start, start + groupsPerClaim)) {
        if (!tasks.has(groupId)) {
          tasks.set(groupId, this.#deps.payloads.encodeTask(task));
        }
      }
      const claims = batch.map(
        (spec): Claim => ({
          groupId: spec.groupId,
          groupSize: spec.groupSize,
          spec: JSON.stringify(spec),
          taskBytes: tasks.get(spec.groupId)?.length ?? 0,
        }),
      );
      const states = await store.claim(claims, settings);
      const firstFull = states.indexOf("full");
      const taken = firstFull === -1 ? batch.length : firstFull;
      const claimed = batch.slice(0, taken).filter((_, index) => states[index] === "claimed");
      const lost = await this.#add(claimed, tasks, options.signal);
      for (const [index, { groupId }] of batch.slice(0, taken).entries()) {
        const state = states[index];
        if (state !== undefined && state !== "full" && !outcomes.has(groupId) && !lost.has(groupId)) {
          outcomes.set(groupId, state === "claimed" ? "added" : state);
        }
      }
      const firstLost = batch.findIndex(({ groupId }) => lost.has(groupId));
      const done = firstLost === -1 ? taken : firstLost;
      for (const { groupId } of batch.slice(0, done)) {
        tasks.delete(groupId);
      }
      start += done;
      if (taken > 0) {
        admittedAtMs = clock.monotonicMs();
        poll.reset();
      }
      if (firstFull !== -1) {
        if (options.whenFull === "refuse" || clock.monotonicMs() - admittedAtMs >= timeoutMs) {
          throw await this.#fullError();
        }
        await delay(poll.next(), options.signal, clock);
      }
    }
    return specs.map(({ groupId }) => outcomes.get(groupId) ?? "outstanding");
  }

  /** @returns the groups that Redis has lost in the meantime */
  async #add(
    claimed: readonly GroupSpec[],
    tasks: ReadonlyMap<string, Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlySet<string>> {
    const specs = [...new Map(claimed.map((spec) => [spec.groupId, spec])).values()];
    if (specs.length === 0) {
      return new Set();
    }
    const { store, jobs, payloads, room, settings, metrics, listRun } = this.#deps;
    const bytesOf = (groupId: string): Uint8Array => tasks.get(groupId) ?? new Uint8Array();
    await Promise.all([
      ...specs.map(({ groupId }) => payloads.putTask(groupId, bytesOf(groupId), signal)),
      listRun(),
    ]);
    // Jobs that an earlier producer added still exist, or find their episode recorded and end (EPISODEJOBS-1).
    await room.write(() => jobs.addRollouts(specs), { timeoutMs: settings.rolloutTimeoutMs, signal });
    const lost = new Set(await store.confirm(specs.map(({ groupId }) => groupId)));
    const kept = specs.filter(({ groupId }) => !lost.has(groupId));
    metrics?.counter("palimpsest_queue_groups_dispatched_total").inc(kept.length);
    metrics?.counter("palimpsest_queue_payload_bytes_total").inc(
      { kind: "task" },
      kept.reduce((sum, { groupId }) => sum + bytesOf(groupId).length, 0),
    );
    return lost;
  }

  async #fullError(): Promise<PalimpsestError> {
    const { maxOutstandingGroups, maxQueuedBytes } = this.#deps.settings;
    const { groups, queuedBytes } = await this.#deps.store.counts();
    return new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${groups.outstanding} groups with ${queuedBytes} bytes are outstanding; queues.maxOutstandingGroups allows ${maxOutstandingGroups} and queues.maxQueuedBytes ${maxQueuedBytes}, including what open episodes are expected to add; train first, raise these limits, or lower groupsPerStep`,
    );
  }
}

/**
 * Gives the group a span that begins a trace of its own, to which the group's episodes belong. A whole run would be too
 * long for one trace.
 */
function traced(spec: GroupSpec): GroupSpec {
  const open = tracing();
  if (open === undefined) return spec;
  const { groupId, taskId, groupSize, step } = spec;
  const attributes = {
    ...{ "palimpsest.group_id": groupId, "palimpsest.task_id": taskId },
    ...{ "palimpsest.group_size": groupSize, "palimpsest.step": step },
  };
  const span = open.start("group", { kind: "producer", parent: "none", links: open.here(), attributes });
  span.end();
  return { ...spec, traceparent: span.traceparent };
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new PalimpsestError("CANCELLED", "dispatch was canceled", { cause: signal.reason });
  }
}
