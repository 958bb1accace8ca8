/**
 * Responsibility: stores bytes in the object store of one node and reads them from any.
 * Not responsible for: storing objects (the nodes do), or locating them (the head does).
 *
 * Invariants:
 * - OBJECTS-1. The bytes that get() returns hash to the requested name. The node has hashed what is in its file;
 *   bytes that arrive over the network are hashed here.
 * - OBJECTS-2. On the same machine bytes are written into the node's file and read from it. Nothing else about the
 *   path is trusted, and a read counts only if the file still was the object's after its last byte was read.
 * - OBJECTS-3. A call that finds the node gone looks for another node and starts again until its deadline. Every call
 *   may run twice, because objects are named by their bytes and an owner counts once.
 * - OBJECTS-4. Reading, writing and hashing yield to the event loop at least once per chunk.
 */

import { hostname } from "node:os";
import { type Clock, systemClock } from "@palimpsest/std";
import {
  fromGrpcError,
  type Network,
  objectsService,
  PalimpsestError,
  type Peer,
  retryUntil,
  transferTimeoutMs,
} from "@palimpsest/wire";
import type { ClusterState } from "../base/cluster-state.js";
import {
  bytesOf,
  type CallSettings,
  fetchAt,
  pullHashed,
  readLocal,
  upload,
  writeLocal,
} from "./object-transfer.js";

const backoff = { firstMs: 50, longestMs: 1_000 };
/** The maximum number of times that an object is fetched for one get. */
const maxReads = 3;

/**
 * Names immutable bytes by their hash. It is plain data: it may be sent in calls, does not count as a reference to
 * the object, and does not contain its location.
 */
export interface ContentRef {
  /** SHA-256 (hex) of the bytes. */
  readonly objectId: string;
  readonly sizeBytes: number;
}

/** Deadline and signal of a call that may transfer an object's bytes. */
export interface ObjectCallOptions {
  /** Milliseconds. Default: 30 s plus a second for each MiB. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Who owns the object that a call puts, fetches or leases. */
export interface HoldOptions extends ObjectCallOptions {
  /**
   * Id of the session, actor or job that owns the object; objects without a living owner are freed. Default: the
   * owner of this `Objects`. Empty, for put alone: a copy, which stays until its program had time to lease it and is
   * then evicted when room is needed.
   */
  readonly holder?: string;
}

/** What `Objects` needs to reach the local node's store. */
export interface ObjectsOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  readonly holder: string;
  /** Deadline in milliseconds of calls that transfer no bytes. */
  readonly defaultTimeoutMs: number;
  readonly clock?: Clock;
}

/** Objects of the cluster, through the node on this machine. */
export class Objects {
  readonly #options: ObjectsOptions;
  #peer: Promise<Peer> | undefined;
  #closed = false;

  constructor(options: ObjectsOptions) {
    this.#options = options;
  }

