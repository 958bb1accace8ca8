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
 */
import {
  type Clock,
  fromGrpcError,
  objectsService,
  PalimpsestError,
  type Peer,
  transferTimeoutMs,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ByteBudget } from "./byte-budget.js";
import type { ObjectStore } from "./object-store.js";
import type { ObjectWriter } from "./object-writer.js";
import type { PeerPool } from "./peer-pool.js";
import { isValueId, type StoredObject } from "./stored-object.js";

const statTimeoutMs = 5_000;
/** Longest that a stream may be silent. */
const stallMs = 15_000;
/** The receive window of a bulk channel: what one transfer may have under way. */
const windowBytes = 16 * 1024 * 1024;
/** Asked again: a node that breaks may come back, an object may move. */
const maxRounds = 4;
const roundBackoffMs = 200;
/** How long the head may be away, or nodes that may have the object, before a fetch gives up. */
const locateLimitMs = 30_000;
/** A report of an object that was just put is still on its way to the head. */
const locateWaitMs = 1_000;

export interface ObjectPlaces {
  readonly addresses: readonly string[];
  /** False while a node may have it that is away or was not heard of since the question. */
  readonly complete: boolean;
}

export interface ObjectFetcherDeps {
  readonly store: ObjectStore;
  readonly peers: PeerPool;
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

  #shared(objectId: string): Promise<StoredObject> {
    let transfer = this.#transfers.get(objectId);
    if (transfer === undefined) {
      transfer = this.#transfer(objectId).finally(() => this.#transfers.delete(objectId));
      this.#transfers.set(objectId, transfer);
    }
    return transfer;
  }

  async #transfer(objectId: string): Promise<StoredObject> {
    const attempt = new Transfer(this.#deps, objectId);
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
    }
  }

  async #transferBy(attempt: Transfer, objectId: string): Promise<StoredObject> {
    try {
      for (let round = 1; ; round++) {
        const addresses = await this.#locate(objectId, attempt);
        const stored = await attempt.tryAll(addresses);
        if (stored !== undefined) return stored;
        if (round === maxRounds || (round > 1 && attempt.isHopeless(addresses)))
          throw attempt.lost("every node that should have it failed");
        await delay(this.#deps.clock, roundBackoffMs * 2 ** (round - 1));
      }
    } finally {
      await attempt.end();
    }
  }

  /** At least one address. @throws {PalimpsestError} OBJECT_LOST, UNAVAILABLE when the head stays away */
  async #locate(objectId: string, attempt: Transfer): Promise<readonly string[]> {
    const { clock, locate, ownAddress } = this.#deps;
    const beganMs = clock.monotonicMs();
    const deadline = beganMs + locateLimitMs;
    for (;;) {
      let failure: PalimpsestError;
      try {
        const askingMs = Math.floor(clock.monotonicMs() - beganMs);
        const places = await locate(objectId, locateWaitMs, askingMs);
        const addresses = places.addresses.filter((address) => address !== ownAddress());
        if (addresses.length > 0) return addresses;
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
      await delay(clock, roundBackoffMs);
    }
  }
}

/** One object on its way from one node after the other. */
class Transfer {
  readonly #deps: ObjectFetcherDeps;
  readonly #objectId: string;
  readonly #failures = new Map<string, string>();
  /** They do not have it, or their bytes are not its. */
  readonly #hopeless = new Set<string>();
  /** Of the node that was asked last. */
  lastAddress = "";
  #writer: ObjectWriter | undefined;
  /** Whose bytes the writer has. */
  #sources = new Set<string>();
  /** FETCH-4: bytes of several nodes did not fit together. */
  #whole = false;

  constructor(deps: ObjectFetcherDeps, objectId: string) {
    this.#deps = deps;
    this.#objectId = objectId;
  }

