import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle } from "../../../packages/runtime/client/src/actors/actor-handle.js";
import type { ObjectRef } from "../../../packages/runtime/client/src/base/object-ref.js";
import { lostObjectOf } from "../../../packages/runtime/client/src/base/task-lineage.js";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { KeptValue, SimActor } from "./sim-actor.js";
import { type ValuePlan, valueSource } from "./sim-tasks.js";
import { bodyOf, type KnownValue, type ValueBody } from "./value-records.js";
import type { World } from "./world.js";

type MakeValue = (plan: ValuePlan) => Promise<ValueBody>;

interface Held {
  readonly value: KnownValue;
  readonly ref: ObjectRef<ValueBody>;
  readonly sinceMs: number;
}

const maxHeld = 8;
/** The errors with which an operation of the driver may end because of faults. */
const faults = ["UNAVAILABLE", "GET_TIMEOUT", "CANCELLED", "OBJECT_STORE_FULL", "OBJECT_LOST", "OWNER_DIED"];
const ofCalls = [...faults, "ACTOR_DIED", "ACTOR_UNAVAILABLE"];
const ofTasks = [...faults, "WORKER_DIED", "TASK_ERROR"];

/**
 * Puts values, passes references to actors and takes theirs, runs tasks for references, and releases them, through the
 * product's client.
 */
export class ValueUser {
  readonly #world: World;
  readonly #name: string;
  readonly #process: SimProcess;
  readonly #random: Random;
  #held: Held[] = [];
  #made = 0;

  constructor(world: World, name: string, process: SimProcess) {
    this.#world = world;
    this.#name = name;
    this.#process = process;
    this.#random = new Random(`${world.seed}/${name}/values`);
  }

  wants(): boolean {
    return this.#world.settings.values && this.#random.chance(0.8);
  }

