/**
 * Responsibility: one object that is named by its hash and that a program on this machine writes into a file of the
 * store.
 * Not responsible for: the file and its hash (object-store.ts).
 *
 * Invariants:
 * - CONTENTWRITE-1. A file that is not sealed when its stream ends, or within the time allowed for its size, is
 *   discarded.
 */
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import { PalimpsestError, toGrpcError, transferTimeoutMs } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectStore } from "./store/object-store.js";
import type { SharedWrite } from "./store/shared-write.js";
import type { StoredObject } from "./store/stored-object.js";

export type WriteStream = ServerDuplexStream<proto.WriteOrder.$Properties, proto.WriteAnswer.$Properties>;

export interface ContentWriteDeps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly proof: { readonly path: string; readonly text: string };
}

export function serveWrite(deps: ContentWriteDeps, stream: WriteStream): void {
  serve(deps, stream).then(
    () => stream.end(),
    (reason: unknown) => stream.emit("error", toGrpcError(reason)),
  );
}

async function serve({ store, clock, proof }: ContentWriteDeps, stream: WriteStream): Promise<void> {
  stream.on("cancelled", () => stream.destroy());
  const orders = (stream as AsyncIterable<proto.WriteOrder.$Properties>)[Symbol.asyncIterator]();
  await orders.next();
  stream.write({ proofPath: proof.path, proof: proof.text });
  const begin = await orders.next();
  // A program on another machine sends the bytes instead.
  if (begin.done) return;
  const sizeBytes = begin.value.sizeBytes ?? 0;
  const holder = begin.value.holder ?? "";
  if (sizeBytes <= 0)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `size_bytes is ${sizeBytes}: give the object's size, which must be above 0, or use Put`,
    );
  const write = await store.reserve(sizeBytes, holder, "");
  const timeoutMs = transferTimeoutMs(sizeBytes);
  const late = new PalimpsestError(
    "GET_TIMEOUT",
    `the file was not sealed within ${timeoutMs} ms: put it again`,
  );
  const cancelTimer = clock.after(timeoutMs, () => stream.destroy(late));
  try {
    stream.write({ info: { sizeBytes, path: write.path } });
    const seal = await orders.next();
    if (seal.done) return;
    const stored = await sealed(store, write, holder);
    stream.write({ info: { objectId: stored.objectId, sizeBytes, path: stored.path } });
  } finally {
    cancelTimer();
    await write.abort();
  }
}

async function sealed(store: ObjectStore, write: SharedWrite, holder: string): Promise<StoredObject> {
  const stored = await write.seal();
  // The object is leased for a while, so that the writer has time to take its own lease.
  if (holder === "") store.lease(stored.objectId, transferTimeoutMs(stored.sizeBytes));
  return stored;
}
