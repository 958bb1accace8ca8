import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "@palimpsest/telemetry";
import * as proto from "@palimpsest/wire/protocol";
import { parseHeadConfig } from "../../packages/runtime/head/src/rules/config.js";
import { ControlPlane } from "../../packages/runtime/head/src/start/control-plane.js";
import type { StoreWrite } from "../../packages/runtime/head/src/store/store.js";
import { actorSpecFromProto } from "../../packages/runtime/head/src/tables/actor.js";
import { submissionFromProto } from "../../packages/runtime/head/src/tables/job.js";
import { groupSpecFromProto } from "../../packages/runtime/head/src/tables/placement-group.js";
import { MemoryStore } from "../../packages/runtime/head/src/testing/memory-store.js";
import { HeapClock } from "./heap-clock.js";

const minuteMs = 60_000;
const nodeCount = 10;
const jobLifeMinutes = 30;

/** A store that knows how much it has. */
class CountingStore extends MemoryStore {
  readonly #rows = new Map<string, number>();

  override async write(writes: readonly StoreWrite[]): Promise<void> {
    await super.write(writes);
    for (const { table, key, bytes } of writes) {
      if (bytes === undefined) this.#rows.delete(`${table} ${key}`);
      else this.#rows.set(`${table} ${key}`, bytes.byteLength);
    }
  }