  /** @throws {PalimpsestError} OBJECT_STORE_FULL */
  async tryAll(addresses: readonly string[]): Promise<StoredObject | undefined> {
    for (const address of addresses) {
      if (this.#hopeless.has(address)) continue;
      this.lastAddress = address;
      try {
        return await this.#deps.peers.use(address, (peer) => this.#pullFrom(peer));
      } catch (reason) {
        const error = fromGrpcError(reason);
        if (error.code === "OBJECT_STORE_FULL" || error.code === "LIMIT_EXCEEDED") throw error;
        this.#failures.set(address, error.rawMessage);
        if (error.code === "NOT_FOUND") this.#hopeless.add(address);
      }
    }
    return undefined;
  }

  isHopeless(addresses: readonly string[]): boolean {
    return addresses.every((address) => this.#hopeless.has(address));
  }

  lost(why: string): PalimpsestError {
    const tried = [...this.#failures].map(([address, message]) => `; ${address}: ${message}`).join("");
    return new PalimpsestError("OBJECT_LOST", `object ${this.#objectId} cannot be had: ${why}${tried}`, {
      details: { objectId: this.#objectId },
    });
  }

  /** Drops what was not finished. */
  async end(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    this.#sources = new Set();
    await writer?.abort();
  }

  async #pullFrom(peer: Peer): Promise<StoredObject> {
    const { store, budget, onReceived } = this.#deps;
    const objectId = this.#objectId;
    const found = await peer.unary(objectsService.stat, { objectId }, { timeoutMs: statTimeoutMs });
    const sizeBytes = found.sizeBytes ?? 0;
    const adopted = await this.#adopted(found.path ?? "", sizeBytes);
    if (adopted !== undefined) return adopted;
    if (this.#whole || this.#writer?.sizeBytes !== (sizeBytes ?? 0)) await this.end();
    this.#writer ??= await store.create(sizeBytes ?? 0, "", isValueId(objectId) ? objectId : "");
    const writer = this.#writer;
    const giveBack = await budget.take(Math.min(windowBytes, writer.sizeBytes));
    try {
      this.#sources.add(peer.address);
      if (writer.writtenBytes < writer.sizeBytes) await this.#receive(peer, writer);
    } finally {
      giveBack();
    }
    try {
      const stored = await writer.commit(objectId);
      this.#writer = undefined;
      onReceived(stored.sizeBytes);
      return stored;
    } catch (reason) {
      this.#mismatch(peer.address, PalimpsestError.from(reason));
      throw reason;
    }
  }

  /** FETCH-6 */
  async #adopted(path: string, sizeBytes: number): Promise<StoredObject | undefined> {
    const { store, adopts, onAdopted } = this.#deps;
    if (!adopts || path === "" || this.#whole) return undefined;
    const source = { objectId: this.#objectId, path, sizeBytes };
    if (!(await store.sees(source))) return undefined;
    // The room of what has come already is needed for the whole of it.
    await this.end();
    const adopted = await store.adopt(source, "");
    if (adopted !== undefined) onAdopted(sizeBytes);
    return adopted;
  }

  async #receive(peer: Peer, writer: ObjectWriter): Promise<void> {
    const { clock } = this.#deps;
    const request = { objectId: this.#objectId, offsetBytes: writer.writtenBytes };
    const timeoutMs = transferTimeoutMs(writer.sizeBytes - writer.writtenBytes);
    const stream = peer.serverStream(objectsService.pull, request, { timeoutMs });
    let cancelStall = clock.after(stallMs, () => stream.cancel());
    try {
      for await (const chunk of stream as AsyncIterable<proto.PullChunk.$Properties>) {
        cancelStall();
        await writer.write(chunk.data ?? new Uint8Array());
        cancelStall = clock.after(stallMs, () => stream.cancel());
      }
    } finally {
      cancelStall();
      stream.cancel();
    }
  }

  /** FETCH-1, FETCH-4. */
  #mismatch(address: string, error: PalimpsestError): void {
    if (error.code !== "OBJECT_LOST") return;
    if (this.#sources.size > 1) this.#whole = true;
    else this.#hopeless.add(address);
    this.#writer = undefined;
    this.#sources = new Set();
  }
}

function delay(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}
