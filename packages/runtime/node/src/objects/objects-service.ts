/**
 * Responsibility: the Objects service over the store.
 * Not responsible for: which objects should exist.
 *
 * Invariants:
 * - SERVE-1. The bytes that were read for pulls and not yet taken by their connection are bounded, for all pulls
 *   together.
 * - SERVE-2. A reader that takes nothing for 30 s is disconnected (hand-over.ts).
 * - SERVE-3. An upload of which no chunk arrives for putStallMs is ended, and leaves nothing behind.
 */

import { dirname } from "node:path";
import type { handleServerStreamingCall, ServerReadableStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import {
  isObjectId,
  type objectsService,
  PalimpsestError,
  type ServiceHandlers,
  toGrpcError,
  transferTimeoutMs,
  unary,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ByteBudget } from "../base/byte-budget.js";
import { handOver } from "../base/hand-over.js";
import { serveWrite } from "./content-write.js";
import type { ObjectFetcher } from "./object-fetch.js";
import type { ObjectHolds } from "./object-holds.js";
import { idsOf, serveLink, valueIdOf } from "./object-link.js";
import type { ObjectPins } from "./object-pins.js";
import type { ObjectRecoveries } from "./object-recoveries.js";
import type { ObjectStore } from "./store/object-store.js";
import type { StoredObject } from "./store/stored-object.js";

const chunkBytes = 1024 * 1024;
/**
 * The longest time in milliseconds between two chunks. The uploading program may compute for a while in the thread that
 * sends them.
 */
const putStallMs = 120_000;
const maxFreedAtOnce = 10_000;

export interface ObjectsServiceDeps {
  readonly store: ObjectStore;
  readonly fetcher: ObjectFetcher;
  readonly holds: ObjectHolds;
  readonly proof: { readonly path: string; readonly text: string };
  /** Returns which of the objects exist on some node. */
  readonly existing: (objectIds: readonly string[]) => Promise<readonly string[]>;
  /** Asks programs which objects their calls refer to. */
  readonly pins: ObjectPins;
  /** Makes the owner of a lost result recompute it. */
  readonly recoveries: ObjectRecoveries;
  /** Whether its port also accepts bulk connections. */
  readonly bulk?: boolean;
  /** The budget of outgoing bytes. */
  readonly budget: ByteBudget;
  readonly clock: Clock;
  /** Makes the head release them on the other nodes. */
  readonly freeElsewhere: (objectIds: readonly string[], holder: string) => Promise<void>;
  readonly onMoved: (direction: "in" | "out", bytes: number) => void;
}

export function createObjectsHandlers(deps: ObjectsServiceDeps): ServiceHandlers<typeof objectsService> {
  const { store, fetcher } = deps;
  const infoOf = ({ objectId, sizeBytes, path }: StoredObject): proto.ObjectInfo.$Properties => ({
    objectId,
    sizeBytes,
    path,
    mappable: store.isMappable && dirname(path) === store.folder,
  });
  return {
    put: (call, answer) => {
      receive(deps, call).then(
        (stored) => answer(null, infoOf(stored)),
        (reason: unknown) => answer(toGrpcError(reason)),
      );
    },
    pull: (call) => void send(deps, call),
    fetch: unary(async (request) => {
      const objectId = checkedId(request.objectId);
      return infoOf(await fetcher.fetch(objectId, request.holder ?? ""));
    }),
    stat: unary((request) => ({
      ...infoOf(store.get(checkedId(request.objectId))),
      bulk: deps.bulk ?? false,
    })),
    free: unary(async (request) => {
      const objectIds = (request.objectIds ?? []).map(checkedId);
      const holder = request.holder ?? "";
      if (objectIds.length > maxFreedAtOnce)
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          `object_ids has ${objectIds.length} entries: free at most ${maxFreedAtOnce} at once`,
        );
      for (const objectId of objectIds) store.drop({ objectId, holder });
      await deps.freeElsewhere(objectIds, holder);
      return {};
    }),
    write: (stream) => serveWrite(deps, stream),
    link: (stream) => serveLink(deps, stream),
    describe: unary((request) => describeObjects(store, deps.pins, request)),
    hold: unary((request) => {
      const holder = request.holder ?? "";
      if (holder === "")
        throw new PalimpsestError("INVALID_ARGUMENT", "holder is empty: give the id of the leases' owner");
      const missing: Uint8Array[] = [];
      for (const objectId of idsOf({ objectIds: request.objectIds ?? [] })) {
        if (store.find(objectId) === undefined) missing.push(Buffer.from(objectId, "hex"));
        else store.hold(objectId, holder);
      }
      return { missing };
    }),
  };
}

