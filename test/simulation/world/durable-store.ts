import { DurableStates } from "../../../packages/runtime/head/src/store/durable-states.js";
import { MemoryDurableRedis } from "../../../packages/runtime/head/src/testing/memory-durable-redis.js";
import type { SimProcess } from "./process.js";
import { RedisLink } from "./redis-link.js";
import type { Persistent } from "./store.js";
import type { World } from "./world.js";

/**
 * The records of durable actors in the cluster's Redis. A head with its own Redis makes it sync each commit, so that
 * only FLUSHALL loses one; a Redis that two heads share may lose its last second.
 */
export class DurableStore implements Persistent {
  readonly #world: World;
  readonly #contents = new MemoryDurableRedis();

  constructor(world: World) {
    this.#world = world;
    world.redis.others.add(this);
    this.#contents.onChange = (key, fields) => {
      world.redis.changed();
      world.durables.committed(nameOf(key), fields);
    };
  }

  /** Returns the records as one head reaches them, through the product's own scripts. */
  connect(process: SimProcess, epoch: () => number): DurableStates {
    const { redis, settings } = this.#world;
    const link = new RedisLink(redis, process);
    const client = this.#contents.client({
      storedEpoch: () => redis.contents.epoch,
      send: (command) => link.send(command),
    });
    const states = new DurableStates(client, {
      clusterName: "simulation",
      epoch,
      ownRedis: settings.heads === 1,
    });
    return this.#world.plant.durableStates(states);
  }

  snapshot(): () => void {
    if (this.#world.settings.heads === 1) return () => undefined;
    const restore = this.#contents.snapshot();
    return () => {
      restore();
      this.#lost();
    };
  }

  flush(): void {
    this.#contents.flush();
    this.#lost();
  }

  #lost(): void {
    this.#world.durables.lost(
      new Map([...this.#contents.records].map(([key, fields]) => [nameOf(key), fields])),
    );
  }
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf(":") + 1);
}
