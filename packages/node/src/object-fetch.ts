/**
 * Job: brings objects of other nodes into this node's store.
 *
 * T1. What is fetched hashes to its name, or it is not kept and the next node is asked.
 * T2. Callers that want the same object at once share one transfer; each one's holder is noted.
 */
import { fromGrpcError, type Network, objectsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectStore, StoredObject } from "./object-store.js";

const statTimeoutMs = 5_000;
const pullTimeoutMs = 600_000;

export interface ObjectFetcherDeps {
  readonly store: ObjectStore;
  readonly network: Network;
  /** host:port of this node's own service: never asked. */
  readonly ownAddress: () => string;
  readonly onReceived: (sizeBytes: number) => void;
}

export class ObjectFetcher {
  readonly #deps: ObjectFetcherDeps;
  readonly #transfers = new Map<string, Promise<StoredObject>>();
  readonly #peers = new Map<string, Peer>();

  constructor(deps: ObjectFetcherDeps) {
    this.#deps = deps;
  }

  /** @throws {PalimpsestError} OBJECT_LOST when no location has it, OBJECT_STORE_FULL */
  async fetch(objectId: string, locations: readonly string[], holder: string): Promise<StoredObject> {
    const { store } = this.#deps;
    let stored = store.find(objectId);
    if (!stored) {
      let transfer = this.#transfers.get(objectId);
      if (transfer === undefined) {
        transfer = this.#transfer(objectId, locations, holder).finally(() =>
          this.#transfers.delete(objectId),
        );
        this.#transfers.set(objectId, transfer);
      }
      stored = await transfer;
    }
    store.hold(objectId, holder);
    return stored;
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
  }

  async #transfer(objectId: string, locations: readonly string[], holder: string): Promise<StoredObject> {
    const failures: string[] = [];
    for (const address of locations) {
      if (address === this.#deps.ownAddress()) continue;
      try {
        return await this.#pullFrom(address, objectId, holder);
      } catch (reason) {
        const error = fromGrpcError(reason);
        if (error.code === "OBJECT_STORE_FULL") throw error;
        failures.push(`${address}: ${error.rawMessage}`);
      }
    }
    const tried = failures.length > 0 ? failures.join("; ") : "no other location is known";
    throw new PalimpsestError("OBJECT_LOST", `object ${objectId} cannot be had (${tried})`, {
      details: { objectId },
    });
  }

  async #pullFrom(address: string, objectId: string, holder: string): Promise<StoredObject> {
    const peer = this.#peer(address);
    const { sizeBytes } = await peer.unary(objectsService.stat, { objectId }, { timeoutMs: statTimeoutMs });
    const writer = await this.#deps.store.create(sizeBytes ?? 0, holder);
    const stream = peer.serverStream(objectsService.pull, { objectId }, { timeoutMs: pullTimeoutMs });
    try {
      for await (const chunk of stream as AsyncIterable<proto.PullChunk.$Properties>) {
        await writer.write(chunk.data ?? new Uint8Array());
      }
      const stored = await writer.commit(objectId);
      this.#deps.onReceived(stored.sizeBytes);
      return stored;
    } finally {
      stream.cancel();
      await writer.abort();
    }
  }

  #peer(address: string): Peer {
    let peer = this.#peers.get(address);
    if (!peer) {
      peer = this.#deps.network.connect(address, "bulk");
      this.#peers.set(address, peer);
    }
    return peer;
  }
}
