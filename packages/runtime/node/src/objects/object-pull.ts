/**
 * Responsibility: one transfer of an object from the nodes that have it: by its file, in pieces, or as a stream of
 * chunks.
 * Not responsible for: which nodes they are, and retries (object-fetch.ts, which has the invariants FETCH).
 */
import { type Clock, Waiters } from "@palimpsest/std";
import {
  fromGrpcError,
  type Network,
  objectsService,
  PalimpsestError,
  type Peer,
  transferTimeoutMs,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ByteBudget } from "../base/byte-budget.js";
import { type BulkTransferDeps, leastBulkBytes, transferPieces } from "./bulk-transfer.js";
import type { ObjectAssembly } from "./object-assembly.js";
import type { ObjectWriter } from "./object-writer.js";
import type { PeerPool } from "./peer-pool.js";
import type { ObjectStore } from "./store/object-store.js";
import { isValueId, type StoredObject } from "./store/stored-object.js";

const statTimeoutMs = 5_000;
/** The longest time in milliseconds that a stream may be silent. */
const stallMs = 15_000;
/** The receive window of a bulk channel in bytes, which limits one transfer's bytes in flight. */
const windowBytes = 16 * 1024 * 1024;

export interface ObjectSources {
  /** Nodes that have it. */
  readonly addresses: readonly string[];
  /** Nodes that began to fetch it before this one. */
  readonly fetching: readonly string[];
}

export interface ObjectPullDeps {
  readonly store: ObjectStore;
  readonly peers: PeerPool;
  readonly connectBulk?: Network["connectBulk"];
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly adopts: boolean;
  readonly onReceived: (sizeBytes: number) => void;
  readonly onAdopted: (sizeBytes: number) => void;
}

export class ObjectPull {
  readonly #deps: ObjectPullDeps;
  readonly #objectId: string;
  readonly #failures = new Map<string, string>();
  /** Nodes that do not have it, or whose bytes do not match its name. */
  readonly #hopeless = new Set<string>();
  /** The node that was tried last. */
  lastAddress = "";
  #writer: ObjectWriter | undefined;
  /** The object in pieces, if it is fetched in pieces (FETCH-7). */
  #assembly: ObjectAssembly | undefined;
  /** Listeners that wait for the assembly. */
  readonly #onAssembly: Waiters;
  /** Set when bulk connections have failed, so that calls are used. */
  #inCalls = false;
  #ended = false;
  /** The nodes whose bytes the writer has. */
  #sources = new Set<string>();
  /** Whether a node is asked for the whole object because bytes of several nodes did not match (FETCH-4). */
  #whole = false;

  constructor(deps: ObjectPullDeps, objectId: string) {
    this.#deps = deps;
    this.#objectId = objectId;
    this.#onAssembly = new Waiters(deps.clock);
  }

