/**
 * Responsibility: the tasks of one shape: the same code, resources, labels and environment. It keeps workers leased
 * while there are tasks for them, and assigns the tasks.
 * Not responsible for: the life of a worker (task-lease.ts), or the attempts of a task (task-call.ts).
 *
 * Invariants:
 * - TASKQUEUE-1. A task is in the backlog, at one worker, waits for the reconstruction of an argument, or has its
 *   outcome.
 * - TASKQUEUE-2. Workers are requested while tasks wait: at most as many at a time as there are workers, plus one,
 *   and never more than there are waiting tasks, or `maxOpening`.
 * - TASKQUEUE-3. A worker without tasks is returned after `idleMs`, at once if another client waits for its
 *   resources, and soon if something else of this client does. Others are asked about only while there is something to give
 *   up: clients that wait would ask the head four times per second. One that has had tasks for `quantumMs` gets no more while another client waits, and is returned when
 *   they are done.
 * - TASKQUEUE-4. A task that is canceled with force, or whose deadline has passed, ends its worker's process if it
 *   still runs after `forceAfterMs`, but not while it only waits there behind another task. So does a canceled task
 *   that has been running for `lingerMs` while others wait for its worker: behind it, in the backlog, or of another
 *   client.
 */

import { backoffMs, type Clock, delay, whenAborted } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { neverBegun } from "../base/death.js";
import { TaskBacklog } from "./task-backlog.js";
import type { HoldingWorker, TaskCall } from "./task-call.js";
import type { TaskLease } from "./task-lease.js";
import type { Interrupted, TaskLeaseDeps } from "./task-lease-deps.js";
import { TaskPace } from "./task-pace.js";

/**
 * The milliseconds after which a worker without tasks is returned. It is longer than a driver usually computes between
 * two rounds of tasks, and a client that waits for the resources gets them at once anyway.
 */
const idleMs = 10_000;
const lookEveryMs = 1_000;
const quantumMs = 1_000;
const maxOpening = 16;
const forceAfterMs = 250;
const lingerMs = 5_000;
/** After this many workers in a row that could not be started, the waiting tasks fail. */
const maxFailedStarts = 5;
const startBackoff = { firstMs: 100, longestMs: 5_000 };
const demandWaitMs = 10_000;
/** The milliseconds after which a worker without tasks is spare, while no task waits. */
const spareAfterMs = 500;
/**
 * The milliseconds between two requests: after one that reported demand, and after one that the head did not answer.
 */
const demandPauseMs = { yes: 250, unanswered: 1_000 };

type LeaseEvents = Pick<TaskLeaseDeps<TaskLease>, "onOpen" | "onLeft" | "onInterrupted" | "onEnded">;

export interface TaskQueueDeps {
  readonly clock: Clock;
  /** Decides how many tasks a worker has at a time. Default: computed from measured running times. */
  readonly pace?: Pick<TaskPace, "took" | "ahead"> | undefined;
  readonly lease: (events: LeaseEvents) => TaskLease;
  /**
   * Waits until somebody wants the resources of these workers; false if nobody did, as far as is known.
   * @param spare whether what this client itself wants counts, too
   */
  readonly awaitDemand: (waitMs: number, spare: boolean, signal: AbortSignal) => Promise<boolean>;
  /** Called whenever it has neither tasks nor workers any more, so that it may be closed. */
  readonly onUnused?: () => void;
}

export class TaskQueue {
  readonly clock: Clock;
  readonly #deps: TaskQueueDeps;
  readonly #backlog = new TaskBacklog();
  readonly #leases = new Set<TaskLease>();
  readonly #pace: Pick<TaskPace, "took" | "ahead">;
  readonly #abort = new AbortController();
  #dealing = false;
  #failedStarts = 0;
  #cancelRetry: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;
  #emptySinceMs = 0;
  /** The number of submitted tasks without an outcome. */
  #tasks = 0;
  /** Set while the head is asked. */
  #asking: { readonly spare: boolean; readonly abort: AbortController } | undefined;
  #asksForDemand = false;

  constructor(deps: TaskQueueDeps) {
    this.#deps = deps;
    this.#pace = deps.pace ?? new TaskPace();
    this.clock = deps.clock;
  }

  /** The workers that it has or has requested. */
  get leases(): number {
    return this.#leases.size;
  }