async function receive(
  { store, clock, holds, onMoved }: ObjectsServiceDeps,
  call: ServerReadableStream<proto.PutChunk.$Properties, proto.ObjectInfo.$Properties>,
): Promise<StoredObject> {
  const iterator = (call as AsyncIterable<proto.PutChunk.$Properties>)[Symbol.asyncIterator]();
  const chunks = { next: () => unlessStalled(call, iterator, clock) };
  const first = await chunks.next();
  if (first.done)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "the stream has no chunk: send one that gives the total size",
    );
  const holder = first.value.holder ?? "";
  const { sizeBytes, valueId, contains } = first.value;
  const name = valueId?.byteLength ? valueIdOf(valueId) : "";
  const contained = name === "" ? [] : idsOf({ objectIds: contains ?? [] });
  const writer = await store.create(sizeBytes ?? 0, holder, name);
  try {
    await writer.write(first.value.data ?? new Uint8Array());
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      await writer.write(next.value.data ?? new Uint8Array());
    }
    await holds.holdContained(name, contained);
    const stored = await writer.commit();
    // The object is leased for a while, so that the program that put it has time to take its own lease.
    if (holder === "") store.lease(stored.objectId, transferTimeoutMs(stored.sizeBytes));
    onMoved("in", stored.sizeBytes);
    return stored;
  } finally {
    await writer.abort();
    if (contained.length > 0 && store.find(name) === undefined) holds.letGoOfContained(name);
  }
}

/** @throws {PalimpsestError} GET_TIMEOUT if no chunk arrived for putStallMs (SERVE-3) */
async function unlessStalled<Chunk>(
  call: { destroy(error: Error): unknown },
  chunks: AsyncIterator<Chunk>,
  clock: Clock,
): Promise<IteratorResult<Chunk>> {
  const stalled = new PalimpsestError(
    "GET_TIMEOUT",
    `no chunk arrived for ${putStallMs} ms: put the object again`,
  );
  const cancelStall = clock.after(putStallMs, () => call.destroy(stalled));
  try {
    return await chunks.next();
  } finally {
    cancelStall();
  }
}

type PullCall = Parameters<
  handleServerStreamingCall<proto.PullRequest.$Properties, proto.PullChunk.$Properties>
>[0];

async function send({ store, budget, clock, onMoved }: ObjectsServiceDeps, call: PullCall): Promise<void> {
  try {
    const { object, open, done } = store.read(checkedId(call.request.objectId));
    try {
      const { path, sizeBytes } = object;
      const from = call.request.offsetBytes ?? 0;
      const to = call.request.lengthBytes ? Math.min(sizeBytes, from + call.request.lengthBytes) : sizeBytes;
      const file = await open();
      try {
        let handedOver = Promise.resolve();
        for (let offset = from; offset < to && !call.cancelled; ) {
          const giveBack = await budget.take(chunkBytes);
          try {
            // Each chunk gets a new buffer, because the last one is still being sent.
            const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - offset));
            const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, offset);
            if (bytesRead === 0) throw new PalimpsestError("OBJECT_LOST", `${path} was truncated`);
            const chunk = { data: buffer.subarray(0, bytesRead), offsetBytes: offset };
            offset += bytesRead;
            // One chunk is read while the one before is being taken, so that the connection never waits for the disk.
            await handedOver;
            onMoved("out", bytesRead);
            handedOver = handOver(call, chunk, clock).finally(giveBack);
            handedOver.catch(() => undefined);
          } catch (reason) {
            giveBack();
            throw reason;
          }
        }
        await handedOver;
      } finally {
        await file.close();
      }
    } finally {
      done();
    }
    call.end();
  } catch (reason) {
    call.emit("error", toGrpcError(reason));
  }
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
function checkedId(objectId: string | null | undefined): string {
  if (objectId && isObjectId(objectId)) return objectId;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `object_id ${JSON.stringify(objectId)} is neither a SHA-256 in hex nor the name of a value`,
  );
}

/** Lists for people which owners have leases on a node's objects. */

const defaultLimit = 1_000;
const maxLimit = 10_000;
const maxHolders = 100;
/**
 * The milliseconds within which programs report which objects their calls refer to. A program whose thread is busy does
 * not.
 */
const pinsTimeoutMs = 1_000;

async function describeObjects(
  store: ObjectStore,
  pins: ObjectPins,
  request: proto.DescribeObjectsRequest.$Properties,
): Promise<proto.DescribeObjectsResponse.$Properties> {
  const limit = request.limit || defaultLimit;
  if (limit < 1 || limit > maxLimit)
    throw new PalimpsestError("INVALID_ARGUMENT", `limit is ${limit}: it must be from 1 to ${maxLimit}`);
  const pinned = await pins.ask(pinsTimeoutMs);
  const largest = [...store.entries()].sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, limit);
  return {
    objects: largest.map((entry) => ({
      objectId: entry.objectId,
      sizeBytes: entry.sizeBytes,
      ownerId: entry.ownerId,
      holders: [...entry.holders.keys()].slice(0, maxHolders),
      pinnedBy: [...new Set(pinned.get(entry.objectId))].slice(0, maxHolders),
      storedAtMs: entry.storedAtMs,
      readers: entry.readers,
      spilled: !entry.isResident,
    })),
    totalObjects: store.size,
    totalBytes: store.storedBytes,
  };
}
