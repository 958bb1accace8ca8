import { PalimpsestError } from "@palimpsest/wire";
import type { DurableActor } from "../../../packages/runtime/worker/src/durable/durable-actor.js";
import type { DurableBody } from "./durable-records.js";
import type { SimWorker } from "./worker.js";
import type { World } from "./world.js";

/** The class of all durable actors of the simulation. Its state is the ordered list of what has taken effect. */
export class SimDurable {
  readonly #world: World;
  readonly #worker: SimWorker;
  readonly #durable: Pick<DurableActor, "state" | "timers">;

  constructor(world: World, worker: SimWorker, durable: DurableActor) {
    this.#world = world;
    this.#worker = worker;
    this.#durable = durable;
  }

  start(): void {
    if (this.#durable.state.get() === undefined) this.#durable.state.set({ done: [] } satisfies DurableBody);
  }

  /**
   * @param crashMs the time after which its process ends, once, around the moment of its commit; 0: it does not end
   * @returns its position in the order
   */
  async add(key: string, runMs: number, crashMs: number): Promise<number> {
    this.#world.story.tell(this.#worker.process.name, () => `runs ${key}`);
    await new Promise((resolve) => setTimeout(resolve, runMs));
    if (crashMs > 0 && this.#world.durables.mayCrash(key))
      setTimeout(() => this.#worker.crash(1, ""), crashMs);
    return this.#done(key);
  }

  /** Changes the state and sets a timer, and then throws. */
  refuse(key: string): void {
    this.#done(key);
    this.#durable.timers.set(key.replaceAll("/", ":"), { afterMs: 1_000 }, "fire", key);
    throw new PalimpsestError("NOT_FOUND", `planned failure of ${key}`);
  }

  /** Takes effect now, and again later. */
  later(key: string, afterMs: number): number {
    this.#world.durables.timerSet(key, this.#worker.process, afterMs);
    this.#durable.timers.set(key.replaceAll("/", ":"), { afterMs }, "fire", key);
    return this.#done(key);
  }

  fire(key: string): void {
    this.#done(`${key}/fired`);
  }

  #done(key: string): number {
    const { done } = this.#durable.state.get() as DurableBody;
    this.#durable.state.set({ done: [...done, key] } satisfies DurableBody);
    return done.length + 1;
  }
}
