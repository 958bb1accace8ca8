import type { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Arrival } from "./connection.js";
import type { SimProcess } from "./process.js";
import type { SimWorker } from "./worker.js";
import type { World } from "./world.js";

/** What a simulated task does. */
export interface TaskPlan {
  /** The key of the task, unique in the whole run. */
  readonly key: string;
  readonly runMs: number;
  readonly outcome: "value" | "throw" | "crash";
  /** The child task that it runs and awaits. */
  readonly child?: TaskPlan;
}

export interface TaskRecord {
  readonly key: string;
  readonly caller: string;
  readonly process: SimProcess;
  /** How often it may run again. */
  readonly retries: number;
  readonly sentAtMs: number;
  /** Whether it reads a value and makes one. */
  readonly ofValues?: boolean;
}

const allowedFailures: ReadonlySet<string> = new Set([
  "WORKER_DIED",
  "GET_TIMEOUT",
  "CANCELLED",
  "OWNER_DIED",
  "UNAVAILABLE",
  "TASK_ERROR",
]);
/** Value-records.ts decides whether a value may be lost. Stores are small, and held bytes fill them. */
const allowedOfValues: ReadonlySet<string> = new Set(["OBJECT_LOST", "OBJECT_STORE_FULL"]);
/** A paused driver notices late. */
const lateMs = 150_000;
/** A worker that its client has given back ends within this time, if nothing is broken in the meantime. */
const endMs = 15_000;

/** Records which tasks were requested, which ran and what they returned; checks each against what a task promises. */
export class TaskRecords {
  readonly #world: World;
  readonly #tasks = new Map<string, TaskRecord>();
  readonly #executions = new Map<string, number>();
  readonly #running = new Map<SimWorker, string>();
  readonly #open = new Set<string>();
  /** The tasks that began at each worker, and how often a worker of a task was stopped for others. */
  readonly #ranAt = new Map<string, Set<string>>();
  readonly #preempted = new Map<string, number>();
  readonly #stopping = new Set<string>();
  /** Workers that a head was asked to end, with the time and the head. */
  readonly #givenBack = new Map<string, { readonly atMs: number; readonly head: SimProcess }>();

  constructor(world: World) {
    this.#world = world;
  }

  submitted(task: Omit<TaskRecord, "sentAtMs">): TaskRecord {
    const record = { ...task, sentAtMs: this.#world.scheduler.nowMs };
    this.#tasks.set(record.key, record);
    this.#open.add(record.key);
    return record;
  }

  /** TASK-1: a task runs once, and once more for each retry. */
  executed(key: string, worker: SimWorker): () => void {
    const times = (this.#executions.get(key) ?? 0) + 1;
    this.#executions.set(key, times);
    this.#world.story.tell(worker.process.name, () => `runs task ${key}`);
    const record = this.#tasks.get(key);
    const { records, values } = this.#world;
    if (record?.ofValues) values.executed(key);
    if (record === undefined) records.violation("TASK-1", `${key} ran, which nobody submitted`);
    else if (times > 1 + record.retries + (this.#preempted.get(key) ?? 0)) {
      records.violation("TASK-1", `${key} ran ${times} times and may be retried ${record.retries} times`);
    }
    const other = this.#running.get(worker);
    if (other) records.violation("TASK-1", `${worker.process.name} runs ${key} beside ${other}`);
    this.#running.set(worker, key);
    const ran = this.#ranAt.get(worker.actorId) ?? new Set();
    this.#ranAt.set(worker.actorId, ran.add(key));
    // The order to stop may be on its way to the node.
    if (this.#stopping.has(worker.actorId)) this.#mayRepeat(key);
    return () => this.#running.delete(worker);
  }

  ended(
    record: TaskRecord,
    outcome: { readonly value: unknown } | { readonly error: PalimpsestError },
  ): void {
    const { records, scheduler, settings, story } = this.#world;
    const tookMs = scheduler.nowMs - record.sentAtMs;
    const what = "error" in outcome ? outcome.error.code : "value";
    story.tell(record.caller, () => `task ${record.key}: ${what} after ${tookMs.toFixed(0)} ms`);
    this.#open.delete(record.key);
    if (tookMs > settings.callTimeoutMs + lateMs)
      records.violation(
        "TASKQUEUE-1",
        `${record.key} settled ${tookMs.toFixed(0)} ms after it was submitted`,
      );
    if ("error" in outcome) {
      const { code, message } = outcome.error;
      const isAllowed = allowedFailures.has(code) || (record.ofValues && allowedOfValues.has(code));
      if (!isAllowed)
        records.violation("ERRORS", `task ${record.key} failed with ${message}, which no fault explains`);
      if (code === "TASK_ERROR" && !message.includes(record.key))
        records.violation("TASK-2", `${record.key} failed with the error of another task: ${message}`);
      return;
    }
    records.counts.tasks++;
    if (outcome.value !== record.key)
      records.violation("TASK-2", `${record.key} was answered with the value of ${String(outcome.value)}`);
    if (!this.#executions.has(record.key))
      records.violation("TASK-2", `${record.key} was answered and never ran`);
  }

  /** Records that a worker is stopped for others: what it ran and has not answered may run once more. */
  preempted(actorId: string): void {
    this.#stopping.add(actorId);
    for (const key of this.#ranAt.get(actorId) ?? []) this.#mayRepeat(key);
  }

  #mayRepeat(key: string): void {
    this.#preempted.set(key, (this.#preempted.get(key) ?? 0) + 1);
  }

  /** Returns whether every run that the task may have has begun. */
  isSpent({ key, retries }: TaskRecord): boolean {
    return (this.#executions.get(key) ?? 0) > retries;
  }

  /** Observes every message that arrives. */
  arrived({ method, toServer, body, to }: Arrival): void {
    if (method !== "Head.KillActor" || !toServer) return;
    const { actorId = "", noRestart } = body as proto.KillActorRequest.$Properties;
    if (!noRestart || !actorId?.startsWith("worker-") || this.#givenBack.has(actorId)) return;
    // A standby refuses it, and the client asks again.
    const { head } = this.#world;
    if (head?.process !== to || head.plane === undefined) return;
    this.#givenBack.set(actorId, { atMs: this.#world.scheduler.nowMs, head: to });
  }

  /**
   * TASKQUEUE-3: a worker that was given back is ended, instead of ending by itself after a minute without a client.
   */
  check(): void {
    const { scheduler, head, brokenUntilMs, losses, records } = this.#world;
    const running = new Set([...this.#world.workers].map(({ actorId }) => actorId));
    for (const [actorId, { atMs, head: asked }] of this.#givenBack) {
      if (!running.has(actorId)) {
        this.#givenBack.delete(actorId);
        continue;
      }
      const isExplained = brokenUntilMs > atMs || head?.process !== asked || losses.forGood > 0;
      if (scheduler.nowMs - atMs < endMs || isExplained) continue;
      records.violation("TASKQUEUE-3", `${actorId} was given back at ${atMs.toFixed(0)} ms and runs on`);
    }
  }

  /** After the calm, every task has its outcome and every worker was given back. */
  checkAtRest(): void {
    const { records, workers } = this.#world;
    for (const key of this.#open) {
      const task = this.#tasks.get(key);
      if (task && !task.process.ended) records.violation("TASKQUEUE-1", `task ${key} has no outcome at rest`);
    }
    for (const { spec, process } of workers)
      if (spec.taskWorker)
        records.violation("TASKQUEUE-3", `${process.name} runs at rest, and there is no task`);
  }
}
