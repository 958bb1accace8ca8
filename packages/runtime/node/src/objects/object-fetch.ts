/**
 * Responsibility: fetching objects from other nodes into this node's store.
 * Not responsible for: where objects are (the head's directory knows), or which objects should exist.
 *
 * Invariants:
 * - FETCH-1. A fetched object hashes to its name, or it is discarded and the next node is tried. A value, whose name
 *   does not depend on its bytes, has the size that its node reported.
 * - FETCH-2. Callers that want the same object at the same time share one transfer; the lease of each is recorded.
 * - FETCH-3. Only addresses that the head named for this object are dialed, never one that came with data.
 * - FETCH-4. An interrupted transfer continues at the byte where it stopped, from the next node or from the same one.
 *   If bytes from several nodes do not make up the object, each node is asked for all of it.
 * - FETCH-5. The bytes in flight of all transfers together are bounded.
 * - FETCH-6. A file of a node on the same machine is hard-linked, and none of its bytes are sent. That the file is
 *   visible under its random path proves that the machine is the same, and that node hashed the bytes when it stored
 *   them.
 * - FETCH-7. Large objects are fetched in pieces over bulk connections, if both nodes support them, including from
 *   nodes that are still fetching and began before this one (bulk-transfer.ts). Pieces that have arrived are passed
 *   on at once.
 * - FETCH-8. If this node's own copy on disk turns out to be damaged, the object is fetched from another node.
 */
import { backoffMs, type Clock, delay } from "@palimpsest/std";
import { type Network, PalimpsestError, transferTimeoutMs } from "@palimpsest/wire";
import type { ByteBudget } from "../base/byte-budget.js";
import type { ObjectAssembly } from "./object-assembly.js";
import { ObjectPull, type ObjectSources } from "./object-pull.js";
import type { PeerPool } from "./peer-pool.js";
import type { ObjectStore } from "./store/object-store.js";
import type { StoredObject } from "./store/stored-object.js";

/** The maximum number of rounds over the nodes. A failing node may come back, and an object may move. */
const maxRounds = 4;
const roundBackoff = { firstMs: 200, longestMs: 60_000 };
/** The milliseconds for which the head, or nodes that may have the object, may be away before a fetch gives up. */
const locateLimitMs = 30_000;
/**
 * The milliseconds for which a lookup waits, because the report of an object that was just put may not have reached the
 * head yet.
 */
const locateWaitMs = 1_000;

export interface ObjectPlaces extends ObjectSources {
  /** False while a node that may have it is away, or was silent since the lookup. */
  readonly complete: boolean;
}

export interface ObjectFetcherDeps {
  readonly store: ObjectStore;
  readonly peers: PeerPool;
  /** Opens bulk connections; undefined if bytes are sent in calls only. */
  readonly connectBulk?: Network["connectBulk"];
  readonly budget: ByteBudget;
  readonly clock: Clock;
  /** Asks the head where the object is. `askingMs` is the time for which it has been asked about this object. */
  readonly locate: (objectId: string, waitMs: number, askingMs: number) => Promise<ObjectPlaces>;
  /** host:port of this node's own service, which is never dialed. */
  readonly ownAddress: () => string;
  readonly onReceived: (sizeBytes: number) => void;
  /** Whether files of other nodes on this machine are linked. */
  readonly adopts: boolean;
  readonly onAdopted: (sizeBytes: number) => void;
  /** Called for each transfer that ended, successfully or not. */
  readonly onTransfer?: (transfer: ObjectTransfer) => void;
}

/** The transfer of one object from other nodes. Times are those of performance.now(). */
export interface ObjectTransfer {
  readonly objectId: string;
  readonly sizeBytes: number;
  /** The node that sent its last bytes. */
  readonly peerAddress: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly error: PalimpsestError | undefined;
}

export class ObjectFetcher {
  readonly #deps: ObjectFetcherDeps;
  readonly #transfers = new Map<string, Promise<StoredObject>>();
  readonly #pulls = new Map<string, ObjectPull>();

  constructor(deps: ObjectFetcherDeps) {
    this.#deps = deps;
  }

