/** Transfers an object's bytes from and to a node: by a file on the same machine, else in chunks. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { objectsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { seesFile } from "./object-link.js";
import { readFileInto, writeFileValue } from "./value-files.js";

const chunkBytes = 1024 * 1024;
/** Below this size in bytes a message over loopback is as fast as opening the file. */
const fileBytes = 256 * 1024;

/** The remaining time of a call, and the signal that may end it earlier. */
export interface CallSettings {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Makes the node fetch the object, and lease it to the owner unless that is empty. */
export function fetchAt(
  peer: Peer,
  { objectId }: { readonly objectId: string },
  holder: string,
  settings: CallSettings,
): Promise<proto.ObjectInfo.$Properties> {
  return peer.unary(objectsService.fetch, { objectId, holder }, settings);
}

/** Collects the bytes of a value, however many arrive, because a value's name does not determine them. */
export async function pull(
  peer: Peer,
  objectId: string,
  sizeBytes: number,
  settings: CallSettings,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  const filledBytes = await receive(peer, objectId, [bytes], settings);
  return bytes.subarray(0, filledBytes);
}

/** Fills the targets with the bytes of an object. @returns their SHA-256 */
export async function pullHashed(
  peer: Peer,
  objectId: string,
  targets: readonly Uint8Array[],
  settings: CallSettings,
): Promise<string> {
  const hash = createHash("sha256");
  await receive(peer, objectId, targets, settings, (data) => void hash.update(data));
  return hash.digest("hex");
}

/** Fills the targets one after another. @returns the number of bytes that fitted */
async function receive(
  peer: Peer,
  objectId: string,
  targets: readonly Uint8Array[],
  settings: CallSettings,
  onData: (data: Uint8Array) => void = () => undefined,
): Promise<number> {
  const left = [...targets];
  let filledBytes = 0;
  const stream = peer.serverStream(objectsService.pull, { objectId }, settings);
  const chunks: AsyncIterable<proto.PullChunk.$Properties> = stream;
  for await (const chunk of chunks) {
    // Chunks that have arrived together would be hashed in one turn of the event loop otherwise (OBJECTS-4).
    if (filledBytes > 0) await nextTurn();
    let data = chunk.data ?? new Uint8Array();
    onData(data);
    while (data.byteLength > 0) {
      while (left[0]?.byteLength === 0) left.shift();
      const target = left[0];
      if (target === undefined) return filledBytes;
      const fitting = data.subarray(0, target.byteLength);
      target.set(fitting);
      filledBytes += fitting.byteLength;
      data = data.subarray(fitting.byteLength);
      left[0] = target.subarray(fitting.byteLength);
    }
  }
  return filledBytes;
}

/** Sends bytes over the network. The node may refuse them before their end; its answer gives the reason. */
export async function upload(
  peer: Peer,
  first: proto.PutChunk.$Properties,
  pieces: readonly Uint8Array[],
  settings: CallSettings,
): Promise<proto.ObjectInfo.$Properties> {
  const { stream, response } = peer.clientStream(objectsService.put, settings);
  let isAnswered = false;
  let wake = () => {};
  stream.on("drain", () => wake());
  const onAnswer = () => {
    isAnswered = true;
    wake();
  };
  response.then(onAnswer, onAnswer);
  let begin = first;
  for (const data of chunksOf(pieces)) {
    const isTaken = stream.write({ ...begin, data });
    begin = {};
    if (!isTaken && !isAnswered)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    if (isAnswered) break;
  }
  stream.end();
  return await response;
}

/** Yields at least one chunk, which may be empty, because the first chunk carries the size. */
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

/**
 * Fills the targets from the node's file. Returns false if this program does not see the file, so that the node has
 * to send the bytes.
 */
export async function readLocal(
  objectId: string,
  { path, mappable }: proto.ObjectInfo.$Properties,
  targets: readonly Uint8Array[],
): Promise<boolean> {
  const sizeBytes = bytesOf(targets);
  if (!path || sizeBytes < fileBytes || basename(path) !== objectId) return false;
  return await readFileInto(path, targets, mappable ?? false).catch(() => false);
}

/**
 * Writes the pieces as one object into a file of the node, which hashes it.
 * @returns undefined if they are few bytes or this program does not see the node's files
 * @throws {PalimpsestError} OBJECT_STORE_FULL
 */
export async function writeLocal(
  peer: Peer,
  pieces: readonly Uint8Array[],
  holder: string,
  settings: CallSettings,
): Promise<proto.ObjectInfo.$Properties | undefined> {
  const sizeBytes = bytesOf(pieces);
  if (sizeBytes < fileBytes) return undefined;
  const stream = peer.bidi(objectsService.write, settings);
  const answers = (stream as AsyncIterable<proto.WriteAnswer.$Properties>)[Symbol.asyncIterator]();
  try {
    stream.write({});
    const { proofPath, proof } = await nextAnswer(answers);
    if (!(await seesFile(proofPath ?? "", proof ?? ""))) return undefined;
    stream.write({ sizeBytes, holder });
    const { info } = await nextAnswer(answers);
    await writeFileValue(info?.path ?? "", pieces, settings.signal);
    stream.write({ seal: true });
    return (await nextAnswer(answers)).info ?? {};
  } finally {
    stream.cancel();
  }
}

async function nextAnswer(
  answers: AsyncIterator<proto.WriteAnswer.$Properties>,
): Promise<proto.WriteAnswer.$Properties> {
  const { value, done } = await answers.next();
  if (!done) return value;
  throw new PalimpsestError("UNAVAILABLE", "the node ended the stream over which an object is written");
}

export function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