  get size(): { readonly rows: number; readonly bytes: number } {
    let bytes = 0;
    for (const size of this.#rows.values()) bytes += size;
    return { rows: this.#rows.size, bytes };
  }
}

/** What the head remembers, and how long nodes live. */
export interface MonthLimits {
  readonly maxDeadActors: number;
  readonly maxEndedJobs: number;
  readonly nodeLifeMinutes: number;
}

/** With these what is remembered is full after a day, and must not grow from then on. */
const dayLimits: MonthLimits = { maxDeadActors: 200, maxEndedJobs: 500, nodeLifeMinutes: 150 };

export interface HeadSize {
  readonly day: number;
  readonly heapBytes: number;
  readonly storeRows: number;
  readonly storeBytes: number;
  /** The length of the metrics page. */
  readonly metricsBytes: number;
  readonly timers: number;
  readonly actors: number;
  readonly events: number;
  /** Tasks and calls that run, as processes told. */
  readonly live: number;
}

interface LivingJob {
  readonly jobId: string;
  readonly sessionId: string;
  readonly endsAt: number;
  readonly connection: { send(): void; close(): void };
  readonly groupId: string;
  readonly objects: string[];
}

/**
 * A head without sockets, in virtual time, with nodes that do what they are told: jobs with a session, actors, workers
 * for tasks, a placement group and objects each, of which every tenth is lost instead of ended; actors that crash; nodes
 * that come and go; reports of tasks, under names of their own.
 */
export class BusyMonth {
  readonly #clock: HeapClock;
  readonly #store: CountingStore;
  readonly #plane: ControlPlane;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #nodeLifeMinutes: number;
  readonly #nodes = new Map<string, number>();
  readonly #orders: { readonly nodeId: string; readonly message: proto.HeadMessage.$Properties }[] = [];
  readonly #jobs: LivingJob[] = [];
  /** What nodes have of each session. */
  readonly #held = new Map<string, { readonly nodeId: string; readonly stored: readonly string[] }>();
  #minute = 0;
  #number = 0;

  private constructor(
    clock: HeapClock,
    store: CountingStore,
    plane: ControlPlane,
    metrics: ReturnType<typeof createMetrics>,
    nodeLifeMinutes: number,
  ) {
    this.#nodeLifeMinutes = nodeLifeMinutes;
    this.#clock = clock;
    this.#store = store;
    this.#plane = plane;
    this.#metrics = metrics;
  }

  static async open(limits: MonthLimits = dayLimits): Promise<BusyMonth> {
    const { nodeLifeMinutes, ...remembered } = limits;
    const [clock, store] = [new HeapClock(), new CountingStore()];
    const metrics = createMetrics({ component: "head", processMetrics: false });
    const config = parseHeadConfig({
      ...{
        dataDir: join(tmpdir(), "palimpsest-bench"),
        heartbeatIntervalMs: minuteMs,
        nodeTimeoutMs: 5 * minuteMs,
      },
      ...{ sessionLeaseMs: 10 * minuteMs, fenceAfterMs: 6 * minuteMs, leaseMs: 5_000 },
      quotas: { jobs: { "*": { cpu: 6 } } },
      ...remembered,
    });
    const logger = createLogger({ component: "head", level: "silent" });
    const deps = { store, clock, logger, metrics, writeLog: async () => undefined };
    return new BusyMonth(clock, store, await ControlPlane.open(config, deps), metrics, nodeLifeMinutes);
  }

  /** Lets a virtual minute pass. */
  async minute(): Promise<void> {
    this.#minute += 1;
    this.#nodesCome();
    if (this.#minute % 2 === 0) this.#submit();
    this.#crashOne();
    this.#report();
    this.#endJobs();
    // Placements, orders and their answers take a few turns.
    for (let turn = 0; turn < 4; turn++) {
      await this.#clock.advance(minuteMs / 4);
      this.#obey();
    }
  }

  /** Collects garbage, and returns what the head takes. Needs `--expose-gc`. */
  async size(): Promise<HeadSize> {
    for (let turn = 0; turn < 3; turn++) {
      global.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { rows, bytes } = this.#store.size;
    const page = await this.#metrics.registry.metrics();
    return {
      day: this.#minute / 1_440,
      heapBytes: process.memoryUsage().heapUsed,
      storeRows: rows,
      storeBytes: bytes,
      metricsBytes: page.length,
      timers: this.#clock.timers,
      actors: this.#plane.actors.size,
      events: this.#plane.history.tasks.size,
      live: [...this.#plane.history.tasks.live()].length,
    };
  }

  close(): Promise<void> {
    return this.#plane.close();
  }

  /** Ids of one length: V8 stores texts of more than 12 characters in another way. */
  #id(kind: string): string {
    return `${kind}-${(++this.#number).toString(36).padStart(6, "0")}`;
  }

  #nodesCome(): void {
    const { nodes, lifecycle, jobLifecycle, objects } = this.#plane;
    for (const [nodeId, sinceMinute] of this.#nodes) {
      if (this.#minute - sinceMinute < this.#nodeLifeMinutes) nodes.heartbeat(nodeId);
      else this.#nodeLeaves(nodeId);
    }
    while (this.#nodes.size < nodeCount) {
      const nodeId = this.#id("node");
      // They leave one after another.
      const age = this.#minute === 1 ? (this.#nodes.size * this.#nodeLifeMinutes) / nodeCount : 0;
      this.#nodes.set(nodeId, this.#minute - age);
      const connection = {
        send: (message: proto.HeadMessage.$Properties) => void this.#orders.push({ nodeId, message }),
        close: () => undefined,
      };
      const total = { quantities: { cpu: 64, memory: 64e9 } };
      nodes.register(
        { nodeId, instanceId: nodeId, total, labels: {}, objectsAddress: `${nodeId}:1` },
        connection,
      );
      lifecycle.nodeRegistered(nodeId, []).settle();
      jobLifecycle.nodeRegistered(nodeId, []).settle();
      objects.nodeRegistered(nodeId);
      nodes.heartbeat(nodeId);
      objects.nodeTold(nodeId);
    }
  }

  #nodeLeaves(nodeId: string): void {
    this.#nodes.delete(nodeId);
    for (const [holder, held] of this.#held) if (held.nodeId === nodeId) this.#held.delete(holder);
  }

  #submit(): void {
    const { jobLifecycle, sessions, lifecycle, groups, objects, objectHolders } = this.#plane;
    const [jobId, sessionId, groupId] = [this.#id("job"), this.#id("session"), this.#id("group")];
    const bundle = this.#number.toString(16).padStart(64, "0");
    void jobLifecycle.submit(
      submissionFromProto({ submissionId: jobId, bundle, weight: 1 + (this.#minute % 3), argv: ["main.js"] }),
    );
    const connection = { send: () => undefined, close: () => undefined };
    sessions.open({ sessionId, jobId, name: jobId, pid: 1 }, connection);
    const group = { groupId, ownerId: sessionId, jobId, bundles: [{ quantities: { cpu: 1 } }] };
    void groups.create(groupSpecFromProto({ ...group, strategy: proto.GroupStrategy.GROUP_STRATEGY_PACK }));
    for (let each = 0; each < 8; each++) {
      const taskWorker = each % 4 === 3;
      const actorId = this.#id("actor");
      const spec: proto.ActorSpec.$Properties = {
        ...{ actorId, ownerId: sessionId, jobId, role: `role-${this.#minute % 50}` },
        code: { bundle, exportName: taskWorker ? "" : "Actor" },
        args: new Uint8Array(200),
        resources: { quantities: { cpu: 0.5 } },
        taskWorker,
        maxRestarts: taskWorker ? 0 : each % 3,
        name: each === 1 ? this.#id("name") : "",
        namespace: each === 2 ? this.#id("space") : "",
        scope: each === 0 ? { name: this.#id("scope"), max: 2 } : null,
        placement: each === 4 ? { groupId } : null,
        fence: each % 2 === 0 ? proto.Fence.FENCE_LEASE : proto.Fence.FENCE_NONE,
      };
      void lifecycle.create(actorSpecFromProto(spec));
    }
    const stored = Array.from({ length: 5 }, () => (++this.#number).toString(16).padStart(64, "0"));
    const [nodeId = ""] = this.#nodes.keys();
    objects.report(nodeId, {
      present: stored.map((objectId) => ({
        ...{ sha256: Buffer.from(objectId, "hex"), sizeBytes: 1_000_000, held: true, revision: this.#number },
      })),
    });
    objectHolders.reported(nodeId, [sessionId]);
    this.#held.set(sessionId, { nodeId, stored });
    const endsAt = this.#minute + jobLifeMinutes;
    this.#jobs.push({ jobId, sessionId, endsAt, connection, groupId, objects: stored });
  }

  /** Does what the head ordered: processes start, and end. */
  #obey(): void {
    const { lifecycle, jobLifecycle, objects } = this.#plane;
    for (const { nodeId, message } of this.#orders.splice(0)) {
      if (!this.#nodes.has(nodeId)) continue;
      const { startActor, stopActor, startDriver, stopDriver, dropObjects, endedHolders } = message;
      if (startActor) {
        const { spec, incarnation } = startActor;
        const report = { actorId: spec?.actorId ?? "", incarnation: incarnation ?? 0, pid: 7 };
        lifecycle.started(nodeId, { ...report, address: `${nodeId}:9` });
      }
      if (stopActor) this.#died(nodeId, stopActor.actorId ?? "");
      if (startDriver) jobLifecycle.driverStarted(nodeId, { jobId: startDriver.jobId ?? "", pid: 8 });
      if (stopDriver) this.#exited(nodeId, stopDriver.jobId ?? "", "SIGTERM");
      if (dropObjects)
        objects.report(nodeId, { gone: (dropObjects.objects ?? []).flatMap(({ sha256 }) => sha256 ?? []) });
      for (const holder of endedHolders?.holders ?? []) {
        objects.report(nodeId, {
          gone: (this.#held.get(holder)?.stored ?? []).map((id) => Buffer.from(id, "hex")),
        });
        this.#held.delete(holder);
      }
    }
  }

  #died(nodeId: string, actorId: string): void {
    const { incarnation = 1 } = this.#plane.actors.get(actorId) ?? {};
    const certificate = { reason: "its process exited with code 1", exitCode: 1, lastStderrLines: ["boom"] };
    this.#plane.lifecycle.died(nodeId, { actorId, incarnation, certificate });
  }

  #exited(nodeId: string, jobId: string, signal: string): void {
    const certificate = signal === "" ? { exitCode: 0 } : { signal };
    this.#plane.jobLifecycle.driverExited(nodeId, { jobId, certificate, outputBytes: 100 });
  }

  #crashOne(): void {
    const actors = this.#plane.actors.ofJob(this.#jobs[0]?.jobId ?? "");
    const one = actors.find(({ spec, state }) => state === "ALIVE" && !spec.taskWorker);
    if (one !== undefined) this.#died(one.nodeId, one.spec.actorId);
  }

  #report(): void {
    const { history, sessions, logs } = this.#plane;
    for (const { jobId, sessionId, connection } of this.#jobs) {
      sessions.renew(sessionId, connection);
      const events = Array.from(
        { length: 3 },
        (_, each): proto.TaskEvent.$Properties => ({
          ...{ taskId: this.#id("task"), kind: proto.TaskKind.TASK_KIND_TASK, name: `task-${jobId}` },
          state: each === 0 ? proto.TaskState.TASK_STATE_FINISHED : proto.TaskState.TASK_STATE_FAILED,
          errorMessage: each === 0 ? "" : `no ${this.#id("thing")} in the store of ${jobId}`.padEnd(150),
          endedAtUs: this.#clock.now() * 1_000,
        }),
      );
      history.tasks.report({
        ...{ reporterId: sessionId, jobId, ended: events },
        live: [
          { taskId: this.#id("task"), name: `task-${jobId}`, state: proto.TaskState.TASK_STATE_RUNNING },
        ],
        counts: [
          { kind: proto.TaskKind.TASK_KIND_TASK, name: `task-${jobId}`, finished: 1, failed: 1, running: 1 },
        ],
      });
      void logs.append(jobId, new Uint8Array(20), logs.sizeBytes(jobId));
    }
    for (const nodeId of this.#nodes.keys())
      history.use.report(nodeId, {
        cpuPercent: 50,
        processes: [{ id: this.#jobs[0]?.jobId ?? "", cpuPercent: 1 }],
      });
  }

  #endJobs(): void {
    const { sessions, objects, jobs } = this.#plane;
    while ((this.#jobs[0]?.endsAt ?? Number.POSITIVE_INFINITY) <= this.#minute) {
      const job = this.#jobs.shift();
      if (job === undefined) return;
      const { jobId, sessionId, connection, objects: stored } = job;
      const { nodeId, status } = jobs.get(jobId);
      // The head has another one dropped when the session ends.
      objects.free(stored.slice(0, 3), sessionId);
      if (this.#minute % 10 === 0) sessions.broken(sessionId, connection);
      else sessions.goodbye(sessionId);
      if (status === "RUNNING") this.#exited(nodeId, jobId, this.#minute % 7 === 0 ? "SIGKILL" : "");
    }
  }
}
