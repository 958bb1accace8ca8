/**
 * Responsibility: brings objects of other nodes into this node's store.
 * Not responsible for: where objects are (the head's directory says it); which objects there are to be.
 *
 * Invariants:
 * - FETCH-1. What is fetched hashes to its name, or it is not kept and the next node is asked; of a value, whose name says
 *   nothing of its bytes, it has the size that its node told.
 * - FETCH-2. Callers that want the same object at once share one transfer; each one's hold is noted.
 * - FETCH-3. Only addresses that the head named for this object are dialed: nothing that came with data is.
 * - FETCH-4. A transfer that breaks goes on at the byte where it broke, from the next node or the same one again. When
 *   bytes of several nodes do not make the object together, each node is asked for the whole of it.
 * - FETCH-5. The bytes that may be under way for all transfers together are bounded.
 * - FETCH-6. What a node of the same machine has is taken over by its file, and not one of its bytes is sent: that the file
 *   can be seen under its random path proves the machine, and that node has hashed its bytes as it stored them.
 * - FETCH-7. What is large comes in pieces over bulk connections, where both nodes have them, also from nodes that fetch it
 *   themselves and began before this one (bulk-transfer.ts). What has come is passed on at once.
 */
import { type Clock, delay, type Network, PalimpsestError, transferTimeoutMs } from "@palimpsest/wire";
import type { ByteBudget } from "./byte-budget.js";
import type { ObjectAssembly } from "./object-assembly.js";
import { ObjectPull, type ObjectSources } from "./object-pull.js";
import type { ObjectStore } from "./object-store.js";
import type { PeerPool } from "./peer-pool.js";
import type { StoredObject } from "./stored-object.js";

/** Asked again: a node that breaks may come back, an object may move. */
const maxRounds = 4;
const roundBackoffMs = 200;
/** How long the head may be away, or nodes that may have the object, before a fetch gives up. */
const locateLimitMs = 30_000;
/** A report of an object that was just put is still on its way to the head. */
const locateWaitMs = 1_000;

export interface ObjectPlaces extends ObjectSources {
  /** False while a node may have it that is away or was not heard of since the question. */
  readonly complete: boolean;
}

export interface ObjectFetcherDeps {
  readonly store: ObjectStore;
  readonly peers: PeerPool;
  /** Undefined: bytes travel in calls alone. */
  readonly connectBulk?: Network["connectBulk"];
  readonly budget: ByteBudget;
  readonly clock: Clock;
  /** Asks the head; askingMs: for how long it has been asked for this object. */
  readonly locate: (objectId: string, waitMs: number, askingMs: number) => Promise<ObjectPlaces>;
  /** host:port of this node's own service: never asked. */
  readonly ownAddress: () => string;
  readonly onReceived: (sizeBytes: number) => void;
  /** Whether files of other nodes of this machine are taken over. */
  readonly adopts: boolean;
  readonly onAdopted: (sizeBytes: number) => void;
  /** Told of each transfer that ended, well or not. */
  readonly onTransfer?: (transfer: ObjectTransfer) => void;
}

/** One object that was to come from other nodes. Times are those of performance.now(). */
export interface ObjectTransfer {
  readonly objectId: string;
  readonly sizeBytes: number;
  /** Who sent its last bytes. */
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
   * @param holder empty: a copy, leased until its reader had time to read it
   * @throws {PalimpsestError} OBJECT_LOST when no node has it, OBJECT_STORE_FULL, UNAVAILABLE
   */
  async fetch(objectId: string, holder: string): Promise<StoredObject> {
    const { store } = this.#deps;
    for (;;) {
      if (store.find(objectId) === undefined) await this.#shared(objectId);
      // Between the end of a transfer and this turn it may have been freed again.
      if (store.find(objectId) === undefined) continue;
      const stored = await this.#located(objectId);
      if (stored === undefined || store.find(objectId) === undefined) continue;
      if (holder === "") store.lease(objectId, transferTimeoutMs(stored.sizeBytes));
      else store.hold(objectId, holder);
      return stored;
    }
  }

  /** Undefined: it was freed while it came back from disk. @throws {PalimpsestError} OBJECT_LOST */
  async #located(objectId: string): Promise<StoredObject | undefined> {
    try {
      return await this.#deps.store.located(objectId);
    } catch (reason) {
      if (PalimpsestError.from(reason).code === "NOT_FOUND") return undefined;
      throw reason;
    }
  }

  get transfers(): number {
    return this.#transfers.size;
  }

  /** The object as far as it has come; undefined: it is not on its way, or not in pieces, or not within waitMs. */
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
        // They may come back; the head says when they do not.
        if (round === maxRounds) throw attempt.unreached();
        await delay(roundBackoffMs * 2 ** (round - 1), undefined, this.#deps.clock);
      }
    } finally {
      await attempt.end();
    }
  }

  /** At least one address. @throws {PalimpsestError} OBJECT_LOST, UNAVAILABLE when the head stays away */
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
            ? "no node of the cluster has it: it was freed, its holders ended, or its node is gone"
            : `the nodes that may have it are away for longer than ${locateLimitMs} ms`,
        );
        if (places.complete) throw failure;
      } catch (reason) {
        failure = PalimpsestError.from(reason);
        if (failure.code === "OBJECT_LOST" || !failure.retryable) throw failure;
      }
      if (clock.monotonicMs() >= deadline) throw failure;
      await delay(roundBackoffMs, undefined, clock);
    }
  }
}
