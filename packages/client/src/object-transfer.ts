/** How an object's bytes come from a node and go to one: in chunks, hashed on the way. */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { objectsService, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const chunkBytes = 1024 * 1024;
/** Below this a pull over loopback is as quick as a look at the file. */
const fileReadBytes = 256 * 1024;

/** What is left of a call's time, and who may end it before. */
export interface CallSettings {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface HashedBytes {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** Has the node get the object, for the holder unless that is empty. */
export function fetchAt(
  peer: Peer,
  { objectId }: { readonly objectId: string },
  holder: string,
  settings: CallSettings,
): Promise<proto.ObjectInfo.$Properties> {
  return peer.unary(objectsService.fetch, { objectId, holder }, settings);
}

/** Every byte of an object that the node has. @param hashed whether the hash is wanted; else it is empty */
export async function pull(
  peer: Peer,
  objectId: string,
  sizeBytes: number,
  settings: CallSettings,
  hashed = true,
): Promise<HashedBytes> {
  const bytes = new Uint8Array(sizeBytes);
  const hash = hashed ? createHash("sha256") : undefined;
  let filled = 0;
  const stream = peer.serverStream(objectsService.pull, { objectId }, settings);
  for await (const chunk of stream as AsyncIterable<proto.PullChunk.$Properties>) {
    const data = chunk.data ?? new Uint8Array();
    if (filled + data.byteLength > sizeBytes) break;
    bytes.set(data, filled);
    hash?.update(data);
    filled += data.byteLength;
  }
  return { bytes: bytes.subarray(0, filled), sha256: hash?.digest("hex") ?? "" };
}

/** At least one chunk, which may be empty: the first names the size. */
export function* chunksOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
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
export async function readLocal(
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
