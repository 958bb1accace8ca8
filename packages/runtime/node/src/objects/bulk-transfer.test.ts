/** Objects that come in pieces: from real nodes, and from servers that break, lie and dawdle as a test says. */

import { randomBytes } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { sha256Of } from "@palimpsest/std";
import {
  type BulkReader,
  type BulkRequest,
  grpcNetwork,
  objectsService,
  PalimpsestError,
  type Peer,
  type RpcServer,
  unary,
} from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { startNode, type TestNode } from "../testing/fixture.js";
import { ranked } from "./bulk-transfer.js";
import { pieceBytes } from "./object-assembly.js";

const timeout = { timeoutMs: 600_000 };
const bytes = randomBytes(9 * pieceBytes + 17);
const objectId = sha256Of(bytes);
const valueId = "ab".repeat(20);
let head: FakeHead;
let network: ReturnType<typeof grpcNetwork>;
let nodes: TestNode[];
let servers: RpcServer[];
let peers: Peer[];
let proxies: { close(): void }[];

beforeEach(async () => {
  head = await FakeHead.start();
  network = grpcNetwork({ token: head.token });
  nodes = [];
  servers = [];
  peers = [];
  proxies = [];
});

afterEach(async () => {
  for (const peer of peers) peer.close();
  for (const proxy of proxies) proxy.close();
  for (const server of servers) server.kill();
  for (const node of nodes) await node[Symbol.asyncDispose]();
  head.kill();
});

async function join(): Promise<{ readonly address: string; readonly peer: Peer }> {
  const node = await startNode(head, { objectAdoption: false });
  nodes.push(node);
  const address = node.manager.objectsAddress;
  const peer = network.connect(address, "bulk");
  peers.push(peer);
  return { address, peer };
}

/** A server that says it has the bytes and answers ranges of them as told. */
async function impostor(
  serve: (request: BulkRequest) => Promise<Uint8Array>,
): Promise<{ readonly address: string; readonly asked: BulkRequest[]; kill(): void }> {
  const asked: BulkRequest[] = [];
  const server = network.createServer();
  servers.push(server);
  const { stat } = objectsService;
  server.addService({ stat }, { stat: unary(() => ({ sizeBytes: bytes.byteLength, bulk: true })) });
  const reader: BulkReader = {
    read: async (request) => {
      asked.push(request);
      return { bytes: await serve(request), release: () => undefined };
    },
    close: async () => undefined,
  };
  server.serveBulk?.(() => reader);
  return { address: await server.listen("127.0.0.1", 0), asked, kill: () => server.kill() };
}

const honest = async ({ offsetBytes, lengthBytes }: BulkRequest) =>
  bytes.subarray(offsetBytes, offsetBytes + lengthBytes);

function placed(id: string, addresses: readonly string[], fetching: readonly string[] = []): void {
  head.places.set(id, addresses);
  head.fetching.set(id, fetching);
}

async function bytesAt(peer: Peer, id: string): Promise<Buffer> {
  const stream = peer.serverStream(objectsService.pull, { objectId: id }, timeout);
  const chunks: Uint8Array[] = [];
  for await (const { data } of stream as AsyncIterable<{ data?: Uint8Array }>)
    chunks.push(data ?? Buffer.alloc(0));
  return Buffer.concat(chunks);
}

const pieces = Math.ceil(bytes.byteLength / pieceBytes);
const distinct = (asked: readonly BulkRequest[]) => new Set(asked.map(({ offsetBytes }) => offsetBytes)).size;

test("an object comes in pieces, each asked for once, few at a time (FETCH-7, BULKTRANSFER-2)", async () => {
  let give: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    give = resolve;
  });
  const source = await impostor(async (request) => {
    if (request.offsetBytes === 0) await first;
    return await honest(request);
  });
  const receiver = await join();
  placed(objectId, [source.address]);
  const fetching = receiver.peer.unary(objectsService.fetch, { objectId, holder: "job-1" }, timeout);
  await expect.poll(() => source.asked.length).toBe(1);
  give();
  await fetching;
  expect((await bytesAt(receiver.peer, objectId)).equals(bytes)).toBe(true);
  expect([source.asked.length, distinct(source.asked)]).toEqual([pieces, pieces]);
});

test("what has come of a source that dies is kept, and the rest comes from another (BULKTRANSFER-1)", async () => {
  const dying = await impostor(async (request) => {
    // At most four pieces are asked for ahead: whoever asks for the ninth has the first five.
    if (request.offsetBytes >= 8 * pieceBytes) dying.kill();
    return await honest(request);
  });
  const other = await impostor(honest);
  const receiver = await join();
  placed(valueId, [dying.address, other.address]);
  await receiver.peer.unary(objectsService.fetch, { objectId: valueId, holder: "job-1" }, timeout);
  expect((await bytesAt(receiver.peer, valueId)).equals(bytes)).toBe(true);
  expect(distinct(other.asked)).toBeLessThanOrEqual(pieces - 5);
});

test("pieces that do not make the object are asked of who has it whole (FETCH-1, FETCH-4)", async () => {
  const corrupt = await impostor(async (request) => {
    const piece = Buffer.from(await honest(request));
    if (request.offsetBytes === 2 * pieceBytes) piece[7] = (piece[7] ?? 0) ^ 1;
    return piece;
  });
  const right = await impostor(honest);
  const receiver = await join();
  placed(objectId, [corrupt.address, right.address]);
  await receiver.peer.unary(objectsService.fetch, { objectId, holder: "job-1" }, timeout);
  expect((await bytesAt(receiver.peer, objectId)).equals(bytes)).toBe(true);
});

