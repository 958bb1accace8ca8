import type { Clock } from "@palimpsest/std";
import type { Network } from "@palimpsest/wire";
import type { HeadClient } from "../base/head-client.js";
import { ValueStore } from "../values/value-store.js";
import { ActorHandles } from "./actor-handles.js";

export interface ProgramValuesOptions {
  /** Returns the client of the head. It is called when a handle is created. */
  readonly head: () => HeadClient;
  readonly network: Network;
  readonly callTimeoutMs: number;
  /** host:port of the local node's Objects service. */
  readonly objectsAddress: () => Promise<string>;
  /** The session, or actor and incarnation, that owns this program's references. */
  readonly holder: string;
  /** Whether this program runs tasks. Default false. */
  readonly isTaskWorker?: boolean;
  readonly clock?: Clock;
}

/**
 * Resolves the references in values of this program: to its objects, and to handles of actors. It connects on first
 * use.
 */
export class ProgramValues {
  readonly values: ValueStore;
  readonly handles: ActorHandles;

  constructor({ head, network, callTimeoutMs, objectsAddress, ...options }: ProgramValuesOptions) {
    this.handles = new ActorHandles({
      get head() {
        return head();
      },
      ...{ network, callTimeoutMs, values: () => this.values, callerId: options.holder },
    });
    this.values = new ValueStore({
      ...options,
      network,
      address: objectsAddress,
      handle: (actorId, maxTaskRetries) => this.handles.handle(actorId, maxTaskRetries),
    });
  }

  close(): void {
    this.handles.close();
    this.values.close();
  }
}
