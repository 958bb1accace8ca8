import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectRef } from "../../../packages/client/src/object-ref.js";
import type { SimProcess } from "./process.js";
import type { KnownValue, ValueBody } from "./value-records.js";
import type { World } from "./world.js";

/** What a simulated actor gets from its spawner. */
export interface ActorPlan {
  readonly key: string;
  /** Its constructor throws. */
  readonly throws: boolean;
  /** Milliseconds that its constructor takes. */
  readonly startMs: number;
}

/** One incarnation of an actor, or a worker for tasks, in a process of its own or with others. */
export interface SimHosted {
  /** Actor and incarnation. */
  readonly name: string;
  readonly actorId: string;
  readonly incarnation: number;
  readonly spec: proto.ActorSpec.$Properties;
  readonly process: SimProcess;
  readonly serving: boolean;
  /** It has had tasks of its own: what it leases may be less than its shape. */
  readonly mayWait: boolean;
  /** Its code ends its process. */
  crash(exitCode: number, signal: string): void;
  /** It lets go of all values that it was given. */
  dropValues(): void;
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

export interface KeptValue {
  readonly value: KnownValue;
  readonly ref: ObjectRef<ValueBody>;
}

/** The class of all actors of the simulation: records what it is asked to do. Values say who made them. */
export class SimActor {
  readonly #world: World;
  readonly #worker: SimHosted;
  readonly #kept = new Map<ObjectRef<ValueBody>, KnownValue>();

  constructor(world: World, worker: SimHosted) {
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

  /** Called with others. @param crashes the actor among them that ends its process */
  async visit(key: string, runMs: number, crashes: string): Promise<CallValue> {
    const { actorId, incarnation } = this.#worker;
    this.#world.meshes.visited(key, this.#worker);
    await new Promise((resolve) => setTimeout(resolve, runMs));
    if (crashes === actorId) this.#worker.crash(1, "");
    return { key, actorId, incarnation };
  }

  /** @returns its incarnation */
  keep(value: KnownValue, ref: ObjectRef<ValueBody>): number {
    this.#kept.set(ref, value);
    return this.#worker.incarnation;
  }

  /** Reads one of those that it has, and gives the reference to its caller; then it may let go of it. */
  async giveAway(draw: number, drops: boolean): Promise<KeptValue | undefined> {
    const [ref, value] = [...this.#kept][Math.floor(draw * this.#kept.size)] ?? [];
    if (ref === undefined || value === undefined) return undefined;
    const { values, scheduler } = this.#world;
    const { actorId, incarnation } = this.#worker;
    const [beganMs, holder] = [scheduler.nowMs, `${actorId}.${incarnation}`];
    try {
      values.read(holder, value, await ref.get());
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      // Whoever sent it may have let go of it before it was held here, as long as the call was not answered.
      const surely = (values.givenMs(holder, value.objectId) ?? Number.POSITIVE_INFINITY) <= beganMs;
      if (surely && this.#kept.has(ref)) values.notRead(holder, holder, value, error, beganMs);
      throw new PalimpsestError("NOT_FOUND", error.message);
    }
    if (drops) this.#drop(ref);
    return { value, ref };
  }

  dropAll(): void {
    for (const ref of [...this.#kept.keys()]) this.#drop(ref);
  }

  /** When it is on its way to whoever it was given to. */
  #drop(ref: ObjectRef<ValueBody>): void {
    this.#kept.delete(ref);
    setTimeout(() => {
      if (!this.#kept.has(ref)) ref.release();
    }, 1_000);
  }
}
