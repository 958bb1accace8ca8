/**
 * Responsibility: the process of many light actors: one address, one metrics page and one copy of the module for all.
 * Not responsible for: one actor (shared-actor.ts), or the channel to the node (main.ts).
 *
 * Invariants:
 * - LIGHT-1. While the synchronous part of an actor's code runs, the mark names its slot, so that the node knows
 *   whose code was running when the process ended. After an uncaught error or process.exit(), the mark names the
 *   actor in whose asynchronous context it happened.
 * - LIGHT-2. An actor that fails to start, or ends, affects no other.
 * - LIGHT-3. The end of each started slot is reported once, unless the process ends before.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ActorContext } from "@palimpsest/client";
import { knowBundle } from "@palimpsest/client";
import {
  createMetrics,
  type Metrics,
  type MetricsServer,
  serveMetrics,
  tracing,
} from "@palimpsest/telemetry";
import {
  actorHostService,
  addresseeOf,
  adoptCredentials,
  errorToProto,
  freeText,
  httpGuard,
  listenWithin,
  PalimpsestError,
  type RpcServer,
  thrownMessage,
  thrownText,
  toGrpcError,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { loadActorClass } from "../base/actor-class.js";
import { portsOf } from "../base/listen-ports.js";
import { openServices, type ProcessServices } from "../base/process-services.js";
import { openProcessTracing } from "../base/process-tracing.js";
import { StartedMark } from "../base/started-mark.js";
import { type CallMetrics, createCallMetrics } from "../calls/call-metrics.js";
import type { CallerStream } from "../calls/caller.js";
import { HostedActors } from "../host/hosted-actors.js";
import { serveMesh } from "../host/mesh-host.js";
import { serveShared } from "../host/shared-calls.js";
import type { RunningActorProcess } from "./actor-process.js";
import { SharedActor } from "./shared-actor.js";
import { SharedOutput } from "./shared-output.js";

/** The grace period for stop() of an actor that ends itself, and of all actors when the process ends. */
const exitGraceMs = 5_000;
/** The milliseconds that the process waits at its end until pending spans are sent. */
const flushMs = 1_000;

export interface SharedListener {
  /** Receives the events of actors, one message per turn of the event loop. */
  tell(news: proto.SharedNews.$Properties): void;
  /** Receives reports about their calls, at most one per actor and second. */
  onTasks(report: proto.TaskReport.$Properties): void;
}

interface Hosted {
  readonly slot: number;
  readonly actorId: string;
  readonly incarnation: number;
  readonly actor: SharedActor;
  exiting: proto.ActorProcessExiting.$Properties | undefined;
}

export class SharedProcess implements RunningActorProcess {
  readonly #start: proto.ActorProcessStart.$Properties;
  readonly #services: ProcessServices;
  readonly #environment: ActorContext["environment"];
  readonly #told: SharedListener;
  readonly #mark: StartedMark;
  readonly #current = new AsyncLocalStorage<number>();
  readonly #output: SharedOutput;
  readonly #metrics: Metrics;
  readonly #callMetrics: CallMetrics;
  readonly #hosted = new HostedActors();
  readonly #slots = new Map<number, Hosted>();
  readonly #byActor = new Map<string, Hosted>();
  readonly #classes = new Map<string, ReturnType<typeof loadActorClass>>();
  #news: { ready: number[]; ended: proto.SharedActorEnded.$Properties[] } | undefined;
  #server: RpcServer | undefined;
  #metricsServer: MetricsServer | undefined;
  #ready: proto.ActorProcessReady.$Properties = {};

