import { join } from "node:path";
import { grpcNetwork, objectsService, PalimpsestError, type Peer, type RpcServer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ByteBudget } from "../base/byte-budget.js";
import { StandingClock } from "../testing/standing-clock.js";
import type { ObjectFetcher } from "./object-fetch.js";
import type { ObjectHolds } from "./object-holds.js";
import { ObjectPins } from "./object-pins.js";
import { ObjectRecoveries } from "./object-recoveries.js";
import { createObjectsHandlers } from "./objects-service.js";
import { ObjectStore } from "./store/object-store.js";

/** No program of these tests has a lost result made again. */
const noHead = () => {
  throw new PalimpsestError("UNAVAILABLE", "there is no head");
};

const mebibyte = 1024 * 1024;
/** More than the buffers of two sockets take: what they hold has left the store's bound. */
const objectBytes = 64 * mebibyte;
let folder: string;
let store: ObjectStore;
let budget: ByteBudget;
let clock: StandingClock;
let server: RpcServer;
let peer: Peer;
let objectId: string;

beforeEach(async () => {
  folder = testFolder();
  clock = new StandingClock();
  store = await ObjectStore.open({ folder: join(folder, "objects"), maxBytes: 2 * objectBytes, clock });
  const writer = await store.create(objectBytes, "job-1");
  await writer.write(new Uint8Array(objectBytes));
  objectId = (await writer.commit()).objectId;
  budget = new ByteBudget(mebibyte);
  const network = grpcNetwork({ token: "token-of-the-tests" });
  server = network.createServer();
  const handlers = createObjectsHandlers({
    ...{ store, budget, clock, fetcher: {} as ObjectFetcher },
    freeElsewhere: async () => undefined,
    ...{ holds: {} as ObjectHolds, proof: { path: "", text: "" }, existing: async () => [] },
    pins: new ObjectPins(clock),
    recoveries: new ObjectRecoveries({ head: noHead, send: () => undefined }),
    onMoved: () => undefined,
  });
  server.addService(objectsService, handlers);
  peer = network.connect(await server.listen("127.0.0.1", 0));
});

afterEach(async () => {
  peer.close();
  server.kill();
  await store.close();
});

test("pulls whose readers take nothing share one bound, and go on where it is given back (SERVE-1)", async () => {
  const readers = [1, 2, 3].map(() => peer.serverStream(objectsService.pull, { objectId }));
  for (const reader of readers) reader.on("error", () => undefined);
  // Two wait for their first chunk, and one for its second.
  await expect.poll(() => budget.waiting).toBe(3);
  expect(budget.taken).toBe(mebibyte);
  for (const reader of readers) reader.cancel();
  await expect.poll(() => [budget.waiting, budget.taken]).toEqual([0, 0]);
});

test("a reader that takes nothing for 30 s is cut off, and leaves its room to others (SERVE-2)", async () => {
  const reader = peer.serverStream(objectsService.pull, { objectId });
  reader.on("error", () => undefined);
  await expect.poll(() => budget.taken).toBe(mebibyte);
  await expect
    .poll(() => {
      clock.advance(10_000);
      return budget.taken;
    })
    .toBe(0);
  let sizeBytes = 0;
  const other = peer.serverStream(objectsService.pull, { objectId });
  for await (const { data } of other as AsyncIterable<proto.PullChunk.$Properties>)
    sizeBytes += data?.byteLength ?? 0;
  expect(sizeBytes).toBe(objectBytes);
  reader.cancel();
});
