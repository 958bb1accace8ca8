import { PalimpsestError } from "@palimpsest/wire";
import type { SimWorker } from "./worker.js";
import type { World } from "./world.js";

/** What a simulated actor gets from its spawner. */
export interface ActorPlan {
  readonly key: string;
  /** Its constructor throws. */
  readonly throws: boolean;
  /** Milliseconds that its constructor takes. */
  readonly startMs: number;
}

export interface CallPlan {
  /** Names the call in the whole run. */
  readonly key: string;
  /** Number of the call among those of its driver to this actor. */
  readonly number: number;
  readonly runMs: number;
  readonly outcome: "value" | "throw" | "crash";
}

export interface CallValue {
  readonly key: string;
  readonly actorId: string;
  readonly incarnation: number;
}

/** The class of all actors of the simulation: records what it is asked to do. Values say who made them. */
export class SimActor {
  readonly #world: World;
  readonly #worker: SimWorker;

  constructor(world: World, worker: SimWorker) {
    this.#world = world;
    this.#worker = worker;
  }

  async work(plan: CallPlan, caller: string): Promise<CallValue> {
    const { actorId, incarnation } = this.#worker;
    const end = this.#world.records.executed({ ...plan, caller, actorId, incarnation, worker: this.#worker });
    try {
      await new Promise((resolve) => setTimeout(resolve, plan.runMs));
    } finally {
      end();
    }
    if (plan.outcome === "crash") this.#worker.crash(1, "");
    if (plan.outcome === "throw") throw new PalimpsestError("NOT_FOUND", `planned failure of ${plan.key}`);
    return { key: plan.key, actorId, incarnation };
  }
}
