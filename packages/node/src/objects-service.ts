/** The Objects service over the store. Not its job: which objects there are to be. */
import { open } from "node:fs/promises";
import type {
  handleServerStreamingCall,
  ServerReadableStream,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { PalimpsestError, toGrpcError, unary } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectFetcher } from "./object-fetch.js";
import { isObjectId, type ObjectStore, type StoredObject } from "./object-store.js";

const chunkBytes = 1024 * 1024;

export interface ObjectsServiceDeps {
  readonly store: ObjectStore;
  readonly fetcher: ObjectFetcher;
  readonly address: () => string;
  readonly onMoved: (direction: "in" | "out", bytes: number) => void;
}

export function createObjectsHandlers(deps: ObjectsServiceDeps): UntypedServiceImplementation {
  const { store, fetcher } = deps;
  const infoOf = ({ objectId, sizeBytes, path }: StoredObject): proto.ObjectInfo.$Properties => ({
    objectId,
    sizeBytes,
    path,
    locations: [deps.address()],
  });
  return {
    put: (
      call: ServerReadableStream<proto.PutChunk.$Properties, proto.ObjectInfo.$Properties>,
      answer: sendUnaryData<proto.ObjectInfo.$Properties>,
    ) => {
      receive(deps, call).then(
        (stored) => answer(null, infoOf(stored)),
        (reason: unknown) => answer(toGrpcError(reason)),
      );
    },
    pull: ((call) => void send(deps, call)) satisfies handleServerStreamingCall<
      proto.PullRequest.$Properties,
      proto.PullChunk.$Properties
    >,
    fetch: unary<proto.FetchRequest.$Properties, proto.ObjectInfo.$Properties>(async (request) => {
      const objectId = checkedId(request.objectId);
      return infoOf(await fetcher.fetch(objectId, request.locations ?? [], request.holder ?? ""));
    }),
    stat: unary<proto.StatRequest.$Properties, proto.ObjectInfo.$Properties>((request) =>
      infoOf(store.get(checkedId(request.objectId))),
    ),
    delete: unary<proto.DeleteRequest.$Properties, proto.DeleteResponse.$Properties>(async (request) => ({
      existed: await store.delete(checkedId(request.objectId)),
    })),
  };
}

async function receive(
  { store, onMoved }: ObjectsServiceDeps,
  call: AsyncIterable<proto.PutChunk.$Properties>,
): Promise<StoredObject> {
  const chunks = call[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done)
    throw new PalimpsestError("INVALID_ARGUMENT", "the stream has no chunk: the first names the size");
  const writer = await store.create(first.value.sizeBytes ?? 0, first.value.holder ?? "");
  try {
    await writer.write(first.value.data ?? new Uint8Array());
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      await writer.write(next.value.data ?? new Uint8Array());
    }
    const stored = await writer.commit();
    onMoved("in", stored.sizeBytes);
    return stored;
  } finally {
    await writer.abort();
  }
}

type PullCall = Parameters<
  handleServerStreamingCall<proto.PullRequest.$Properties, proto.PullChunk.$Properties>
>[0];

async function send({ store, onMoved }: ObjectsServiceDeps, call: PullCall): Promise<void> {
  try {
    const { path, sizeBytes } = store.get(checkedId(call.request.objectId));
    const from = call.request.offsetBytes ?? 0;
    const to = call.request.lengthBytes ? Math.min(sizeBytes, from + call.request.lengthBytes) : sizeBytes;
    const file = await open(path, "r");
    try {
      for (let offset = from; offset < to && !call.cancelled; ) {
        // A buffer of its own for each chunk: the last one is still on its way out.
        const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - offset));
        const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, offset);
        if (bytesRead === 0) throw new PalimpsestError("OBJECT_LOST", `${path} is shorter than it was`);
        const chunk = { data: buffer.subarray(0, bytesRead), offsetBytes: offset };
        offset += bytesRead;
        onMoved("out", bytesRead);
        if (!call.write(chunk)) await drained(call);
      }
    } finally {
      await file.close();
    }
    call.end();
  } catch (reason) {
    call.emit("error", toGrpcError(reason));
  }
}

function drained(call: PullCall): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off("drain", done);
      call.off("cancelled", done);
      resolve();
    };
    call.on("drain", done);
    call.on("cancelled", done);
  });
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
function checkedId(objectId: string | null | undefined): string {
  if (objectId && isObjectId(objectId)) return objectId;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `object_id ${JSON.stringify(objectId)} is not a SHA-256 in hex`,
  );
}
