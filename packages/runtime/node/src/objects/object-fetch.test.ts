import { randomBytes } from "node:crypto";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import type { ServerWritableStream } from "@grpc/grpc-js";
import { sha256Of, systemClock } from "@palimpsest/std";
import { grpcNetwork, type Network, objectsService, type RpcServer, unary } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ByteBudget } from "../base/byte-budget.js";
import { ObjectFetcher } from "./object-fetch.js";
import { PeerPool } from "./peer-pool.js";
import { ObjectStore } from "./store/object-store.js";

type PullStream = ServerWritableStream<proto.PullRequest.$Properties, proto.PullChunk.$Properties>;

const mebibyte = 1024 * 1024;
const objects = [randomBytes(mebibyte), randomBytes(mebibyte)];
const [first = "", second = ""] = objects.map((bytes) => sha256Of(bytes));
const bytesOf = (objectId: string | null | undefined) =>
  objects[objectId === first ? 0 : 1] ?? Buffer.alloc(0);

let folder: string;
let store: ObjectStore;
let server: RpcServer;
let address: string;
let peers: PeerPool;
let dialed: string[];
/** Streams that the other node was asked for; a test serves them. */
let pulls: PullStream[];

beforeEach(async () => {
  folder = testFolder();
  store = await ObjectStore.open({ folder: join(folder, "objects"), maxBytes: 10 * mebibyte });
  dialed = [];
  pulls = [];
  const real = grpcNetwork({ token: "token-of-the-tests" });
  server = real.createServer();
  const { stat, pull } = objectsService;
  server.addService(
    { stat, pull },
    {
      // What the data says of places is nothing to go by.
      stat: unary(() => ({ sizeBytes: mebibyte, path: "127.0.0.1:2" })),
      pull: (call: PullStream) => void pulls.push(call),
    },
  );
  address = await server.listen("127.0.0.1", 0);
  const network: Network = {
    ...real,
    connect: (to, kind) => {
      dialed.push(to);
      return real.connect(to, kind);
    },
  };
  peers = new PeerPool(network, systemClock);
});

afterEach(async () => {
  peers.close();
  server.kill();
  await store.close();
});

function fetcher(budget: ByteBudget, own = "127.0.0.1:1"): ObjectFetcher {
  return new ObjectFetcher({
    ...{ store, peers, budget, clock: systemClock },
    locate: async () => ({ addresses: [own, address], fetching: [], complete: true }),
    ownAddress: () => own,
    onReceived: () => undefined,
    adopts: true,
    onAdopted: () => undefined,
  });
}

function serve(call: PullStream | undefined): void {
  call?.write({ data: bytesOf(call.request.objectId) });
  call?.end();
}

test("only addresses that the head names are dialed, and never the node's own (FETCH-3)", async () => {
  const fetching = fetcher(new ByteBudget(10 * mebibyte)).fetch(first, "job-1");
  await expect.poll(() => pulls.length).toBe(1);
  serve(pulls[0]);
  expect((await fetching).sizeBytes).toBe(mebibyte);
  expect(dialed).toEqual([address]);
});

test("a transfer waits while others have the bytes that may be under way (FETCH-5)", async () => {
  const budget = new ByteBudget(mebibyte);
  const both = fetcher(budget);
  const fetching = [both.fetch(first, "job-1"), both.fetch(second, "job-1")];
  await expect.poll(() => [pulls.length, budget.waiting]).toEqual([1, 1]);
  expect(budget.taken).toBe(mebibyte);
  serve(pulls[0]);
  await expect.poll(() => pulls.length).toBe(2);
  expect([budget.taken, budget.waiting]).toEqual([mebibyte, 0]);
  serve(pulls[1]);
  await Promise.all(fetching);
  expect(budget.taken).toBe(0);
});

test("an object whose own copy on disk is damaged is fetched from another node (FETCH-8)", async () => {
  await store.close();
  const spill = { folder: join(folder, "spill"), maxBytes: 10 * mebibyte };
  store = await ObjectStore.open({ folder: join(folder, "small"), maxBytes: 1.5 * mebibyte, spill });
  for (const bytes of objects) {
    const writer = await store.create(mebibyte, "job-1");
    await writer.write(bytes);
    await writer.commit();
  }
  expect(store.spilledBytes).toBe(mebibyte);
  await truncate(join(spill.folder, first), 10);
  const fetching = fetcher(new ByteBudget(10 * mebibyte)).fetch(first, "job-2");
  await expect.poll(() => pulls.length).toBe(1);
  serve(pulls[0]);
  expect((await fetching).sizeBytes).toBe(mebibyte);
});
