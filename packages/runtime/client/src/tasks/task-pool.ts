/**
 * Responsibility: the tasks of one connection: a queue for each shape, and the bound on all of them.
 * Not responsible for: the queues (task-queue.ts).
 *
 * Invariants:
 * - TASKPOOL-1. At most `maxOutstandingTasks` tasks with `maxOutstandingBytes` bytes are outstanding; one more fails
 *   with PENDING_CALLS_LIMIT.
 * - TASKPOOL-2. When a task is canceled, so are the tasks that it submitted, without force, and those below them.
 *   When its process ends, they end in any case. A task that runs again to reconstruct its result is not a child of the
 *   task that runs meanwhile: others may wait for the result.
 * - TASKPOOL-3. A shape without tasks and workers costs nothing: its queue is removed, and the next task creates
 *   another one.
 */
import { backgroundClock, type Clock, delay } from "@palimpsest/std";
import {
  Deadlines,
  headService,
  incarnationName,
  type Network,
  newId,
  PalimpsestError,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import type { ResolvedTaskOptions } from "../base/config.js";
import type { HeadClient } from "../base/head-client.js";
import { schedulingFields, scopeField } from "../base/scheduling.js";
import { OutstandingCalls } from "../calls/outstanding-calls.js";
import type { PendingCall } from "../calls/pending-call.js";
import type { Bundle } from "../jobs/bundle.js";
import type { Code } from "../jobs/code-ref.js";
import { ConnectionEnvironment, type PackedEnvironment } from "../jobs/runtime-environment.js";
import type { ValueStore } from "../values/value-store.js";
import { TaskCall, type TaskCallOptions, type TaskCarrier } from "./task-call.js";
import { TaskLease } from "./task-lease.js";
import { TaskQueue, type TaskQueueDeps } from "./task-queue.js";
import { TaskReports } from "./task-reports.js";
import { currentTaskSignal } from "./task-signal.js";
import { TaskWaits } from "./task-waits.js";

const maxOutstandingTasks = 1_000_000;
const maxOutstandingBytes = 512 * 1024 * 1024;
/** The milliseconds that the head gets to answer, in addition to the wait that a request asks for. */
const slackMs = 2_000;
/** The timeout of a report of events. It is not repeated, so a head that is away does not learn of these events. */
const reportTimeoutMs = 5_000;
/** The milliseconds between two requests while workers that get no more tasks finish their last ones. */
const retirePauseMs = 1_000;

export interface TaskPoolDeps {
  readonly head: Pick<HeadClient, "call">;
  readonly network: Network;
  readonly resolver: ActorResolver;
  /** If it is absent, tasks carry no references. */
  readonly values?: ValueStore;
  readonly ownerId: string;
  /** 0 if the owner is a session. */
  readonly ownerIncarnation: number;
  /** Whether this process is itself a worker for tasks. */
  readonly isTaskWorker: boolean;
  readonly jobId: string;
  /** The namespace in which its tasks name actors. Default: the default namespace. */
  readonly namespace?: string;
  /** The placement group that captures what this process spawns. If it is absent, none does. */
  readonly capturedBy?: string;
  readonly create: (
    request: proto.CreateActorRequest.$Properties,
    bundles: readonly Bundle[],
  ) => Promise<proto.ActorInfo.$Properties>;
  /** The environment of everything that the connection spawns. Default: that of its job. */
  readonly environment?: ConnectionEnvironment;
  readonly clock?: Clock;
  readonly maxOutstandingTasks?: number;
  /** Decides how many tasks are sent ahead of their answers. Default: computed from measured running times. */
  readonly pace?: TaskQueueDeps["pace"];
}

/** The options with which the workers of a shape are started. */
export interface TaskShape
  extends Pick<
    ResolvedTaskOptions,
    "resources" | "labels" | "strategy" | "environment" | "maxConcurrent" | "preemptible"
  > {
  /** The placement group from whose bundles they take their resources. If it is absent, they are in no group. */
  readonly placement?: proto.GroupPlacement.$Properties | null;
  /** Their folder and packages. Default: those of the job, or of this process. */
  readonly packed?: PackedEnvironment;
}

export class TaskPool implements TaskCarrier {
  readonly #deps: TaskPoolDeps;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly #queues = new Map<string, TaskQueue>();
  readonly #outstanding: OutstandingCalls;
  readonly #waits: TaskWaits | undefined;
  readonly #callerId: string;
  readonly #reports: TaskReports;
  readonly environment: ConnectionEnvironment;
  #closed: PalimpsestError | undefined;

  constructor(deps: TaskPoolDeps) {
    this.#deps = deps;
    this.clock = deps.clock ?? backgroundClock;
    this.deadlines = new Deadlines(this.clock);
    this.environment = deps.environment ?? new ConnectionEnvironment();
    this.#outstanding = new OutstandingCalls(
      "tasks",
      deps.maxOutstandingTasks ?? maxOutstandingTasks,
      maxOutstandingBytes,
    );
    const { head, jobId, ownerId: actorId, ownerIncarnation: incarnation } = deps;
    this.#callerId = incarnation > 0 ? incarnationName({ actorId, incarnation }) : actorId;
    this.#reports = new TaskReports({
      ...{ clock: this.clock, callerId: this.#callerId, jobId },
      waiting: () => this.#waiting(),
      send: (report) =>
        void head
          .call(headService.reportTasks, { report }, { timeoutMs: reportTimeoutMs })
          .catch(() => undefined),
    });
    if (deps.isTaskWorker) {
      this.#waits = new TaskWaits(this.clock, (waiting, revision) =>
        head.call(headService.setWaiting, { actorId, incarnation, waiting, revision }),
      );
    }
  }

  /** Shapes that have tasks or workers. */
  get shapes(): number {
    return this.#queues.size;
  }

  get capturedBy(): string {
    return this.#deps.capturedBy ?? "";
  }

  get values(): ValueStore | undefined {
    return this.#deps.values;
  }

  /** Tasks are submitted when their arguments are ready. */
  prepared(): void {}

  /** Creates a task that is not submitted yet, because its code may have to be prepared first. */
  call(options: TaskCallOptions): TaskCall {
    const isChild = this.#deps.isTaskWorker && !options.isRecovery;
    const parent = isChild ? currentTaskSignal() : undefined;
    const signals = parent ? [...options.signals, parent] : options.signals;
    const call = new TaskCall({ ...options, signals, taskPrefix: this.#callerId }, this);
    const refusal = this.#closed ?? this.#outstanding.refusal(call.sizeBytes);
    this.#outstanding.add(call.sizeBytes);
    this.#waits?.begin();
    if (refusal) call.fail(refusal);
    return call;
  }

  submit(call: TaskCall, code: Code, shape: TaskShape): void {
    if (call.settled) return;
    if (this.#closed) {
      call.fail(this.#closed);
      return;
    }
    call.queue = this.#queueOf(code, shape);
    call.queue.submit(call);
    this.#reports.submitted();
  }

  settled(call: PendingCall): void {
    if (call instanceof TaskCall) call.queue?.settled(call);
    this.#outstanding.remove(call.sizeBytes);
    this.#waits?.end();
  }

  abandon(call: PendingCall): void {
    if (call instanceof TaskCall) call.queue?.abandon(call);
  }

  grant(call: PendingCall, items: number, bytes: number): void {
    if (call instanceof TaskCall) call.lease?.grant(call, items, bytes);
  }

  lost(call: TaskCall, begun: boolean, error: PalimpsestError): void {
    this.#reports.lost(call, begun, error);
  }

  *#waiting(): Generator<TaskCall> {
    for (const queue of this.#queues.values()) yield* queue.waiting;
  }

  again(call: TaskCall): void {
    if (!call.settled) call.queue?.again(call);
  }

  againWith(call: TaskCall, objectId: string, why: PalimpsestError): boolean {
    const lineage = this.#deps.values?.lineage;
    if (!lineage?.knows(objectId)) return false;
    lineage.recover(objectId, why).then(
      () => this.again(call),
      (reason: unknown) => call.fail(PalimpsestError.from(reason)),
    );
    return true;
  }

  noticeDeath(info: proto.ActorInfo.$Properties): void {
    for (const queue of this.#queues.values()) queue.noticeDeath(info);
  }

  close(): void {
    this.#closed = new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
    for (const queue of this.#queues.values()) queue.close(this.#closed);
    this.#queues.clear();
    this.#reports.close();
    this.#waits?.close();
  }

  #queueOf(code: Code, shape: TaskShape): TaskQueue {
    const key = JSON.stringify([
      code.ref.module ?? "",
      code.ref.bundle ?? "",
      ...[shape.resources, shape.labels, shape.environment].map((record) => Object.entries(record).sort()),
      shape.strategy,
      scopeField(shape),
      shape.preemptible,
      shape.placement ?? null,
      shape.packed?.fields ?? {},
    ]);
    const known = this.#queues.get(key);
    if (known) return known;
    const { head, ownerId, network, resolver, jobId, namespace = "" } = this.#deps;
    const callerId = this.#callerId;
    const resources = { quantities: shape.resources };
    const { labels } = schedulingFields(shape);
    const queue = new TaskQueue({
      clock: this.clock,
      pace: this.#deps.pace,
      awaitDemand: async (waitMs, spare, signal) => {
        const groupId = shape.placement?.groupId ?? "";
        const scope = scopeField(shape);
        const request = { ownerId, resources, labels, waitMs, groupId, spare, jobId, namespace, scope };
        const options = { timeoutMs: waitMs + slackMs, signal, background: true };
        const { waits, retireActorIds } = await head.call(headService.awaitDemand, request, options);
        if (retireActorIds?.length) {
          queue.retire(retireActorIds);
          // If the request were repeated at once, it would get the same answer.
          await delay(retirePauseMs, signal, this.clock);
        }
        return waits ?? false;
      },
      onUnused: () => {
        if (this.#queues.get(key) === queue) this.#queues.delete(key);
        queue.close(unusedError());
      },
      lease: (events) => {
        const actorId = newId("worker");
        return new TaskLease({
          ...{ actorId, callerId, network, clock: this.clock, resolver, ...events },
          create: () => this.#create(actorId, code, shape),
          kill: async (crash) =>
            void (await head.call(headService.killActor, { actorId, noRestart: !crash })),
        });
      },
    });
    this.#queues.set(key, queue);
    return queue;
  }

  #create(actorId: string, { ref, bundle }: Code, shape: TaskShape): Promise<proto.ActorInfo.$Properties> {
    const { ownerId, ownerIncarnation, jobId, namespace = "" } = this.#deps;
    const spec: proto.ActorSpec.$Properties = {
      ...{ actorId, ownerId, ownerIncarnation, jobId, namespace, taskWorker: true, role: "tasks" },
      code: { ...ref, exportName: "" },
      resources: { quantities: shape.resources },
      ...schedulingFields(shape),
      placement: shape.placement ?? null,
      scope: scopeField(shape),
      preemptible: shape.preemptible,
      environment: shape.environment,
      ...shape.packed?.fields,
      maxConcurrency: 1,
      // The node ends the worker when the head may have given the node up, and its tasks run elsewhere by then.
      fence: proto.Fence.FENCE_LEASE,
    };
    const bundles = shape.packed?.bundles ?? [];
    return this.#deps.create({ spec }, bundle ? [bundle, ...bundles] : bundles);
  }
}

/**
 * Returns the error of requests that are pending when a queue is closed, which no caller sees: a closed queue has no
 * tasks.
 */
function unusedError(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "no tasks with these resources are left");
}
