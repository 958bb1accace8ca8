import { PalimpsestError } from "@palimpsest/wire";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { TaskPlan } from "./task-records.js";
import type { World } from "./world.js";

export const taskSource = { module: "@palimpsest/simulation", exportName: "task" } as const;
type SimTask = (plan: TaskPlan) => Promise<string>;

/** Submits tasks through the product's client, in bursts, and cancels some of them. */
export class TaskUser {
  readonly #world: World;
  readonly #name: string;
  readonly #process: SimProcess;
  readonly #random: Random;
  #submitted = 0;

  constructor(world: World, name: string, process: SimProcess) {
    this.#world = world;
    this.#name = name;
    this.#process = process;
    this.#random = new Random(`${world.seed}/${name}/tasks`);
  }

  wants(): boolean {
    return this.#random.chance(0.3);
  }

  operate(cluster: Cluster): void {
    const random = this.#random;
    const burst = 1 + random.below(random.chance(0.2) ? 30 : 4);
    const retries = random.pick([0, 1, 3]) ?? 3;
    for (let index = 0; index < burst; index++) void this.#run(cluster, retries);
  }

  async #run(cluster: Cluster, retries: number): Promise<void> {
    const random = this.#random;
    const plan = this.#plan();
    const record = this.#world.tasks.submitted({
      key: plan.key,
      caller: this.#name,
      process: this.#process,
      retries,
    });
    const options = {
      resources: { cpu: random.pick([0.5, 1]) ?? 1 },
      maxRetries: this.#world.plant.retries(retries),
      timeoutMs: this.#world.settings.callTimeoutMs,
      ...(this.#world.settings.shares && random.chance(0.4)
        ? { maxConcurrent: { scope: "s", max: random.pick([2, 3]) ?? 2 } }
        : {}),
      preemptible: this.#world.settings.shares && retries > 0 && random.chance(0.5),
    };
    const task = cluster.task<SimTask>(taskSource, options)(plan);
    if (random.chance(0.1)) {
      const force = random.chance(0.5);
      setTimeout(() => task.cancel({ force }), random.between(1, 5_000));
    }
    try {
      this.#world.tasks.ended(record, { value: await task });
    } catch (reason) {
      this.#world.tasks.ended(record, { error: PalimpsestError.from(reason) });
    }
  }

  #plan(): TaskPlan {
    const random = this.#random;
    const key = `${this.#name}/task-${++this.#submitted}`;
    const plan: TaskPlan = {
      key,
      runMs: random.chance(0.1) ? random.between(100, 10_000) : random.between(0.1, 20),
      outcome: random.chance(0.02) ? "crash" : random.chance(0.03) ? "throw" : "value",
    };
    if (!random.chance(0.1)) return plan;
    return { ...plan, child: { key: `${key}/child`, runMs: random.between(1, 500), outcome: "value" } };
  }
}
