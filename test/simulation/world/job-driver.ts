import type {
  DriverProcess,
  PrepareDriver,
} from "../../../packages/runtime/node/src/processes/driver-process.js";
import type { ProcessEnd } from "../../../packages/runtime/node/src/processes/supervised-process.js";
import type { SimNode } from "./node.js";
import type { SimProcess } from "./process.js";
import type { World } from "./world.js";

/** What a simulated job's driver does. It is the driver's only argument. */
export interface JobPlan {
  readonly runMs: number;
  readonly exitCode: number;
}

/** The driver of one job: a process that lives for a while. Its node runs the product's Drivers over it. */
export class SimJobDriver implements DriverProcess {
  readonly jobId: string;
  readonly node: SimNode;
  readonly process: SimProcess;
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #world: World;
  #resolveEnded!: (end: ProcessEnd) => void;
  #ending: { readonly exitCode: number | undefined; readonly signal: string } | undefined;
  stopReason: string | undefined;

  constructor(world: World, node: SimNode, jobId: string, plan: JobPlan) {
    this.#world = world;
    this.node = node;
    this.jobId = jobId;
    this.process = world.process(node.machine, jobId, node.process);
    this.pid = 10_000 + this.process.number;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    world.jobDrivers.add(this);
    this.process.onEnd(() => this.#ended());
    // As in driver-guard.ts, the driver ends when its node's end of the channel closes.
    node.process.onEnd(() => this.#later(world.random.between(1, 20), () => this.exit(0, "")));
    this.#later(plan.runMs, () => this.exit(plan.exitCode, ""));
    world.jobs.started(this);
  }

  stop(graceMs: number, reason: string): Promise<ProcessEnd> {
    this.stopReason ??= reason;
    if (graceMs === 0) this.exit(undefined, "SIGKILL");
    else {
      this.#world.scheduler.after(graceMs, this.node.process, () => this.exit(undefined, "SIGKILL"));
      this.#later(this.#world.random.between(1, 50), () => this.exit(undefined, "SIGTERM"));
    }
    return this.ended;
  }

  setReading(): void {}

  exit(exitCode: number | undefined, signal: string): void {
    if (this.process.ended) return;
    this.#ending = { exitCode, signal };
    this.process.kill();
  }

  #ended(): void {
    const { scheduler, story } = this.#world;
    this.#world.jobDrivers.delete(this);
    const { exitCode, signal } = this.#ending ?? { exitCode: undefined, signal: "SIGKILL" };
    story.tell(this.jobId, () => `driver ended: ${signal || exitCode}`);
    scheduler.after(2, this.node.process, () => {
      const diedAtMs = Date.now();
      this.#resolveEnded({
        exitCode,
        signal,
        lastStderrLines: [],
        lastSignMs: diedAtMs,
        diedAtMs,
        spawnError: undefined,
        killHint: "",
      });
    });
  }

  #later(delayMs: number, act: () => void): void {
    this.#world.scheduler.after(delayMs, this.process, act);
  }
}

/** Prepares drivers on a node: the download of what they need takes a while, and then they start. */
export function simulatedDrivers(world: World, node: SimNode): PrepareDriver {
  return async (order, signal) => {
    await new Promise<void>((resolve) =>
      world.scheduler.after(world.random.between(5, 500), node.process, resolve),
    );
    if (signal.aborted) throw signal.reason;
    const plan = JSON.parse(order.argv?.[1] ?? "{}") as JobPlan;
    return () => new SimJobDriver(world, node, order.jobId ?? "", plan);
  };
}
