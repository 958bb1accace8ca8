/**
 * Responsibility: knows whether what Redis lost is lost for good. The loss lasts until the head that led has written
 * everything again, and forever if that head ends before.
 */
import { storeTables } from "../../../packages/runtime/head/src/store/store.js";
import type { SimHead } from "./head.js";
import type { SimProcess } from "./process.js";
import type { RedisObserver } from "./store.js";
import type { World } from "./world.js";

export class Losses implements RedisObserver {
  readonly #world: World;
  /** The head that has to write everything again. */
  #owing: SimHead | undefined;
  /** How often acknowledged rows were lost together with the head that remembered them. */
  forGood = 0;

  constructor(world: World) {
    this.#world = world;
    world.redis.observers.add(this);
  }

  lost(): void {
    const { head } = this.#world;
    if (this.#owing !== undefined) return;
    this.#owing = head;
    if (head?.plane === undefined) this.#gone();
    else head.process.onEnd(() => this.#owing === head && this.#gone());
  }

  accepted(process: SimProcess): void {
    const head = this.#owing;
    if (head === undefined) return;
    if (head.process !== process) this.#gone();
    else if (this.#isWhole(head)) this.#owing = undefined;
  }

  #gone(): void {
    this.#owing = undefined;
    this.forGood++;
    this.#world.story.tell("redis", () => "what it lost is lost for good");
  }

  #isWhole({ plane }: SimHead): boolean {
    for (const table of storeTables) {
      const stored = this.#world.redis.rows(table);
      for (const [key, bytes] of plane?.rowsOf(table) ?? []) {
        const row = stored.get(key);
        if (row === undefined || Buffer.compare(row, bytes) !== 0) return false;
      }
    }
    return true;
  }
}
