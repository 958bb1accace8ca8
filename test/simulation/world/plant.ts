import type { ProtocolRange } from "@palimpsest/wire";
import type { ActorOptions } from "../../../packages/runtime/client/src/base/config.js";
import type { HeadClient } from "../../../packages/runtime/client/src/base/head-client.js";
import type { ValueStore } from "../../../packages/runtime/client/src/values/value-store.js";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import type { DurableStates } from "../../../packages/runtime/head/src/store/durable-states.js";
import type { Leadership } from "../../../packages/runtime/head/src/store/leadership.js";
import type { RowFormat } from "../../../packages/runtime/head/src/store/row-versions.js";
import type { SharedStore } from "../../../packages/runtime/head/src/store/shared-store.js";
import type { Store } from "../../../packages/runtime/head/src/store/store.js";
import type { ObjectStore } from "../../../packages/runtime/node/src/objects/store/object-store.js";
import type { ActorProcessOptions } from "../../../packages/runtime/node/src/processes/actor-process.js";
import { meetCaller } from "../../../packages/runtime/wire/src/security/authorization.js";
import type { ActorHostOptions } from "../../../packages/runtime/worker/src/host/actor-host.js";
import type { Arrival } from "./connection.js";
import type { SimProcess } from "./process.js";
import type { WorldSettings } from "./settings.js";
import type { World } from "./world.js";

/**
 * The points at which a planted bug can interfere: each method changes one thing on its way. This one plants nothing.
 */
export class Plant {
  begin(_world: World): void {}

  /** Takes back what begin() changed for more than this run. */
  end(): void {}

  headConfig(head: WorldSettings["head"]): WorldSettings["head"] {
    return head;
  }

  store(store: Store): Store {
    return store;
  }

  /** Returns the store as one head reaches it. */
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

  /** Returns the records of durable actors as one head reaches them. */
  durableStates(states: DurableStates): DurableStates {
    return states;
  }

  /** Whether nodes consider every process of light actors responsive. */
  readonly answersAlways: boolean = false;

  /** Returns the head as the process of a durable actor reaches it. */
  durableHead(head: HeadClient): HeadClient {
    return head;
  }

  /** Changes the values of a driver. */
  values(_store: ValueStore): void {}

  /** Returns the number of started calls in the certificate of a task worker. */
  startedCalls(callId: number): number {
    return callId;
  }

  retries(retries: number): number {
    return retries;
  }

  /** Refuses a caller that has no protocol in common with the server. */
  meet(path: string, header: string, own: ProtocolRange): void {
    meetCaller(path, header, own);
  }

  /** Returns how a head reads and writes rows. */
  rows(rows: RowFormat): RowFormat {
    return rows;
  }

  /** Handles a message that has arrived; undefined means that it is lost. */
  arrival(message: Arrival): unknown {
    return message.body;
  }
}
