import { decodeValue, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { HeadClient } from "../../../packages/runtime/client/src/base/head-client.js";
import { ValueStore } from "../../../packages/runtime/client/src/values/value-store.js";
import type {
  ActorEnd,
  ActorProcessOptions,
} from "../../../packages/runtime/node/src/processes/actor-process.js";
import type { SupervisedActor } from "../../../packages/runtime/node/src/processes/supervised-actor.js";
import type { DurableActor } from "../../../packages/runtime/worker/src/durable/durable-actor.js";
import { openDurable } from "../../../packages/runtime/worker/src/durable/open-durable.js";
import { ActorHost } from "../../../packages/runtime/worker/src/host/actor-host.js";
import type { SimProcess } from "./process.js";
import { objectsPort } from "./settings.js";
import { type ActorPlan, SimActor, type SimHosted } from "./sim-actor.js";
import { SimDurable } from "./sim-durable.js";
import { SimTasks } from "./sim-tasks.js";
import type { World } from "./world.js";

const defaults = { maxConcurrency: 1, maxPendingCalls: 10_000, maxPendingBytes: 256 * 1024 * 1024 };

/** The exit codes and the time limit of the product's process of an actor. */
const [constructorFailedCode, refusedCode, headTimeoutMs] = [70, 71, 30_000];

const taskWorkerPlan: ActorPlan = { key: "tasks", throws: false, startMs: 0 };

/** One process of one actor: the product's ActorHost over a simulated instance. Its node observes it as over IPC. */
export class SimWorker implements SupervisedActor, SimHosted {
  readonly actorId: string;
  readonly incarnation: number;
  readonly spec: proto.ActorSpec.$Properties;
  readonly name: string;
  readonly process: SimProcess;
  readonly pid: number;
  readonly ready: Promise<proto.ActorProcessReady.$Properties | undefined>;
  readonly ended: Promise<ActorEnd>;
  readonly #world: World;
  readonly #node: SimProcess;
  #host: ActorHost | undefined;
  #stopReason: string | undefined;
  #settleReady!: (ready: proto.ActorProcessReady.$Properties | undefined) => void;
  #settleEnd!: (end: ActorEnd) => void;
  #ending: { exitCode?: number; signal: string; error?: PalimpsestError } | undefined;
  serving = false;
  /** Whether it has started its own tasks, in which case it may lease less than its resource shape. */
  mayWait = false;
  readonly #tasks: SimTasks | undefined;
  #instance: SimActor | undefined;
  #durable: DurableActor | undefined;

  constructor(world: World, node: SimProcess, options: ActorProcessOptions) {
    this.#world = world;
    this.#node = node;
    this.spec = options.start.spec ?? {};
    this.actorId = this.spec.actorId ?? "";
    this.incarnation = options.start.incarnation ?? 0;
    this.name = `${this.actorId}#${this.incarnation}`;
    this.process = world.process(node.machine, this.name, node);
    this.pid = 10_000 + this.process.number;
    this.ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
    world.workers.add(this);
    this.process.onEnd(() => this.#ended());
    // NODEPROCESS-1: the process ends when its node's end of the channel closes.
    node.onEnd(() => this.#later(world.random.between(1, 20), () => this.exit({ exitCode: 0, signal: "" })));
    this.#tasks = this.spec.taskWorker ? new SimTasks(world, this) : undefined;
    const plan = this.#tasks
      ? taskWorkerPlan
      : (decodeValue(this.spec.args ?? new Uint8Array()) as [ActorPlan])[0];
    this.#later(world.random.between(50, 400) + plan.startMs, () => void this.#start(plan));
    world.scheduler.after(options.startTimeoutMs, node, () => {
      if (!this.serving) void this.stop(0, `it was not ready within ${options.startTimeoutMs} ms`);
    });
  }

  get stopping(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Does nothing, because credentials are not simulated. */
  adopt(): void {}

  async stop(graceMs: number, reason: string): Promise<void> {
    this.#stopReason ??= reason;
    if (graceMs === 0) {
      this.exit({ signal: "SIGKILL" });
      return;
    }
    this.#world.scheduler.after(graceMs, this.#node, () => this.exit({ signal: "SIGKILL" }));
    this.#later(this.#world.random.between(1, 50), () => void this.#stopInOrder());
  }

  crash(exitCode: number, signal: string): void {
    this.exit(signal === "" ? { exitCode, signal } : { signal });
  }

  exit(ending: { exitCode?: number; signal: string; error?: PalimpsestError }): void {
    if (this.process.ended) return;
    this.#ending = ending;
    this.process.kill();
  }

  async #start(plan: ActorPlan): Promise<void> {
    const { spec, incarnation } = this;
    if (plan.throws) {
      this.exit({
        exitCode: 1,
        signal: "",
        error: new PalimpsestError("ACTOR_ERROR", "planned: its constructor threw"),
      });
      return;
    }
    const values = new ValueStore({
      address: async () => `${this.process.machine}:${objectsPort}`,
      network: this.#world.network.of(this.process),
      holder: `${this.actorId}.${incarnation}`,
      isTaskWorker: spec.taskWorker ?? false,
      handle: () => undefined,
    });
    const { host, address } = await ActorHost.start(
      this.#world.plant.hostOptions({
        actorId: this.actorId,
        incarnation,
        maxConcurrency: spec.maxConcurrency || defaults.maxConcurrency,
        maxPendingCalls: spec.maxPendingCalls || defaults.maxPendingCalls,
        maxPendingBytes: spec.maxPendingBytes || defaults.maxPendingBytes,
        network: this.#world.network.of(this.process),
        listenHost: this.process.machine,
        ...(this.#world.settings.values ? { values: () => values } : {}),
      }),
      { metrics: this.#world.metrics },
    );
    this.#host = host;
    if (this.#tasks) host.serveTasks(this.#tasks);
    else if (spec.durable) {
      const error = await this.#serveDurable(host).then(() => undefined, PalimpsestError.from);
      if (error) {
        this.exit({ exitCode: constructorFailedCode, signal: "", error });
        return;
      }
    } else {
      this.#instance = new SimActor(this.#world, this);
      host.serve(this.#instance);
    }
    this.serving = true;
    const ready = { address, metricsAddress: "" };
    this.#world.story.tell(this.process.name, () => `serves at ${address}`);
    this.#world.scheduler.after(1, this.#node, () => this.#settleReady(ready));
  }

  /** Serves a durable actor as the product's process does. */
  async #serveDurable(host: ActorHost): Promise<void> {
    const world = this.#world;
    const head = new HeadClient(world.network.of(this.process), world.headAddresses, headTimeoutMs);
    const durable = await openDurable(this.spec, this.incarnation, {
      head: world.plant.durableHead(head),
      logger: world.logger(this.name),
      onRefused: (error) => {
        world.story.tell(this.name, () => `may not commit: ${error.message}`);
        world.durables.refused(this.name, error);
        this.exit({ exitCode: refusedCode, signal: "" });
      },
    });
    this.#durable = durable;
    const instance = new SimDurable(world, this, durable);
    await durable.call(undefined, "start", () => instance.start());
    host.serve(instance, durable);
    durable.serve((name) => host.methodOf(name));
  }

  /** Releases all values that it was given. */
  dropValues(): void {
    this.#later(0, () => this.#instance?.dropAll());
  }

  async #stopInOrder(): Promise<void> {
    this.#durable?.close();
    await this.#host?.close();
    this.exit({ exitCode: 0, signal: "" });
  }

  /** Ends the process as its node sees it. */
  #ended(): void {
    this.serving = false;
    this.#world.workers.delete(this);
    const ending = this.#ending ?? { signal: "SIGKILL" };
    const reason =
      this.#stopReason ??
      ending.error?.rawMessage ??
      `its process ended (${ending.signal || ending.exitCode})`;
    this.#world.story.tell(this.process.name, () => `ended: ${reason}`);
    this.#world.records.workerEnded(this);
    // Its caller may not hold the result yet: without a head, nobody finds the node that has it.
    if (reason.includes("could not renew its lease"))
      this.#world.values.nodeLostMs = this.#world.scheduler.nowMs;
    this.#world.scheduler.after(2, this.#node, () => {
      this.#settleReady(undefined);
      const certificate = {
        reason,
        nodeId: "",
        pid: this.pid,
        signal: ending.signal,
        diedAtMs: Date.now(),
        ...(ending.exitCode === undefined ? {} : { exitCode: ending.exitCode }),
        ...(this.#tasks ? { startedCalls: this.#world.plant.startedCalls(this.#tasks.startedCalls) } : {}),
      };
      this.#settleEnd({ certificate, constructorError: ending.error });
    });
  }

  #later(delayMs: number, act: () => void): void {
    this.#world.scheduler.after(delayMs, this.process, act);
  }
}
