import type { ActorOptions } from "../../../packages/client/src/config.js";
import type { HeadClient } from "../../../packages/client/src/head-client.js";
import type { ValueStore } from "../../../packages/client/src/value-store.js";
import type { ControlPlane } from "../../../packages/head/src/control-plane.js";
import type { DurableStates } from "../../../packages/head/src/durable-states.js";
import type { Leadership } from "../../../packages/head/src/leadership.js";
import type { SharedStore } from "../../../packages/head/src/shared-store.js";
import type { Store } from "../../../packages/head/src/store.js";
import type { ActorProcessOptions } from "../../../packages/node/src/actor-process.js";
import type { ObjectStore } from "../../../packages/node/src/object-store.js";
import type { ActorHostOptions } from "../../../packages/worker/src/actor-host.js";
import type { Arrival } from "./connection.js";
import type { SimProcess } from "./process.js";
import type { WorldSettings } from "./settings.js";
import type { World } from "./world.js";

/** Where a planted bug can reach: each method changes one thing on its way. This one plants nothing. */
export class Plant {
  begin(_world: World): void {}

  headConfig(head: WorldSettings["head"]): WorldSettings["head"] {
    return head;
  }

  store(store: Store): Store {
    return store;
  }

  /** The store as one head reaches it. */
  shared(store: SharedStore, _process: SimProcess): SharedStore {
    return store;
  }

  /** Resolves when the head is to end because it leads no more. */
  lost(leadership: Leadership): Promise<string> {
    return leadership.lost;
  }

  plane(_plane: ControlPlane): void {}

  objectStore(store: ObjectStore, _node: SimProcess): ObjectStore {
    return store;
  }

  processOptions(options: ActorProcessOptions): ActorProcessOptions {
    return options;
  }

  hostOptions(options: ActorHostOptions): ActorHostOptions {
    return options;
  }

  actorOptions(options: ActorOptions): ActorOptions {
    return options;
  }

  /** The records of durable actors as one head reaches them. */
  durableStates(states: DurableStates): DurableStates {
    return states;
  }

  /** Whether nodes take every process of light actors for one that answers. */
  readonly answersAlways: boolean = false;

  /** The head as the process of a durable actor reaches it. */
  durableHead(head: HeadClient): HeadClient {
    return head;
  }

  /** The values of a driver. */
  values(_store: ValueStore): void {}

  /** What the certificate of a worker for tasks says. */
  startedCalls(callId: number): number {
    return callId;
  }

  retries(retries: number): number {
    return retries;
  }

  /** What becomes of a message that arrived; undefined: it is lost. */
  arrival(message: Arrival): unknown {
    return message.body;
  }
}