  /**
   * Fetches an object into the store.
   * @param holder owner of the lease; empty for a copy, which is leased until its reader had time to read it
   * @throws {PalimpsestError} OBJECT_LOST if no node has it, OBJECT_STORE_FULL, UNAVAILABLE
   */
  async fetch(objectId: string, holder: string): Promise<StoredObject> {
    const { store } = this.#deps;
    for (;;) {
      if (store.find(objectId) === undefined) await this.#shared(objectId);
      // It may have been freed between the end of the transfer and this turn.
      if (store.find(objectId) === undefined) continue;
      const stored = await this.#located(objectId);
      if (stored === undefined || store.find(objectId) === undefined) continue;
      if (holder === "") store.lease(objectId, transferTimeoutMs(stored.sizeBytes));
      else store.hold(objectId, holder);
      return stored;
    }
  }

  /**
   * Returns the object as the store has it; undefined if it was freed while it was read back from disk, or if its copy
   * there was damaged, so that it is to be fetched from another node.
   */
  async #located(objectId: string): Promise<StoredObject | undefined> {
    try {
      return await this.#deps.store.located(objectId);
    } catch (reason) {
      const { code } = PalimpsestError.from(reason);
      if (code === "NOT_FOUND" || code === "OBJECT_LOST") return undefined;
      throw reason;
    }
  }

  get transfers(): number {
    return this.#transfers.size;
  }

  /**
   * Returns the object as far as it has arrived; undefined if it is not being fetched in pieces, or not within waitMs.
   */
  async coming(objectId: string, waitMs: number): Promise<ObjectAssembly | undefined> {
    return await this.#pulls.get(objectId)?.coming(waitMs);
  }

  #shared(objectId: string): Promise<StoredObject> {
    let transfer = this.#transfers.get(objectId);
    if (transfer === undefined) {
      transfer = this.#transfer(objectId).finally(() => this.#transfers.delete(objectId));
      this.#transfers.set(objectId, transfer);
    }
    return transfer;
  }

  async #transfer(objectId: string): Promise<StoredObject> {
    const attempt = new ObjectPull(this.#deps, objectId);
    this.#pulls.set(objectId, attempt);
    const startedAtMs = performance.now();
    const told = (sizeBytes: number, error: PalimpsestError | undefined) =>
      this.#deps.onTransfer?.({
        ...{ objectId, sizeBytes, error, startedAtMs, endedAtMs: performance.now() },
        peerAddress: attempt.lastAddress,
      });
    try {
      const stored = await this.#transferBy(attempt, objectId);
      told(stored.sizeBytes, undefined);
      return stored;
    } catch (reason) {
      told(0, PalimpsestError.from(reason));
      throw reason;
    } finally {
      this.#pulls.delete(objectId);
    }
  }

  async #transferBy(attempt: ObjectPull, objectId: string): Promise<StoredObject> {
    try {
      for (let round = 1; ; round++) {
        const places = await this.#locate(objectId, attempt);
        const stored = await attempt.tryAll(places);
        if (stored !== undefined) return stored;
        if (round > 1 && attempt.isHopeless(places.addresses))
          throw attempt.lost("every node that should have it failed");
        // These nodes may come back; the head knows when they will not.
        if (round === maxRounds) throw attempt.unreached();
        await delay(backoffMs(roundBackoff, round), undefined, this.#deps.clock);
      }
    } finally {
      await attempt.end();
    }
  }

  /**
   * Returns at least one address of the object.
   * @throws {PalimpsestError} OBJECT_LOST, UNAVAILABLE if the head stays away
   */
  async #locate(objectId: string, attempt: ObjectPull): Promise<ObjectSources> {
    const { clock, locate, ownAddress } = this.#deps;
    const beganMs = clock.monotonicMs();
    const deadline = beganMs + locateLimitMs;
    for (;;) {
      let failure: PalimpsestError;
      try {
        const askingMs = Math.floor(clock.monotonicMs() - beganMs);
        const places = await locate(objectId, locateWaitMs, askingMs);
        const others = (some: readonly string[]) => some.filter((address) => address !== ownAddress());
        const addresses = others(places.addresses);
        if (addresses.length > 0) return { addresses, fetching: others(places.fetching) };
        failure = attempt.lost(
          places.complete
            ? "no node of the cluster has it: it was freed, the owners of its references ended, or its node is gone"
            : `the nodes that may have it have been unreachable for longer than ${locateLimitMs} ms`,
        );
        if (places.complete) throw failure;
      } catch (reason) {
        failure = PalimpsestError.from(reason);
        if (failure.code === "OBJECT_LOST" || !failure.retryable) throw failure;
      }
      if (clock.monotonicMs() >= deadline) throw failure;
      await delay(roundBackoff.firstMs, undefined, clock);
    }
  }
}
