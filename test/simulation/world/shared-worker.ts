/**
 * Responsibility: one process of light actors as its node sees it: takes the node's orders, serves the calls of all its
 *   actors, and says whose code ended it.
 * Not responsible for: which actors share it (the product's SharedProcesses), what one of them does (sim-actor.ts).
 */
import { actorHostService, addresseeOf, decodeValue, PalimpsestError, toGrpcError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { SharedWorker } from "../../../packages/runtime/node/src/processes/shared-process.js";
import type { ProcessEnd } from "../../../packages/runtime/node/src/processes/supervised-process.js";
import {
  type CallMetrics,
  createCallMetrics,
} from "../../../packages/runtime/worker/src/calls/call-metrics.js";
import type { CallerStream } from "../../../packages/runtime/worker/src/calls/caller.js";
import { ActorHost } from "../../../packages/runtime/worker/src/host/actor-host.js";
import { HostedActors } from "../../../packages/runtime/worker/src/host/hosted-actors.js";
import { serveMesh } from "../../../packages/runtime/worker/src/host/mesh-host.js";
import { serveShared } from "../../../packages/runtime/worker/src/host/shared-calls.js";
import type { SimNode } from "./node.js";
import type { SimProcess } from "./process.js";
import { type ActorPlan, SimActor, type SimHosted } from "./sim-actor.js";
import type { World } from "./world.js";

const hostBounds = { maxConcurrency: 1, maxPendingCalls: 10_000, maxPendingBytes: 256 * 1024 * 1024 };
/** A process that is blocked for too long is ended within this time. */
const endMs = 5_000;
type Event = proto.ActorProcessEvent;

export class SimSharedWorker implements SharedWorker {
  readonly process: SharedWorker["process"];
  readonly sim: SimProcess;
  readonly hosted = new HostedActors();
  readonly callMetrics: CallMetrics;
  readonly #world: World;
  readonly #node: SimNode;
  readonly #slots = new Map<number, SimLight>();
  #onEvent: (event: Event) => void = () => undefined;
  #startedPath = "";
  #servesAtMs = Number.POSITIVE_INFINITY;
  #stopReason: string | undefined;
  #exit: Pick<ProcessEnd, "exitCode" | "signal"> = { exitCode: undefined, signal: "SIGKILL" };

  constructor(world: World, node: SimNode) {
    this.#world = world;
    this.#node = node;
    this.sim = world.process(node.machine, `shared-${++world.sharedLives}`, node.process);
    this.callMetrics = createCallMetrics(world.metrics, { waiting: 0, running: 0 });
    const ended = new Promise<ProcessEnd>((resolve) => {
      this.sim.onEnd(() => {
        for (const light of this.#slots.values()) this.#over(light, "its process ended");
        world.sharedWorkers.delete(this);
        const now = Date.now();
        const end = {
          ...this.#exit,
          lastStderrLines: [],
          lastSignMs: now,
          diedAtMs: now,
          spawnError: undefined,
          killHint: "",
        };
        world.scheduler.after(2, node.process, () => resolve(end));
      });
    });
    world.sharedWorkers.add(this);
    // NODEPROCESS-1
    node.process.onEnd(() => this.#later(world.random.between(1, 20), () => this.sim.kill()));
    const self = this;
    this.process = {
      pid: 10_000 + this.sim.number,
      ended,
      get stopReason() {
        return self.#stopReason;
      },
      stop: (_graceMs, reason) => {
        this.#stopReason ??= reason;
        this.sim.kill();
        return ended;
      },
    };
  }

  assign(_logPath: string, onEvent: (event: Event) => void): void {
    this.#onEvent = onEvent;
  }

  order(order: proto.ActorProcessOrder.$Properties): void {
    if (order.ping && this.#world.plant.answersAlways) this.#tell({ answering: {} });
    else this.#later(1, () => this.#take(order));
  }

  closeOutput(): void {}

  readonly stack = { read: noStack, profile: noStack };

  /** SHAREDPROCESS-2: a process that answers nothing is ended, with the actors in it. */
  check(): void {
    const { process: node } = this.#node;
    const { pausedAtMs = Number.POSITIVE_INFINITY } = this.sim;
    const { scheduler, settings, records } = this.#world;
    const blockedMs = scheduler.nowMs - Math.max(pausedAtMs, this.#servesAtMs, node.resumedAtMs);
    if (this.#slots.size === 0 || node.paused || blockedMs < settings.sharedProcessBlockMs + endMs) return;
    records.violation(
      "SHAREDPROCESS-2",
      `${this.sim.name} answers nothing since ${pausedAtMs.toFixed(0)} ms and runs`,
    );
  }

  /** Ends the process by the code of one of its actors; its mark names the actor (LIGHT-1). */
  crash(slot: number, exitCode: number, signal: string): void {
    if (this.sim.ended) return;
    this.#exit = { exitCode: signal === "" ? exitCode : undefined, signal };
    // When a kill comes from outside, usually none of the actors' code is running.
    if (signal === "") this.#world.marks.set(this.#startedPath, slot);
    this.sim.kill();
  }

  #take({ startShared, shared, ping }: proto.ActorProcessOrder.$Properties): void {
    if (startShared) {
      this.#startedPath = startShared.startedPath ?? "";
      this.#later(this.#world.random.between(50, 400), () => void this.#serve());
    }
    for (const order of shared?.start ?? []) this.#begin(order);
    for (const { slot } of shared?.stop ?? [])
      this.#later(this.#world.random.between(0, 5), () => this.#stop(slot ?? 0));
    if (ping) this.#tell({ answering: {} });
  }

  async #serve(): Promise<void> {
    const server = this.#world.network.of(this.sim).createServer();
    server.addService(actorHostService, {
      calls: (stream: CallerStream) => this.#accept(stream),
      meshCalls: (stream: CallerStream) => serveMesh(this.hosted, stream),
      sharedCalls: (stream: CallerStream) => serveShared(this.hosted, stream),
    });
    const address = await server.listen(this.sim.machine, 0);
    this.#servesAtMs = this.#world.scheduler.nowMs;
    this.#tell({ ready: { address, metricsAddress: "" } });
  }

  #accept(stream: CallerStream): void {
    const { actorId } = addresseeOf(stream.metadata);
    const light = [...this.#slots.values()].find((one) => one.actorId === actorId);
    if (light) light.host.accept(stream);
    else
      stream.emit(
        "error",
        toGrpcError(new PalimpsestError("ACTOR_UNAVAILABLE", `${actorId} is not in this process`)),
      );
  }

  #begin({ slot: number, spec, incarnation }: proto.SharedActor.$Properties): void {
    const slot = number ?? 0;
    const [plan] = decodeValue(spec?.args ?? new Uint8Array()) as [ActorPlan];
    const light = new SimLight(this.#world, this, slot, spec ?? {}, incarnation ?? 0);
    this.#slots.set(slot, light);
    this.#world.workers.add(light);
    this.#node.workers.add(light);
    this.#world.records.workerStarted(light, this.#node);
    this.#later(plan.startMs, () => {
      if (this.#slots.get(slot) !== light) return;
      if (plan.throws) {
        this.#over(light, "planned: its constructor threw");
        const failed = { code: "ACTOR_ERROR", message: "planned: its constructor threw", retryable: false };
        this.#tell({ shared: { ended: [{ slot, failed }] } });
        return;
      }
      light.serve();
      this.#tell({ shared: { ready: [slot] } });
    });
  }

  #stop(slot: number): void {
    const light = this.#slots.get(slot);
    if (light === undefined) return;
    light.leave();
    this.#over(light, "it was stopped");
    this.#tell({ shared: { ended: [{ slot }] } });
  }

  #over(light: SimLight, reason: string): void {
    light.serving = false;
    this.#slots.delete(light.slot);
    this.#world.workers.delete(light);
    this.#node.workers.delete(light);
    this.#world.story.tell(light.name, () => `ended: ${reason}`);
    this.#world.records.workerEnded(light);
  }

  #tell(event: proto.ActorProcessEvent.$Properties): void {
    this.#world.scheduler.after(1, this.#node.process, () => this.#onEvent(event as Event));
  }

  #later(delayMs: number, act: () => void): void {
    this.#world.scheduler.after(delayMs, this.sim, act);
  }
}

