/**
 * Responsibility: puts bytes into the object store of one node and gets them from any.
 * Not responsible for: keeping objects (the nodes do), and knowing where they are (the head does).
 *
 * Invariants:
 * - OBJECTS-1. Bytes that get() returns hash to the name that was asked for. The node has hashed what lies in its file; what
 *   comes over the network is hashed here.
 * - OBJECTS-2. On the same machine bytes are written into the node's file and read from it; nothing else is trusted about the
 *   path, and a file that was the object's no more after its last byte was read has not been read.
 * - OBJECTS-3. A call that finds the node gone looks for a node anew and begins again until its time is over: every
 *   call may run twice, since objects are named by their bytes and a holder counts once.
 * - OBJECTS-4. Reading, writing and hashing let the event loop turn at least once per chunk.
 */

import {
  type Clock,
  fromGrpcError,
  type Network,
  objectsService,
  PalimpsestError,
  type Peer,
  retryUntil,
  systemClock,
  transferTimeoutMs,
} from "@palimpsest/wire";
import {
  bytesOf,
  type CallSettings,
  chunksOf,
  fetchAt,
  pullHashed,
  readLocal,
  writeLocal,
} from "./object-transfer.js";

const backoff = { firstMs: 50, longestMs: 1_000 };
/** How often an object is fetched for one get. */
const maxReads = 3;

/** Names immutable bytes by their hash. Plain data: it may travel in calls, and holds nothing. It does not say where they are. */
export interface ContentRef {
  /** SHA-256 (hex) of the bytes. */
  readonly objectId: string;
  readonly sizeBytes: number;
}

export interface ObjectCallOptions {
  /** Default: 30 s and a second for each MiB. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface HoldOptions extends ObjectCallOptions {
  /**
   * Id of a session, actor or job; objects without a living holder are freed. Default: whoever's `Objects` this is. Empty,
   * for put alone: a copy, which stays until its program had time to hold it and then makes room.
   */
  readonly holder?: string;
}

export interface ObjectsOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  readonly holder: string;
  /** Of calls that move no bytes. */
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
      const { stream, response } = peer.clientStream(objectsService.put, settings);
      let answered = false;
      let wake: () => void = () => undefined;
      stream.on("drain", () => wake());
      const onAnswer = () => {
        answered = true;
        wake();
      };
      response.then(onAnswer, onAnswer);
      let first = true;
      for (const data of chunksOf(pieces)) {
        const chunk = first ? { data, sizeBytes, holder } : { data };
        first = false;
        // A refusal comes while we still write; the answer says why.
        if (answered) break;
        if (stream.write(chunk)) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (answered) resolve();
        });
      }
      stream.end();
      const info = await response;
      return { objectId: info.objectId ?? "", sizeBytes: info.sizeBytes ?? 0 };
    });
  }

  /**
   * The bytes, copied to the local node first when they are elsewhere. The copy holds nothing: it makes room when the
   * store needs it.
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
   * As get(), into memory that is there: reading into memory that was used before is several times as fast as into new one.
   * @param targets filled one after another; together of the object's size. When it fails they hold nothing of use.
   * @throws {PalimpsestError} OBJECT_LOST, INVALID_ARGUMENT when they are of another size
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
          `targets have ${bytesOf(targets)} bytes together, and object ${ref.objectId} has ${sizeBytes}`,
        );
      }),
    );
  }

  /** Has the local node keep it as long as the holder lives. @throws {PalimpsestError} OBJECT_LOST, OBJECT_STORE_FULL */
  async hold(ref: ContentRef, options: HoldOptions = {}): Promise<ContentRef> {
    const holder = options.holder ?? this.#options.holder;
    const { sizeBytes } = await this.#atNode(transferSettings(ref.sizeBytes, options), (peer, settings) =>
      fetchAt(peer, ref, holder, settings),
    );
    return { objectId: ref.objectId, sizeBytes: sizeBytes ?? ref.sizeBytes };
  }

  /** Lets go on every node: an object that nobody else holds is freed there, and its copies with it. */
  async release(refs: ContentRef | readonly ContentRef[], options: HoldOptions = {}): Promise<void> {
    await this.#free(refs, options.holder ?? this.#options.holder, options);
  }

  /** Removes them from every node, whoever holds them. Equal bytes are one object: another program may have put them too. */
  async free(refs: ContentRef | readonly ContentRef[], options: ObjectCallOptions = {}): Promise<void> {
    await this.#free(refs, "", options);
  }

  /** Waits for nothing: a connection that is being made is closed as soon as it is there. */
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

  /** OBJECTS-3. The second argument of `use` is what is left of the call's time. */
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

  /** Lets go of a node that proves to be gone. */
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

/** @param targetsFor what to fill, once the size is known @throws {PalimpsestError} OBJECT_LOST */
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
        `object ${objectId} arrived with hash ${sha256}: the copy of ${peer.address} is damaged; free it and put it again`,
        { details: { objectId } },
      );
    } catch (reason) {
      const error = fromGrpcError(reason);
      if (error.code !== "NOT_FOUND") throw reason;
      // It left the node before it was read: freed, or with the node, which was started again. Another may have it.
      if (attempt < maxReads) continue;
      throw new PalimpsestError("OBJECT_LOST", `object ${objectId} cannot be had: ${error.rawMessage}`, {
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
