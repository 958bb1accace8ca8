/** A cluster and its provider in memory: nodes join some time after they were created, and take waiting work. */
import {
  chooseGpus,
  type NodeView,
  type PendingDemand,
  type PlacementRequest,
  type Quantities,
  type ScalableCluster,
  type ScaledNode,
  subtractQuantities,
  takeGpus,
  wholeGpus,
} from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { PalimpsestError } from "@palimpsest/wire";
import { type Instance, instanceLabel, type NewInstance, type NodeProvider } from "../provider.js";

interface Machine {
  readonly instance: NewInstance;
  readonly createdAtMs: number;
  /** Undefined when the instance never joins. */
  readonly joinsAtMs: number | undefined;
  endsAtMs: number | undefined;
  view: NodeView;
  busyUntilMs: number;
  idleSinceMs: number;
  died: boolean;
}

/** Requests to the provider, which a test can inspect and make fail. */
export class SimulatedCloud implements NodeProvider, ScalableCluster {
  readonly kind = "simulated";
  readonly clusterName = "Test";
  readonly address = "127.0.0.1:1";
  readonly machines = new Map<string, Machine>();
  readonly created: string[] = [];
  readonly terminated: string[] = [];
  /** Waiting work. Each item takes its resources for runMs once it has a node. */
  readonly waiting: { readonly resources: Quantities; readonly runMs: number }[] = [];
  bootMs = 5_000;
  endMs = 2_000;
  leads = true;
  fail: (operation: "list" | "create" | "terminate", name: string) => PalimpsestError | undefined = () =>
    undefined;
  hangs = false;
  /** Nodes that were retired or ended while something ran on them. */
  readonly broken: string[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async list(): Promise<readonly Instance[]> {
    await this.#answer("list", "");
    this.#advance();
    const nowMs = this.#clock.now();
    return [...this.machines.values()].map(({ instance, createdAtMs, joinsAtMs, endsAtMs, died }) => ({
      ...{ name: instance.name, nodeType: instance.type.name, createdAtMs },
      state: endsAtMs ? "ending" : died ? "ended" : (joinsAtMs ?? Infinity) <= nowMs ? "running" : "starting",
      problem: joinsAtMs === undefined ? "Unschedulable: no machine" : "",
    }));
  }

  async create(instances: readonly NewInstance[]): Promise<void> {
    for (const instance of instances) {
      const { name, type } = instance;
      await this.#answer("create", name);
      if (this.machines.has(name)) continue;
      const nowMs = this.#clock.now();
      this.created.push(name);
      this.machines.set(name, {
        ...{ instance, createdAtMs: nowMs, busyUntilMs: 0, idleSinceMs: nowMs, died: false },
        joinsAtMs: Number.isFinite(this.bootMs) ? nowMs + this.bootMs : undefined,
        endsAtMs: undefined,
        view: {
          ...{ nodeId: `node-of-${name}`, total: type.resources, available: type.resources },
          ...{ labels: { ...type.labels, [instanceLabel]: name }, leases: 0 },
          gpus: wholeGpus(type.resources["gpu"] ?? 0),
        },
      });
    }
  }

  async terminate(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#answer("terminate", name);
      const machine = this.machines.get(name);
      if (machine === undefined || machine.endsAtMs !== undefined) continue;
      if (machine.view.leases > 0) this.broken.push(name);
      this.terminated.push(name);
      machine.endsAtMs = this.#clock.now() + this.endMs;
    }
  }

  demand(): PendingDemand {
    this.#advance();
    const asks = (resources: Quantities): PlacementRequest => ({ resources, labels: {} });
    return {
      requests: this.waiting.map(({ resources }) => ({ request: asks(resources), count: 1 })),
      groups: [],
    };
  }

  nodes(): readonly ScaledNode[] {
    this.#advance();
    const nowMs = this.#clock.now();
    return [...this.machines.values()].flatMap((machine): ScaledNode[] => {
      const { view, joinsAtMs, endsAtMs, idleSinceMs, died } = machine;
      if (joinsAtMs === undefined || joinsAtMs > nowMs) return [];
      const { nodeId, labels } = view;
      const dead = died || endsAtMs !== undefined;
      if (dead) return [{ nodeId, labels, state: "dead", view: undefined, idleMs: 0 }];
      return [{ nodeId, labels, state: "alive", view, idleMs: view.leases > 0 ? 0 : nowMs - idleSinceMs }];
    });
  }

  retire(nodeId: string): boolean {
    const machine = [...this.machines.values()].find(({ view }) => view.nodeId === nodeId);
    return machine !== undefined && machine.view.leases === 0;
  }

  confirmLead(): Promise<void> {
    return this.leads ? Promise.resolve() : new Promise(() => undefined);
  }

  /** Kills the process of an instance. */
  kill(name: string): void {
    const machine = this.machines.get(name);
    if (machine) machine.died = true;
  }

  async #answer(operation: "list" | "create" | "terminate", name: string): Promise<void> {
    if (this.hangs) await new Promise(() => undefined);
    const error = this.fail(operation, name);
    if (error) throw error;
  }

  /** Ends work whose time is over and places what waits. */
  #advance(): void {
    const nowMs = this.#clock.now();
    for (const [name, machine] of this.machines) {
      if (machine.endsAtMs !== undefined && machine.endsAtMs <= nowMs) this.machines.delete(name);
      if (machine.view.leases > 0 && machine.busyUntilMs <= nowMs) {
        const { total } = machine.view;
        machine.view = { ...machine.view, available: total, gpus: wholeGpus(total["gpu"] ?? 0), leases: 0 };
        machine.idleSinceMs = machine.busyUntilMs;
      }
    }
    for (const request of [...this.waiting]) {
      const machine = [...this.machines.values()].find((one) => {
        const joined = (one.joinsAtMs ?? Infinity) <= nowMs && !one.died && one.endsAtMs === undefined;
        const enough = Object.entries(request.resources).every(
          ([name, amount]) => (one.view.available[name] ?? 0) >= amount,
        );
        return joined && enough;
      });
      if (machine === undefined) continue;
      const { view } = machine;
      const gpu = request.resources["gpu"] ?? 0;
      const gpus = takeGpus(view.gpus, chooseGpus(view.gpus, gpu) ?? [], gpu);
      const available = subtractQuantities(view.available, request.resources);
      machine.view = { ...view, available, gpus, leases: view.leases + 1 };
      machine.busyUntilMs = Math.max(machine.busyUntilMs, nowMs + request.runMs);
      this.waiting.splice(this.waiting.indexOf(request), 1);
    }
  }
}