/** One light actor: the product's ActorHost over a simulated instance. */
class SimLight implements SimHosted {
  readonly name: string;
  readonly actorId: string;
  readonly incarnation: number;
  readonly spec: proto.ActorSpec.$Properties;
  readonly process: SimProcess;
  readonly slot: number;
  readonly host: ActorHost;
  readonly mayWait = false;
  readonly #world: World;
  readonly #shared: SimSharedWorker;
  serving = false;

  constructor(
    world: World,
    shared: SimSharedWorker,
    slot: number,
    spec: proto.ActorSpec.$Properties,
    incarnation: number,
  ) {
    this.#world = world;
    this.#shared = shared;
    this.slot = slot;
    this.spec = spec;
    this.actorId = spec.actorId ?? "";
    this.incarnation = incarnation;
    this.name = `${this.actorId}#${incarnation}`;
    this.process = shared.sim;
    const { hosted, callMetrics } = shared;
    this.host = ActorHost.behind({ actorId: this.actorId, incarnation, hosted, ...hostBounds }, callMetrics);
  }

  serve(): void {
    this.serving = true;
    this.host.serve(new SimActor(this.#world, this));
    this.#world.story.tell(this.name, () => `serves in ${this.process.name}`);
  }

  leave(): void {
    this.host.end();
    this.host.leave(new PalimpsestError("ACTOR_UNAVAILABLE", "the actor was stopped"));
  }

  crash(exitCode: number, signal: string): void {
    this.#shared.crash(this.slot, exitCode, signal);
  }

  /** Does nothing, because light actors of the simulation are given no values. */
  dropValues(): void {}
}

function noStack(): Promise<never> {
  return Promise.reject(new PalimpsestError("UNAVAILABLE", "processes of the simulation have no stacks"));
}