  /** Stores the bytes (or pieces, as one object) on the local node. @throws {PalimpsestError} OBJECT_STORE_FULL */
  async put(bytes: Uint8Array | readonly Uint8Array[], options: HoldOptions = {}): Promise<ContentRef> {
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
    const sizeBytes = bytesOf(pieces);
    const holder = options.holder ?? this.#options.holder;
    return await this.#atNode(transferSettings(sizeBytes, options), async (peer, settings) => {
      const written = await writeLocal(peer, pieces, holder, settings);
      if (written !== undefined) return { objectId: written.objectId ?? "", sizeBytes };
      const info = await upload(peer, { sizeBytes, holder }, pieces, settings);
      return { objectId: info.objectId ?? "", sizeBytes: info.sizeBytes ?? 0 };
    });
  }

  /**
   * Returns the bytes, which are first copied to the local node if they are elsewhere. The copy has no owner and is
   * evicted when the store needs room.
   * @throws {PalimpsestError} OBJECT_LOST
   */
  async get(ref: ContentRef, options: ObjectCallOptions = {}): Promise<Uint8Array> {
    return await this.#atNode(transferSettings(ref.sizeBytes, options), async (peer, settings) => {
      let bytes = new Uint8Array();
      await fill(peer, ref, settings, (sizeBytes) => {
        bytes = new Uint8Array(sizeBytes);
        return [bytes];
      });
      return bytes;
    });
  }

  /**
   * Reads the bytes as get() does, but into existing memory. Reading into memory that was used before is several times
   * as fast as into new memory. Targets that are one piece of a buffer and begin on a page, as from `pageBeginBytes` on in a
   * large one, become pages of shared memory, of which a copy is made as they are written.
   * @param targets filled one after another; together of the object's size. After a failure their content is undefined.
   * @throws {PalimpsestError} OBJECT_LOST, INVALID_ARGUMENT if they have another size
   */
  async getInto(
    ref: ContentRef,
    targets: readonly Uint8Array[],
    options: ObjectCallOptions = {},
  ): Promise<void> {
    await this.#atNode(transferSettings(ref.sizeBytes, options), (peer, settings) =>
      fill(peer, ref, settings, (sizeBytes) => {
        if (bytesOf(targets) === sizeBytes) return targets;
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          `targets have ${bytesOf(targets)} bytes in total, but object ${ref.objectId} has ${sizeBytes}: give targets of that total size`,
        );
      }),
    );
  }

  /**
   * Makes the local node keep it as long as the owner lives.
   * @throws {PalimpsestError} OBJECT_LOST, OBJECT_STORE_FULL
   */
  async hold(ref: ContentRef, options: HoldOptions = {}): Promise<ContentRef> {
    const holder = options.holder ?? this.#options.holder;
    const { sizeBytes } = await this.#atNode(transferSettings(ref.sizeBytes, options), (peer, settings) =>
      fetchAt(peer, ref, holder, settings),
    );
    return { objectId: ref.objectId, sizeBytes: sizeBytes ?? ref.sizeBytes };
  }

  /** Releases it on every node. An object without other owners is freed there, and its copies with it. */
  async release(refs: ContentRef | readonly ContentRef[], options: HoldOptions = {}): Promise<void> {
    await this.#free(refs, options.holder ?? this.#options.holder, options);
  }

  /**
   * Removes objects from every node, whatever owners they have. Equal bytes are one object, so another program may
   * have stored them too.
   */
  async free(refs: ContentRef | readonly ContentRef[], options: ObjectCallOptions = {}): Promise<void> {
    await this.#free(refs, "", options);
  }

  /** Closes without waiting: a connection that is being opened is closed as soon as it is open. */
  close(): void {
    this.#closed = true;
    this.#peer?.then((peer) => peer.close()).catch(() => undefined);
  }

  async #free(
    refs: ContentRef | readonly ContentRef[],
    holder: string,
    options: ObjectCallOptions,
  ): Promise<void> {
    const objectIds = ("objectId" in refs ? [refs] : refs).map(({ objectId }) => objectId);
    await this.#atNode(settingsOf(options, this.#options.defaultTimeoutMs), (peer, settings) =>
      peer.unary(objectsService.free, { objectIds, holder }, settings),
    );
  }

  /** @param use receives the remaining time of the call as its second argument (OBJECTS-3) */
  async #atNode<T>(
    { timeoutMs, signal }: CallSettings,
    use: (peer: Peer, settings: CallSettings) => Promise<T>,
  ): Promise<T> {
    const { clock = systemClock } = this.#options;
    const deadlineAt = clock.monotonicMs() + timeoutMs;
    // Another call that found the node gone has closed the connection under this one.
    const mayRetry = ({ code }: PalimpsestError) =>
      code === "UNAVAILABLE" || (code === "CANCELLED" && !this.#closed);
    return await retryUntil({ timeoutMs, backoff, clock, signal, mayRetry }, async () => {
      const peer = await this.#connected();
      const leftMs = Math.max(1, deadlineAt - clock.monotonicMs());
      return await this.#watched(peer, use(peer, settingsOf({ signal }, leftMs)));
    });
  }

  /** Drops the connection to a node that turns out to be gone. */
  async #watched<T>(peer: Peer, call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (reason) {
      const error = fromGrpcError(reason);
      if (error.code === "UNAVAILABLE" && (await this.#peer?.catch(() => undefined)) === peer) {
        this.#peer = undefined;
        peer.close();
      }
      throw error;
    }
  }

  async #connected(): Promise<Peer> {
    if (this.#closed) throw new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
    this.#peer ??= this.#options.address().then((address) => this.#options.network.connect(address, "bulk"));
    try {
      return await this.#peer;
    } catch (reason) {
      this.#peer = undefined;
      throw reason;
    }
  }
}

/** @param targetsFor returns the memory to fill, once the size is known @throws {PalimpsestError} OBJECT_LOST */
async function fill(
  peer: Peer,
  { objectId }: ContentRef,
  settings: CallSettings,
  targetsFor: (sizeBytes: number) => readonly Uint8Array[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const info = await fetchAt(peer, { objectId }, "", settings);
    const targets = targetsFor(info.sizeBytes ?? 0);
    try {
      if (await readLocal(objectId, info, targets)) return;
      const sha256 = await pullHashed(peer, objectId, targets, settings);
      if (sha256 === objectId) return;
      throw new PalimpsestError(
        "OBJECT_LOST",
        `object ${objectId} was received with the hash ${sha256}: the copy of ${peer.address} is damaged; free it and put it again`,
        { details: { objectId } },
      );
    } catch (reason) {
      const error = fromGrpcError(reason);
      if (error.code !== "NOT_FOUND") throw reason;
      // The object left the node before it was read: it was freed, or the node was restarted. Another node may have
      // it.
      if (attempt < maxReads) continue;
      throw new PalimpsestError("OBJECT_LOST", `object ${objectId} is not available: ${error.rawMessage}`, {
        details: { objectId },
      });
    }
  }
}

function settingsOf(
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal | undefined },
  defaultTimeoutMs: number,
): CallSettings {
  const { timeoutMs = defaultTimeoutMs, signal } = options;
  return signal ? { timeoutMs, signal } : { timeoutMs };
}

function transferSettings(sizeBytes: number, options: ObjectCallOptions): CallSettings {
  return settingsOf(options, transferTimeoutMs(sizeBytes));
}

/**
 * Returns the address of the object service that a driver uses: on the node of its machine, else on any alive node.
 * @throws {PalimpsestError} UNAVAILABLE if no node is alive
 */
export async function objectsAddress(cluster: Pick<ClusterState, "nodes">): Promise<string> {
  for (const filter of [{ hostname: hostname() }, {}]) {
    const nodes = await cluster.nodes({ ...filter, limit: 1_000 });
    const found = nodes.find((node) => node.state === "alive" && node.objectsAddress);
    if (found) return found.objectsAddress;
  }
  throw new PalimpsestError(
    "UNAVAILABLE",
    "the cluster has no alive node that could store objects; start one with `palimpsest worker join`",
  );
}