  /** @throws {PalimpsestError} OBJECT_STORE_FULL */
  async tryAll(places: ObjectSources): Promise<StoredObject | undefined> {
    for (const address of places.addresses) {
      if (this.#hopeless.has(address)) continue;
      this.lastAddress = address;
      try {
        return await this.#deps.peers.use(address, (peer) => this.#pullFrom(peer, places));
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
    return this.#failure("OBJECT_LOST", `cannot be fetched: ${why}`);
  }

  unreached(): PalimpsestError {
    return this.#failure("UNAVAILABLE", "cannot be fetched now: no node that has it sent it");
  }

  #failure(code: "OBJECT_LOST" | "UNAVAILABLE", why: string): PalimpsestError {
    const tried = [...this.#failures].map(([address, message]) => `; ${address}: ${message}`).join("");
    return new PalimpsestError(code, `object ${this.#objectId} ${why}${tried}`, {
      details: { objectId: this.#objectId },
    });
  }

  /** Ends the transfer and drops what was not finished. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#onAssembly.wakeAll();
    await this.#drop();
  }

  /** Returns the object as far as its pieces have arrived; undefined if it has no pieces within `waitMs`. */
  async coming(waitMs: number): Promise<ObjectAssembly | undefined> {
    if (this.#assembly !== undefined || this.#ended) return this.#assembly;
    await this.#onAssembly.wait(waitMs);
    return this.#assembly;
  }

  async #drop(): Promise<void> {
    const unfinished = [this.#writer, this.#assembly];
    this.#writer = undefined;
    this.#assembly = undefined;
    this.#sources = new Set();
    for (const one of unfinished) await one?.abort();
  }

  async #pullFrom(peer: Peer, places: ObjectSources): Promise<StoredObject> {
    const { store, budget, onReceived, connectBulk } = this.#deps;
    const objectId = this.#objectId;
    const found = await peer.unary(objectsService.stat, { objectId }, { timeoutMs: statTimeoutMs });
    const sizeBytes = found.sizeBytes ?? 0;
    const adopted = await this.#adopted(found.path ?? "", sizeBytes);
    if (adopted !== undefined) return adopted;
    const isLarge = sizeBytes >= leastBulkBytes && !this.#whole && !this.#inCalls;
    if (found.bulk && connectBulk && isLarge)
      return await this.#assembled(sizeBytes, places, (address, stallMs) => connectBulk(address, stallMs));
    if (this.#whole || this.#writer?.sizeBytes !== (sizeBytes ?? 0)) await this.#drop();
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

  /** FETCH-7 */
  async #assembled(
    sizeBytes: number,
    { addresses, fetching }: ObjectSources,
    connect: BulkTransferDeps["connect"],
  ): Promise<StoredObject> {
    const { store, budget, onReceived } = this.#deps;
    const objectId = this.#objectId;
    if (this.#assembly?.sizeBytes !== sizeBytes) await this.#drop();
    const giveBack = await budget.take(windowBytes);
    try {
      this.#assembly ??= await store.assemble(objectId, sizeBytes);
      this.#onAssembly.wakeAll();
      const assembly = this.#assembly;
      const before = assembly.missingPieces;
      const hopeful = (some: readonly string[]) => some.filter((address) => !this.#hopeless.has(address));
      const sources = { whole: hopeful(addresses), fetching: hopeful(fetching) };
      const moving = transferPieces(assembly, sources, {
        ...{ objectId, connect },
        onPiece: (address) => {
          this.#sources.add(address);
          this.lastAddress = address;
        },
        onFailed: (address, { code, rawMessage }) => {
          this.#failures.set(address, rawMessage);
          if (code === "NOT_FOUND" && addresses.includes(address)) this.#hopeless.add(address);
        },
      });
      await moving.finally(() => {
        this.#inCalls = assembly.missingPieces === before && before > 0;
      });
    } finally {
      giveBack();
    }
    const assembly = this.#assembly;
    try {
      const stored = await assembly.seal();
      onReceived(stored.sizeBytes);
      return stored;
    } catch (reason) {
      const [only = "", ...others] = this.#sources;
      // A node that passed it on may have had bytes from another one, so the nodes that have all of it are asked for
      // all of it.
      if (others.length > 0 || fetching.includes(only)) this.#whole = true;
      else this.#mismatch(only, PalimpsestError.from(reason));
      throw reason;
    } finally {
      this.#assembly = undefined;
      await assembly.abort();
    }
  }

  /** FETCH-6 */
  async #adopted(path: string, sizeBytes: number): Promise<StoredObject | undefined> {
    const { store, adopts, onAdopted } = this.#deps;
    if (!adopts || path === "" || this.#whole) return undefined;
    const source = { objectId: this.#objectId, path, sizeBytes };
    if (!(await store.sees(source))) return undefined;
    // Drops what has arrived, because its room is needed for the whole object.
    await this.#drop();
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
      const chunks: AsyncIterable<proto.PullChunk.$Properties> = stream;
      for await (const chunk of chunks) {
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