/** A way to the address on which one byte of what a bulk connection carries is changed, once. */
async function flippingWayTo(address: string): Promise<string> {
  const port = Number(address.split(":")[1]);
  const sockets = new Set<Socket>();
  let left = 3 * pieceBytes;
  const proxy = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => [near, far].map((end) => end.destroy()));
    }
    let isBulk: boolean | undefined;
    near.on("data", (data: Buffer) => {
      isBulk ??= data[0] === 0;
      far.write(data);
    });
    far.on("data", (data: Buffer) => {
      if (isBulk && left >= 0) {
        left -= data.byteLength;
        if (left < 0) data[0] = (data[0] ?? 0) ^ 4;
      }
      near.write(data);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  proxies.push({
    close: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test("a byte of a value that changes on its way is noticed, and its piece is fetched again (FETCH-1, BULKCLIENT-3)", async () => {
  const source = await impostor(honest);
  const receiver = await join();
  placed(valueId, [await flippingWayTo(source.address)]);
  await receiver.peer.unary(objectsService.fetch, { objectId: valueId, holder: "job-1" }, timeout);
  expect((await bytesAt(receiver.peer, valueId)).equals(bytes)).toBe(true);
  expect(source.asked.length).toBeGreaterThan(pieces);
});

test("a node passes on what has come, while the rest is on its way (BULKTRANSFER-3)", async () => {
  let giveLast: () => void = () => undefined;
  const last = new Promise<void>((resolve) => {
    giveLast = resolve;
  });
  const source = await impostor(async (request) => {
    if (request.offsetBytes === (pieces - 1) * pieceBytes) await last;
    return await honest(request);
  });
  const [first, second] = [await join(), await join()];
  placed(objectId, [source.address]);
  const firstFetch = first.peer.unary(objectsService.fetch, { objectId, holder: "job-1" }, timeout);
  await expect.poll(() => source.asked.length).toBe(pieces);
  placed(objectId, [source.address], [first.address]);
  const secondFetch = second.peer.unary(objectsService.fetch, { objectId, holder: "job-1" }, timeout);
  await expect.poll(() => sentBy(0)).toBe((pieces - 1) * pieceBytes);
  giveLast();
  await Promise.all([firstFetch, secondFetch]);
  expect((await bytesAt(second.peer, objectId)).equals(bytes)).toBe(true);
  expect(source.asked.length).toBe(pieces);
});

test("a node that fetches it too and fails is followed by one that has it (BULKTRANSFER-1)", async () => {
  const source = await impostor(honest);
  const broken = await impostor(async () => {
    throw new PalimpsestError("UNAVAILABLE", "its transfer ended");
  });
  const receiver = await join();
  placed(objectId, [source.address], [broken.address]);
  await receiver.peer.unary(objectsService.fetch, { objectId, holder: "job-1" }, timeout);
  expect((await bytesAt(receiver.peer, objectId)).equals(bytes)).toBe(true);
  expect(broken.asked.length).toBeGreaterThan(0);
});

test("an object of which no piece can be had comes in calls", async () => {
  const server = network.createServer();
  servers.push(server);
  const { stat, pull } = objectsService;
  server.addService(
    { stat, pull },
    {
      stat: unary(() => ({ sizeBytes: bytes.byteLength, bulk: true })),
      pull: (call: { write(chunk: object): void; end(): void }) => {
        for (let at = 0; at < bytes.byteLength; at += pieceBytes)
          call.write({ data: bytes.subarray(at, at + pieceBytes) });
        call.end();
      },
    },
  );
  server.serveBulk?.(() => ({
    read: async () => {
      throw new PalimpsestError("UNAVAILABLE", "no pieces today");
    },
    close: async () => undefined,
  }));
  const address = await server.listen("127.0.0.1", 0);
  const receiver = await join();
  placed(objectId, [address]);
  await receiver.peer.unary(objectsService.fetch, { objectId, holder: "job-1" }, timeout);
  expect((await bytesAt(receiver.peer, objectId)).equals(bytes)).toBe(true);
});

test("the first take it from those who have it, the others each from another that fetches it (BULKTRANSFER-3)", () => {
  const whole = ["a", "b"];
  const firstOf = (fetching: readonly string[]) => ranked({ whole, fetching }).addresses[0];
  expect(firstOf([])).toBe("a");
  expect(firstOf(["c"])).toBe("b");
  expect(firstOf(["c", "d"])).toBe("c");
  expect(firstOf(["c", "d", "e"])).toBe("d");
  expect(ranked({ whole, fetching: ["c", "d", "e"] }).addresses).toEqual(["d", "a", "b", "c", "e"]);
});

async function sentBy(index: number): Promise<number> {
  const answer = await fetch(`http://${nodes[index]?.manager.metricsAddress}/metrics`, {
    headers: { authorization: `Bearer ${head.token}` },
  });
  const line = (await answer.text())
    .split("\n")
    .find((candidate) => candidate.includes('transferred_bytes_total{direction="out"'));
  return Number(line?.split(" ").at(-1) ?? 0);
}