  private constructor(
    start: proto.ActorProcessStart.$Properties,
    environment: ActorContext["environment"],
    told: SharedListener,
  ) {
    this.#start = start;
    this.#environment = environment;
    this.#told = told;
    this.#services = openServices(start);
    this.#mark = StartedMark.open(start.startedPath ?? "");
    this.#output = new SharedOutput(start.logsPath ?? "");
    this.#output.watch([process.stdout, process.stderr], () => {
      const slot = this.#current.getStore();
      return slot === undefined ? undefined : this.#slots.get(slot);
    });
    const { spec, nodeId } = start;
    this.#metrics = createMetrics({
      component: spec?.role || "actor",
      labels: { actor_id: "", node_id: nodeId ?? "", job_id: spec?.jobId ?? "" },
    });
    const sum = (kind: "waiting" | "running") => this.#sum(kind);
    this.#callMetrics = createCallMetrics(this.#metrics, {
      get waiting() {
        return sum("waiting");
      },
      get running() {
        return sum("running");
      },
    });
  }

  static async start(
    start: proto.ActorProcessStart.$Properties,
    environment: ActorContext["environment"],
    told: SharedListener,
  ): Promise<SharedProcess> {
    const shared = new SharedProcess(start, environment, told);
    await shared.#open();
    return shared;
  }

  get ready(): proto.ActorProcessReady.$Properties {
    return this.#ready;
  }

  carryOut({ start, stop }: proto.SharedOrders.$Properties): void {
    for (const order of start ?? []) void this.#begin(order);
    for (const { slot, graceMs } of stop ?? []) void this.#stop(slot ?? 0, graceMs ?? 0);
  }

  adopt(credentials: proto.ProcessCredentials.$Properties): void {
    adoptCredentials(this.#services.credentials, credentials, (reason) => {
      process.stderr.write(
        `the node's new certificate cannot be used; the earlier one stays in use: ${thrownText(reason)}\n`,
      );
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#slots.keys()].map((slot) => this.#stop(slot, exitGraceMs)));
    await tracing()?.flush(flushMs);
    await Promise.all([this.#server?.close(200), this.#metricsServer?.close()]);
    this.#services.close();
  }

  async #open(): Promise<void> {
    await openProcessTracing(this.#start, this.#environment, this.#metrics);
    const { network, credentials, onCall } = this.#services;
    const host = this.#start.listenHost || "127.0.0.1";
    const ports = portsOf(this.#start);
    const server = network.createServer();
    this.#server = server;
    server.addService(actorHostService, {
      calls: (stream) => this.#accept(stream),
      meshCalls: (stream) => serveMesh(this.#hosted, stream),
      sharedCalls: (stream) => serveShared(this.#hosted, stream),
    });
    const [address, metricsServer] = await Promise.all([
      listenWithin(ports, (port) => server.listen(host, port)),
      listenWithin(ports, (port) =>
        serveMetrics(this.#metrics.registry, { guard: httpGuard(credentials, onCall), host, port }),
      ),
    ]);
    this.#metricsServer = metricsServer;
    this.#ready = { address, metricsAddress: metricsServer.address };
    const bundle = this.#start.spec?.code?.bundle;
    if (bundle) knowBundle(this.#start.moduleUrl ?? "", bundle);
    this.#nameGuilty();
  }

  /** LIGHT-1 */
  #nameGuilty(): void {
    const name = () => {
      const slot = this.#current.getStore();
      if (slot !== undefined) this.#mark.write(slot);
    };
    process.on("uncaughtException", (error) => {
      name();
      process.stderr.write(`${thrownText(error)}\n`);
      process.exit(1);
    });
    process.on("exit", name);
  }

  #around<Result>(slot: number, call: () => Result): Result {
    this.#mark.write(slot);
    try {
      return this.#current.run(slot, call);
    } finally {
      this.#mark.write(0);
    }
  }

  #accept(stream: CallerStream): void {
    const { actorId } = addresseeOf(stream.metadata);
    const hosted = this.#byActor.get(actorId);
    if (hosted) hosted.actor.host.accept(stream);
    else
      stream.emit(
        "error",
        toGrpcError(
          new PalimpsestError(
            "ACTOR_UNAVAILABLE",
            `${actorId || "no actor"} is not in this process; resolve the actor again`,
          ),
        ),
      );
  }

  async #begin({ slot = 0, spec, incarnation }: proto.SharedActor.$Properties): Promise<void> {
    const number = slot ?? 0;
    const actorId = spec?.actorId ?? "";
    const hosted: Hosted = {
      slot: number,
      actorId,
      incarnation: incarnation ?? 0,
      actor: new SharedActor({
        start: { ...this.#start, spec: spec ?? {}, incarnation: incarnation ?? 0 },
        services: this.#services,
        metrics: this.#metrics,
        callMetrics: this.#callMetrics,
        hosted: this.#hosted,
        onTasks: this.#told.onTasks,
        environment: this.#environment,
        around: (call) => this.#around(number, call),
        onExit: (reason) => {
          hosted.exiting = { reason: freeText(thrownMessage(reason)) };
          void this.#stop(number, exitGraceMs);
        },
      }),
      exiting: undefined,
    };
    this.#slots.set(number, hosted);
    this.#byActor.set(actorId, hosted);
    try {
      await hosted.actor.begin(await this.#classOf(spec?.code?.exportName ?? ""));
      if (this.#slots.get(number) === hosted) this.#newsOf().ready.push(number);
    } catch (reason) {
      if (this.#forget(hosted)) this.#newsOf().ended.push({ slot: number, failed: errorToProto(reason) });
      void hosted.actor.stop(0, "its start failed");
    }
  }

  async #stop(slot: number, graceMs: number): Promise<void> {
    const hosted = this.#slots.get(slot);
    if (!hosted) return;
    await hosted.actor.stop(graceMs, "the actor was stopped");
    if (!this.#forget(hosted)) return;
    const { exiting } = hosted;
    this.#newsOf().ended.push({ slot, ...(exiting ? { exiting } : {}) });
  }

  #forget(hosted: Hosted): boolean {
    this.#output.ended(hosted);
    if (this.#byActor.get(hosted.actorId) === hosted) this.#byActor.delete(hosted.actorId);
    return this.#slots.delete(hosted.slot);
  }

  #classOf(exportName: string): ReturnType<typeof loadActorClass> {
    const known = this.#classes.get(exportName);
    if (known !== undefined) return known;
    const loading = loadActorClass({ moduleUrl: this.#start.moduleUrl ?? "", exportName });
    this.#classes.set(exportName, loading);
    loading.catch(() => this.#classes.delete(exportName));
    return loading;
  }

  #newsOf(): { ready: number[]; ended: proto.SharedActorEnded.$Properties[] } {
    if (this.#news) return this.#news;
    const news: { ready: number[]; ended: proto.SharedActorEnded.$Properties[] } = { ready: [], ended: [] };
    this.#news = news;
    setImmediate(() => {
      this.#news = undefined;
      this.#told.tell(news);
    });
    return news;
  }

  #sum(kind: "waiting" | "running"): number {
    let sum = 0;
    for (const { actor } of this.#slots.values()) sum += actor.host.mailbox[kind];
    return sum;
  }
}
