import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectRef } from "../../../packages/runtime/client/src/base/object-ref.js";
import type { SimProcess } from "./process.js";
import type { KnownValue, ValueBody } from "./value-records.js";
import type { World } from "./world.js";

/** What a simulated actor receives from its spawner. */
export interface ActorPlan {
  readonly key: string;
  /** Whether its constructor throws. */
  readonly throws: boolean;
  /** The milliseconds that its constructor takes. */
  readonly startMs: number;
}

/** One incarnation of an actor, or a task worker, in its own process or in a shared one. */
export interface SimHosted {
  /** The actor and its incarnation. */
  readonly name: string;
  readonly actorId: string;
  readonly incarnation: number;
  readonly spec: proto.ActorSpec.$Properties;
  readonly process: SimProcess;
  readonly serving: boolean;
  /** Whether it has started its own tasks, in which case it may lease less than its resource shape. */
  readonly mayWait: boolean;
  /** Ends its process by its own code. */
  crash(exitCode: number, signal: string): void;
  /** Releases all values that it was given. */
  dropValues(): void;
}

export interface CallPlan {
  /** The key of the call, unique in the whole run. */
  readonly key: string;
  /** The number of the call among its driver's calls to this actor. */
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

/** The class of all actors of the simulation, which records its calls. The values say which call made them. */
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

  /**
   * A call that goes to several actors.
   * @param crashes the actor among them that ends its process
   */
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

  /** Reads one of its values and returns the reference to its caller; then it may release it. */
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
      // As long as the call was not answered, its sender may have released the value before it was held here.
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

  /** Releases the reference when it has had time to reach the receiver. */
  #drop(ref: ObjectRef<ValueBody>): void {
    this.#kept.delete(ref);
    setTimeout(() => {
      if (!this.#kept.has(ref)) ref.release();
    }, 1_000);
  }
}
