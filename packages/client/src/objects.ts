/**
 * Job: puts bytes into the object store of one node and gets them from any.
 * Non-job: keeping objects (the node does).
 *
 * O1. Bytes that get() returns hash to the name that was asked for.
 * O2. What is on the same machine is read from the store's file; nothing else is trusted about the path.
 * O3. A call that finds the node gone fails; the next one looks for a node anew.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fromGrpcError, type Network, objectsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const chunkBytes = 1024 * 1024;
/** Below this a pull over loopback is as quick as a look at the file. */
const fileReadBytes = 256 * 1024;

/** Names immutable bytes in the cluster. Plain data: it may travel in calls. */
export interface ObjectRef {
  /** SHA-256 (hex) of the bytes. */
  readonly objectId: string;
  readonly sizeBytes: number;
  /** host:port of Objects services that held it when the reference was made. */
  readonly locations: readonly string[];
}

export interface ObjectCallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface PutOptions extends ObjectCallOptions {
  /** Who holds it; it is freed when the holder ends. Default: the session. */
  readonly holder?: string;
}

export interface ObjectsOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  readonly holder: string;
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
  async put(bytes: Uint8Array | readonly Uint8Array[], options: PutOptions = {}): Promise<ObjectRef> {
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
    const sizeBytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    return await this.#atNode(async (peer) => {
      const { stream, response } = peer.clientStream(objectsService.put, this.#settings(options));
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
      return { objectId: info.objectId ?? "", sizeBytes: info.sizeBytes ?? 0, locations: [peer.address] };
    });
  }

  /** The bytes, fetched to the local node first when they are elsewhere. @throws {PalimpsestError} OBJECT_LOST */
  async get(ref: ObjectRef, options: ObjectCallOptions = {}): Promise<Uint8Array> {
    const timeoutMs = options.timeoutMs ?? this.#options.defaultTimeoutMs;
    const { bytes, address } = await this.#atNode(async (peer) => {
      const info = await peer.unary(
        objectsService.fetch,
        { objectId: ref.objectId, locations: [...ref.locations], holder: this.#options.holder },
        { timeoutMs, ...(options.signal ? { signal: options.signal } : {}) },
      );
      const local = await readLocal(ref.objectId, info);
      return {
        address: peer.address,
        bytes: local ?? (await this.#pull(peer, ref.objectId, info.sizeBytes ?? 0, options)),
      };
    });
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (hash === ref.objectId) return bytes;
    throw new PalimpsestError(
      "OBJECT_LOST",
      `object ${ref.objectId} arrived with hash ${hash}: the copy of ${address} is damaged; delete it there`,
      { details: { objectId: ref.objectId } },
    );
  }

  /** Has the local node hold it; returns a reference that names this node too. */
  async fetch(ref: ObjectRef, options: PutOptions = {}): Promise<ObjectRef> {
    const holder = options.holder ?? this.#options.holder;
    return await this.#atNode(async (peer) => {
      const info = await peer.unary(
        objectsService.fetch,
        { objectId: ref.objectId, locations: [...ref.locations], holder },
        this.#settings(options),
      );
      const locations = [...new Set([peer.address, ...ref.locations])];
      return { objectId: ref.objectId, sizeBytes: info.sizeBytes ?? ref.sizeBytes, locations };
    });
  }

  /** Removes it from the local node, whoever holds it. */
  async delete(ref: Pick<ObjectRef, "objectId">, options: ObjectCallOptions = {}): Promise<boolean> {
    return await this.#atNode(async (peer) => {
      const answer = await peer.unary(
        objectsService.delete,
        { objectId: ref.objectId },
        this.#settings(options),
      );
      return answer.existed ?? false;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const peer = await this.#peer?.catch(() => undefined);
    peer?.close();
  }

  #settings(options: ObjectCallOptions): { timeoutMs: number; signal?: AbortSignal } {
    const timeoutMs = options.timeoutMs ?? this.#options.defaultTimeoutMs;
    return options.signal ? { timeoutMs, signal: options.signal } : { timeoutMs };
  }

  /** O3: when the node is gone, the next use looks for one anew. */
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
  ): Promise<Uint8Array> {
    const bytes = new Uint8Array(sizeBytes);
    let filled = 0;
    const stream = peer.serverStream(objectsService.pull, { objectId }, this.#settings(options));
    try {
      for await (const chunk of stream as AsyncIterable<proto.PullChunk.$Properties>) {
        const data = chunk.data ?? new Uint8Array();
        if (filled + data.byteLength > sizeBytes) break;
        bytes.set(data, filled);
        filled += data.byteLength;
      }
    } catch (reason) {
      throw fromGrpcError(reason);
    }
    return bytes.subarray(0, filled);
  }
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

async function readLocal(
  objectId: string,
  info: proto.ObjectInfo.$Properties,
): Promise<Uint8Array | undefined> {
  const sizeBytes = info.sizeBytes ?? 0;
  if (!info.path || sizeBytes < fileReadBytes || basename(info.path) !== objectId) return undefined;
  const bytes = await readFile(info.path).catch(() => undefined);
  return bytes?.byteLength === sizeBytes ? bytes : undefined;
}