  /** These workers get no more tasks, and are returned when those that they have are done. */
  retire(actorIds: readonly string[]): void {
    for (const lease of [...this.#leases]) {
      if (!actorIds.includes(lease.actorId)) continue;
      lease.retiring = true;
      if (lease.size === 0) lease.giveBack();
    }
  }

  /** The tasks that no worker has yet. */
  get waiting(): Iterable<TaskCall> {
    return this.#backlog;
  }

  submit(call: TaskCall): void {
    if (call.settled) return;
    this.#tasks++;
    this.#backlog.push(call);
    this.#deal();
  }

  /** Why its tasks wait, if that is known. */
  get hindrance(): PalimpsestError | undefined {
    for (const { pendingReason } of this.#leases)
      if (pendingReason !== "") return new PalimpsestError("UNSCHEDULABLE", pendingReason);
    return undefined;
  }

  settled(call: TaskCall): void {
    this.#tasks--;
    if (call.isQueued) this.#backlog.settledOne();
    this.#tellUnused();
  }

  again(call: TaskCall): void {
    this.#backlog.putFirst([call]);
    this.#deal();
  }

  abandon(call: TaskCall): void {
    const { lease, isForced } = call;
    if (!lease) return;
    call.abandonedAtMs ??= this.clock.monotonicMs();
    lease.abandon(call);
    if (isForced) this.#force(call, lease, lease.isFirst(call));
  }

  /**
   * Ends the worker's process if the task has been its first one for `forceAfterMs` (TASKQUEUE-4). A task behind another
   * one does not run, and begins only if the process could not read its cancellation before.
   */
  #force(call: TaskCall, lease: HoldingWorker, wasFirst: boolean): void {
    this.clock.after(forceAfterMs, () => {
      if (!lease.has(call)) return;
      const isFirst = lease.isFirst(call);
      if (wasFirst && isFirst) void lease.crash();
      else this.#force(call, lease, isFirst);
    });
  }

  noticeDeath(info: proto.ActorInfo.$Properties): void {
    for (const lease of this.#leases) if (lease.actorId === info.spec?.actorId) lease.noticeDeath(info);
  }

  close(error: PalimpsestError): void {
    this.#abort.abort();
    this.#cancelRetry?.();
    this.#cancelLook?.();
    for (const lease of [...this.#leases]) lease.close(error);
    this.#leases.clear();
    this.#failWaiting(error);
  }

  #tellUnused(): void {
    if (this.#tasks === 0 && this.#leases.size === 0) this.#deps.onUnused?.();
  }

  /** Runs once per turn, so that tasks submitted in one turn are assigned together. */
  #deal(): void {
    if (this.#dealing || this.#abort.signal.aborted) return;
    this.#dealing = true;
    process.nextTick(() => {
      this.#dealing = false;
      if (this.#abort.signal.aborted) return;
      this.#dealOut();
      this.#grow();
    });
  }

  #dealOut(): void {
    if (this.#backlog.size === 0) return;
    const usable = [...this.#leases].filter((lease) => lease.isOpen && !lease.retiring && !lease.isBlocked);
    if (usable.length === 0) return;
    const inFlight = usable.reduce((sum, { size }) => sum + size, 0);
    const share = Math.ceil((this.#backlog.size + inFlight) / usable.length);
    const ahead = Math.min(this.#pace.ahead, share);
    for (const lease of usable) {
      while (lease.size < ahead && !lease.retiring && !lease.isBlocked) {
        const next = this.#backlog.peek();
        // A task that must not run twice does not share its worker.
        if (!next || (!next.mayRepeat && lease.size > 0)) break;
        this.#backlog.shift();
        lease.send(next);
      }
    }
  }

  /** TASKQUEUE-2 */
  #grow(): void {
    if (this.#backlog.size === 0 || this.#cancelRetry) return;
    const leases = [...this.#leases];
    const opening = leases.filter((lease) => !lease.isOpen).length;
    const useful = leases.filter((lease) => lease.isOpen && !lease.retiring && !lease.isBlocked).length;
    const wanted = Math.min(maxOpening, 1 + useful, this.#backlog.size);
    for (let count = opening; count < wanted; count++) this.#leases.add(this.#deps.lease(this.#events));
    this.#look();
    void this.#watchDemand();
  }

  readonly #events: LeaseEvents = {
    onOpen: () => {
      this.#failedStarts = 0;
      void this.#watchDemand();
      this.#deal();
    },
    onLeft: (lease, ranMs) => {
      if (ranMs !== undefined) this.#pace.took(ranMs);
      if (lease.retiring && lease.size === 0) lease.giveBack();
      this.#deal();
    },
    onInterrupted: (_lease, tasks, error) => this.#interrupted(tasks, error),
    onEnded: (lease, error, neverOpened) => {
      this.#leases.delete(lease);
      if (error && neverOpened) this.#notStarted(error);
      else this.#deal();
      this.#tellUnused();
    },
  };

  #interrupted(tasks: readonly Interrupted[], { rawMessage, details, cause }: PalimpsestError): void {
    const again = tasks.filter(({ call, begun }) => {
      const message = `${call.name} was in flight when ${rawMessage}; the task may or may not have run`;
      return call.interrupted(begun, new PalimpsestError("WORKER_DIED", message, { details, cause }));
    });
    this.#backlog.putFirst(again.map(({ call }) => call));
    this.#deal();
  }

  #notStarted(error: PalimpsestError): void {
    const died = error.code === "WORKER_DIED";
    if (died) this.#failedStarts += 1;
    // Its module or the request itself is at fault, so another worker would fail too.
    const isFinal = died ? error.cause !== undefined : !error.retryable;
    if (isFinal || this.#failedStarts >= maxFailedStarts) {
      this.#failedStarts = 0;
      // What no worker can get or import counts as the tasks' own failure and not as a worker's death.
      this.#failWaiting(neverBegun(error.cause) ?? error);
      return;
    }
    if (this.#cancelRetry) return;
    const waitMs = backoffMs(startBackoff, this.#failedStarts + 1);
    this.#cancelRetry = this.clock.after(waitMs, () => {
      this.#cancelRetry = undefined;
      this.#deal();
    });
  }

  #failWaiting(error: PalimpsestError): void {
    for (const call of this.#backlog.takeAll()) call.fail(error);
  }

  /** TASKQUEUE-4 */
  #lingers({ lingersSinceMs }: TaskLease): boolean {
    return lingersSinceMs !== undefined && this.clock.monotonicMs() - lingersSinceMs >= lingerMs;
  }

  /** Returns idle workers, periodically while there are workers. */
  #look(): void {
    if (this.#cancelLook || this.#leases.size === 0) return;
    this.#cancelLook = this.clock.after(lookEveryMs, () => {
      this.#cancelLook = undefined;
      const nowMs = this.clock.monotonicMs();
      if (this.#backlog.size > 0) this.#emptySinceMs = nowMs;
      for (const lease of [...this.#leases]) {
        if (this.#lingers(lease) && (lease.size > 1 || this.#backlog.size > 0)) void lease.crash();
        const sinceMs = Math.max(lease.idleSinceMs, this.#emptySinceMs);
        if (lease.size === 0 && nowMs - sinceMs >= idleMs) lease.giveBack();
      }
      // The head is asked again, because another answer may be due.
      if (this.#asking && this.#asking.spare !== this.#hasSpare(nowMs)) this.#asking.abort.abort();
      void this.#watchDemand();
      this.#look();
    });
  }

  async #watchDemand(): Promise<void> {
    if (this.#asksForDemand) return;
    this.#asksForDemand = true;
    const { signal } = this.#abort;
    while (this.#mayGive && !signal.aborted) {
      const spare = this.#hasSpare(this.clock.monotonicMs());
      const abort = new AbortController();
      const forget = whenAborted(signal, () => abort.abort());
      this.#asking = { spare, abort };
      // The head is away or does not know the request. Idle workers are returned all the same.
      const waits = await this.#deps
        .awaitDemand(demandWaitMs, spare, abort.signal)
        .catch(() => (abort.signal.aborted ? false : undefined));
      this.#asking = undefined;
      forget();
      // What this client itself waits for may be a worker for tasks that have arrived in the meantime.
      if (waits && (!spare || this.#backlog.size === 0)) this.#makeRoom();
      if (waits !== false)
        await delay(waits ? demandPauseMs.yes : demandPauseMs.unanswered, signal, this.clock);
    }
    this.#asksForDemand = false;
  }

  /** Whether it has workers, or requested some that it no longer needs: those that its tasks wait for are not given up. */
  get #mayGive(): boolean {
    const isUnneeded = this.#backlog.size === 0;
    for (const { isOpen } of this.#leases) if (isOpen || isUnneeded) return true;
    return false;
  }

  /** Returns whether a worker has had no task for a while, and none waits for it. */
  #hasSpare(nowMs: number): boolean {
    if (this.#backlog.size > 0 || nowMs - this.#emptySinceMs < spareAfterMs) return false;
    for (const { isOpen, size, idleSinceMs } of this.#leases)
      if (isOpen && size === 0 && nowMs - idleSinceMs >= spareAfterMs) return true;
    return false;
  }

  /** TASKQUEUE-3: somebody waits for the resources of a worker. */
  #makeRoom(): void {
    const nowMs = this.clock.monotonicMs();
    const leases = [...this.#leases];
    for (const lease of leases) if (this.#lingers(lease)) void lease.crash();
    const idle = leases.filter((lease) => lease.size === 0 && (lease.isOpen || this.#backlog.size === 0));
    if (idle.length > 0 && this.#backlog.size === 0) {
      for (const lease of idle) lease.giveBack();
      return;
    }
    const longest = leases
      .filter((lease) => lease.isOpen && !lease.retiring && nowMs - lease.openedAtMs >= quantumMs)
      .sort((a, b) => a.openedAtMs - b.openedAtMs)[0];
    if (!longest) return;
    longest.retiring = true;
    if (longest.size === 0) longest.giveBack();
  }
}
