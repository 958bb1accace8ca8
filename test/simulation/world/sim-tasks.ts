import { PalimpsestError } from "@palimpsest/wire";
import { parseConnectOptions } from "../../../packages/runtime/client/src/base/config.js";
import type { ObjectRef } from "../../../packages/runtime/client/src/base/object-ref.js";
import { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import type { Method } from "../../../packages/runtime/worker/src/calls/invocation.js";
import type { TaskFunctions } from "../../../packages/runtime/worker/src/host/actor-host.js";
import type { TaskPlan } from "./task-records.js";
import { taskSource } from "./task-user.js";
import { bodyOf, type ValueBody } from "./value-records.js";
import type { SimWorker } from "./worker.js";
import type { World } from "./world.js";

/** The function whose result is a value. */
export const valueSource = { ...taskSource, exportName: "value" } as const;

export interface ValuePlan {
  readonly key: string;
  readonly runMs: number;
  /** The value that it reads first. */
  readonly input: ObjectRef<ValueBody> | undefined;
  readonly inputKey: string | undefined;
}

/** The functions that the simulation's task workers have. */
export class SimTasks implements TaskFunctions {
  /** The number of the last call that began, as the product's worker records it. */
  startedCalls = 0;
  readonly #world: World;
  readonly #worker: SimWorker;
  #unsure = false;
  #cluster: Promise<Cluster> | undefined;
  #children = 0;

  constructor(world: World, worker: SimWorker) {
    this.#world = world;
    this.#worker = worker;
  }

  methodOf(name: string): Method {
    if (name === taskSource.exportName) return (plan) => this.#task(plan as TaskPlan);
    if (name === valueSource.exportName) return (plan) => this.#value(plan as ValuePlan);
    throw new PalimpsestError("NOT_FOUND", `there is no task ${name}`);
  }

  abandoned(): void {
    this.#worker.exit({ exitCode: 0, signal: "" });
  }

  started(callId: number, _signal: () => AbortSignal, alone: boolean): void {
    this.#unsure ||= !alone;
    this.startedCalls = this.#unsure ? Number.MAX_SAFE_INTEGER : callId;
  }

  async #task(plan: TaskPlan): Promise<string> {
    const end = this.#world.tasks.executed(plan.key, this.#worker);
    try {
      await new Promise((resolve) => setTimeout(resolve, plan.runMs));
      if (plan.child) await this.#child(plan.child);
    } finally {
      end();
    }
    if (plan.outcome === "crash") this.#worker.crash(1, "");
    if (plan.outcome === "throw") throw new PalimpsestError("NOT_FOUND", `planned failure of ${plan.key}`);
    return plan.key;
  }

  async #value({ key, runMs, input, inputKey = "" }: ValuePlan): Promise<ValueBody> {
    const end = this.#world.tasks.executed(key, this.#worker);
    try {
      await new Promise((resolve) => setTimeout(resolve, runMs));
      if (input) {
        const body = await input.get().catch((reason: unknown) => {
          throw new Error(`planned: ${key} needs ${inputKey}`, { cause: reason });
        });
        if (body.key !== inputKey)
          this.#world.records.violation(
            "VALUES-2",
            `${key} got ${body.key} as its argument, not ${inputKey}`,
          );
      }
      return bodyOf(key, true);
    } finally {
      input?.release();
      end();
    }
  }

  /** Runs a child task: when the parent is retried, it runs another one. */
  async #child(planned: TaskPlan): Promise<void> {
    const { process, actorId } = this.#worker;
    const plan = { ...planned, key: `${planned.key}/${actorId}/${++this.#children}` };
    const record = this.#world.tasks.submitted({ key: plan.key, caller: actorId, process, retries: 3 });
    this.#cluster ??= this.#connect();
    const cluster = await this.#cluster;
    const task = cluster.task<(plan: TaskPlan) => Promise<string>>(taskSource, {
      resources: { cpu: 1 },
      timeoutMs: this.#world.settings.callTimeoutMs,
    });
    try {
      this.#world.tasks.ended(record, { value: await task(plan) });
    } catch (reason) {
      this.#world.tasks.ended(record, { error: PalimpsestError.from(reason) });
    }
  }

  #connect(): Promise<Cluster> {
    const { process, actorId, incarnation } = this.#worker;
    this.#worker.mayWait = true;
    const options = parseConnectOptions({
      address: this.#world.headAddresses,
      token: "token-of-the-simulation",
      name: actorId,
      connectTimeoutMs: 60_000,
      controlTimeoutMs: 60_000,
      owner: { actorId, incarnation, isTaskWorker: true },
    });
    return Cluster.over(this.#world.network.of(process), options);
  }
}