  async operate(cluster: Cluster, actors: readonly ActorHandle<SimActor>[]): Promise<void> {
    const random = this.#random;
    const actor = random.pick(actors);
    const held = random.pick(this.#held);
    const draw = random.float();
    if (held === undefined || (draw < 0.2 && this.#held.length < maxHeld)) await this.#put(cluster);
    else if (draw < 0.4 && this.#held.length < maxHeld) await this.#make(cluster, held);
    else if (draw < 0.55) await this.#read(cluster, held);
    else if (draw < 0.7) this.#release(held);
    else if (actor === undefined) return;
    else if (draw < 0.85) await this.#give(cluster, actor, held);
    else await this.#take(cluster, actor);
  }

  /** Releases everything, so that nothing may be left. */
  releaseAll(): void {
    for (const held of [...this.#held]) this.#release(held);
  }

  async #put(cluster: Cluster): Promise<void> {
    const key = `${this.#name}/value-${++this.#made}`;
    const createdMs = this.#world.scheduler.nowMs;
    const body = bodyOf(key, this.#random.chance(0.5));
    await this.#try(faults, async () => {
      const ref = await cluster.put(body);
      this.#hold(ref, { key, objectId: ref.objectId, createdMs });
    });
  }

  /** Makes a value by a task that may read another value; the result stays where it was made. */
  async #make(cluster: Cluster, from: Held): Promise<void> {
    const random = this.#random;
    const key = `${this.#name}/made-${++this.#made}`;
    const retries = random.pick([0, 1, 3]) ?? 3;
    const createdMs = this.#world.scheduler.nowMs;
    const submitted = { key, caller: this.#name, process: this.#process, retries, ofValues: true };
    const record = this.#world.tasks.submitted(submitted);
    const input = random.chance(0.5) ? from : undefined;
    const plan = { key, runMs: random.between(1, 500), input: input?.ref, inputKey: input?.value.key };
    const options = {
      resources: { cpu: 0.5 },
      maxRetries: this.#world.plant.retries(retries),
      timeoutMs: this.#world.settings.callTimeoutMs,
    };
    await this.#try(ofTasks, async () => {
      try {
        const ref = (await cluster.task<MakeValue>(valueSource, options).ref(plan)) as ObjectRef<ValueBody>;
        this.#world.tasks.ended(record, { value: key });
        // A result that came with the answer, because it is small or its node had no room, is a value of this program.
        const isLarge = retries > 0 && ref.ownerId === cluster.sessionId;
        if (isLarge) this.#world.values.made({ key, objectId: ref.objectId, createdMs });
        // Its argument is kept and recomputed, too, if a task of this program made it (LINEAGE-1).
        const isMade = isLarge && (input === undefined || input.value.remadeBy === cluster.sessionId);
        const remadeBy = isMade ? { remadeBy: cluster.sessionId } : {};
        this.#hold(ref, { key, objectId: ref.objectId, createdMs, ...remadeBy });
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        this.#world.tasks.ended(record, { error });
        // The call keeps its arguments even if they are released in the meantime. A task that read a lost value runs
        // again after the value was recomputed, as long as it has retries (TASK-3).
        const isRetried = error.code === "OBJECT_LOST" || !this.#world.tasks.isSpent(record);
        if (input && lostObjectOf(error) === input.value.objectId && isRetried)
          this.#world.values.notRead(this.#name, cluster.sessionId, input.value, lostOf(error), createdMs);
        throw reason;
      }
    });
  }

  async #read(cluster: Cluster, { ref, value }: Held): Promise<void> {
    const beganMs = this.#world.scheduler.nowMs;
    try {
      this.#world.values.read(this.#name, value, await cluster.get(ref));
    } catch (reason) {
      // The program has released it in the meantime.
      if (!this.#held.some((held) => held.ref === ref)) return;
      const error = PalimpsestError.from(reason);
      this.#world.values.notRead(this.#name, cluster.sessionId, value, error, beganMs);
    }
  }

  #release(held: Held): void {
    this.#held = this.#held.filter((one) => one !== held);
    held.ref.release();
    if (held.value.remadeBy === held.ref.ownerId) this.#world.values.letGo(held.value.objectId);
  }

  async #give(cluster: Cluster, actor: ActorHandle<SimActor>, held: Held): Promise<void> {
    const incarnation = await this.#try(ofCalls, () => actor.keep(held.value, held.ref));
    // If the driver's session ended before, nobody held what it gave until the actor did.
    if (incarnation !== undefined && !this.#world.objects.endedHolders.has(cluster.sessionId))
      this.#world.values.given(`${actor.actorId}.${incarnation}`, held.value.objectId);
    if (this.#random.chance(0.5) && this.#held.includes(held)) this.#release(held);
  }

  /** Takes a reference from an actor, which reads the value itself before it returns the reference. */
  async #take(cluster: Cluster, actor: ActorHandle<SimActor>): Promise<void> {
    const drops = this.#random.chance(0.5);
    const kept = await this.#try(ofCalls, () => actor.giveAway(this.#random.float(), drops));
    if (kept === undefined) return;
    const { value, ref } = kept as KeptValue;
    if (this.#held.some((held) => held.ref === ref)) return;
    this.#hold(ref, value);
    await this.#read(cluster, { ref, value, sinceMs: 0 });
  }

  #hold(ref: ObjectRef<ValueBody>, value: KnownValue): void {
    const sinceMs = this.#world.scheduler.nowMs;
    // From the beginning of the calm on, everything is released.
    if (this.#world.calm) ref.release();
    else this.#held.push({ value, ref, sinceMs });
  }

  async #try<T>(codes: readonly string[], act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (!codes.includes(error.code) && !(error.code === "ACTOR_ERROR" && lost(error)))
        this.#world.records.violation(
          "ERRORS",
          `${this.#name} got ${error.message} from values, which no fault explains`,
        );
      return undefined;
    }
  }
}

function lostOf(error: PalimpsestError): PalimpsestError {
  return new PalimpsestError("OBJECT_LOST", error.message, { cause: error });
}

/** Returns whether the error is that of an actor's method that could not read what it was given. */
function lost(error: PalimpsestError): boolean {
  return faults.some((code) => error.message.includes(code));
}
