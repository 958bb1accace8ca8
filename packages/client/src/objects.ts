/**
 * Responsibility: puts bytes into the object store of one node and gets them from any.
 * Not responsible for: keeping objects (the nodes do), and knowing where they are (the head does).
 *
 * Invariants:
 * - OBJECTS-1. Bytes that get() returns hash to the name that was asked for.
 * - OBJECTS-2. What is on the same machine is read from the store's file; nothing else is trusted about the path.
 * - OBJECTS-3. A call that finds the node gone fails; the next one looks for a node anew.
 * - OBJECTS-4. Reading and hashing let the event loop turn at least once a chunk.
 */

import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import {
  fromGrpcError,
  type Network,
  objectsService,
  PalimpsestError,
  type Peer,
  transferTimeoutMs,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const chunkBytes = 1024 * 1024;
/** Below this a pull over loopback is as quick as a look at the file. */
const fileReadBytes = 256 * 1024;

/** Names immutable bytes in the cluster. Plain data: it may travel in calls. It does not say where they are. */
export interface ObjectRef {
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
  /** Id of a session, actor or job; objects without a living holder are freed. Default: whoever's `Objects` this is. */
  readonly holder?: string;
}

export interface ObjectsOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  readonly holder: string;
  /** Of calls that move no bytes. */
  readonly defaultTimeoutMs: number;
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
  async put(bytes: Uint8Array | readonly Uint8Array[], options: HoldOptions = {}): Promise<ObjectRef> {
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
    const sizeBytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    return await this.#atNode(async (peer) => {
      const settings = transferSettings(sizeBytes, options);
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
        const chunk = first ? { data, sizeBytes, holder: options.holder ?? this.#options.holder } : { data };
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
  async get(ref: ObjectRef, options: ObjectCallOptions = {}): Promise<Uint8Array> {
    return await this.#atNode(async (peer) => {
      const info = await this.#fetch(peer, ref, "", options);
      const local = await readLocal(ref.objectId, info);
      const read = local ?? (await this.#pull(peer, ref.objectId, info.sizeBytes ?? 0, options));
      if (read.sha256 === ref.objectId) return read.bytes;
      throw new PalimpsestError(
        "OBJECT_LOST",
        `object ${ref.objectId} arrived with hash ${read.sha256}: the copy of ${peer.address} is damaged; free it and put it again`,
        { details: { objectId: ref.objectId } },
      );
    });
  }

  /** Has the local node keep it as long as the holder lives. @throws {PalimpsestError} OBJECT_LOST, OBJECT_STORE_FULL */
  async hold(ref: ObjectRef, options: HoldOptions = {}): Promise<ObjectRef> {
    const holder = options.holder ?? this.#options.holder;
    const { objectId } = ref;
    const { sizeBytes } = await this.#atNode((peer) => this.#fetch(peer, ref, holder, options));
    return { objectId, sizeBytes: sizeBytes ?? ref.sizeBytes };
  }

  /** Lets go on every node: an object that nobody else holds is freed there, and its copies with it. */
  async release(refs: ObjectRef | readonly ObjectRef[], options: HoldOptions = {}): Promise<void> {
    await this.#free(refs, options.holder ?? this.#options.holder, options);
  }

  /** Removes them from every node, whoever holds them. Equal bytes are one object: another program may have put them too. */
  async free(refs: ObjectRef | readonly ObjectRef[], options: ObjectCallOptions = {}): Promise<void> {
    await this.#free(refs, "", options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const peer = await this.#peer?.catch(() => undefined);
    peer?.close();
  }

  async #fetch(
    peer: Peer,
    { objectId, sizeBytes }: ObjectRef,
    holder: string,
    options: ObjectCallOptions,
  ): Promise<proto.ObjectInfo.$Properties> {
    return await peer.unary(objectsService.fetch, { objectId, holder }, transferSettings(sizeBytes, options));
  }

  async #free(
    refs: ObjectRef | readonly ObjectRef[],
    holder: string,
    options: ObjectCallOptions,
  ): Promise<void> {
    const objectIds = ("objectId" in refs ? [refs] : refs).map(({ objectId }) => objectId);
    const timeoutMs = options.timeoutMs ?? this.#options.defaultTimeoutMs;
    const settings = options.signal ? { timeoutMs, signal: options.signal } : { timeoutMs };
    await this.#atNode((peer) => peer.unary(objectsService.free, { objectIds, holder }, settings));
  }

  /** OBJECTS-3: when the node is gone, the next use looks for one anew. */
  async #atNode<T>(use: (peer: Peer) => Promise<T>): Promise<T> {
    const peer = await this.#connected();
    try {
      return await use(peer);
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

  async #pull(
    peer: Peer,
    objectId: string,
    sizeBytes: number,
    options: ObjectCallOptions,
  ): Promise<HashedBytes> {
    const bytes = new Uint8Array(sizeBytes);
    const hash = createHash("sha256");
    let filled = 0;
    const stream = peer.serverStream(objectsService.pull, { objectId }, transferSettings(sizeBytes, options));
    try {
      for await (const chunk of stream as AsyncIterable<proto.PullChunk.$Properties>) {
        const data = chunk.data ?? new Uint8Array();
        if (filled + data.byteLength > sizeBytes) break;
        bytes.set(data, filled);
        hash.update(data);
        filled += data.byteLength;
      }
    } catch (reason) {
      throw fromGrpcError(reason);
    }
    return { bytes: bytes.subarray(0, filled), sha256: hash.digest("hex") };
  }
}

interface HashedBytes {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

function transferSettings(
  sizeBytes: number,
  { timeoutMs = transferTimeoutMs(sizeBytes), signal }: ObjectCallOptions,
): { timeoutMs: number; signal?: AbortSignal } {
  return signal ? { timeoutMs, signal } : { timeoutMs };
}

/** At least one chunk, which may be empty: the first names the size. */
function* chunksOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let any = false;
  for (const piece of pieces) {
    for (let offset = 0; offset < piece.byteLength; offset += chunkBytes) {
      any = true;
      yield piece.subarray(offset, offset + chunkBytes);
    }
  }
  if (!any) yield new Uint8Array();
}

/** Undefined: there is no such file, or not of that size; the node is asked for the bytes. */
async function readLocal(
  objectId: string,
  info: proto.ObjectInfo.$Properties,
): Promise<HashedBytes | undefined> {
  const sizeBytes = info.sizeBytes ?? 0;
  if (!info.path || sizeBytes < fileReadBytes || basename(info.path) !== objectId) return undefined;
  const file = await open(info.path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if ((await file.stat()).size !== sizeBytes) return undefined;
    const bytes = new Uint8Array(sizeBytes);
    const hash = createHash("sha256");
    for (let filled = 0; filled < sizeBytes; ) {
      const readBytes = await readChunk(file, bytes, filled, hash);
      if (readBytes === 0) return undefined;
      filled += readBytes;
    }
    return { bytes, sha256: hash.digest("hex") };
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** OBJECTS-4: a megabyte at a time, hashed while it is in the processor's cache. */
async function readChunk(file: FileHandle, bytes: Uint8Array, at: number, hash: Hash): Promise<number> {
  const { bytesRead } = await file.read(bytes, at, Math.min(chunkBytes, bytes.byteLength - at), at);
  hash.update(bytes.subarray(at, at + bytesRead));
  return bytesRead;
}
