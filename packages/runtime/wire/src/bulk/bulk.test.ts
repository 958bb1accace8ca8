/** Bulk connections between a real server and real clients, with and without TLS. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { lentBulk, OwnBulk } from "../network/actor-bulk.js";
import { grpcNetwork } from "../network/grpc-network.js";
import type { RpcServer } from "../network/network.js";
import { unary } from "../network/server.js";
import type { Role } from "../protocol/access.js";
import { objectsService } from "../protocol/services.js";
import { issueCertificate, makeAuthority } from "../security/certificates.js";
import { Credentials } from "../security/credentials.js";
import { tlsIdentity } from "../security/tls.js";
import type { BulkConnection, BulkServerRole } from "./bulk-client.js";
import { type BulkRequest, helloOf, maxBulkBytes, requestOf } from "./bulk-frames.js";

const token = "right-token";
const wait = { timeout: 600_000 };
const bytes = randomBytes(3_000_000);
const stallMs = 10_000;
let server: RpcServer | undefined;
let connections: BulkConnection[] = [];
let asked: BulkRequest[] = [];
let taken = 0;

afterEach(() => {
  for (const connection of connections) connection.close();
  connections = [];
  server?.kill();
  vi.useRealTimers();
});

async function serve(credentials = Credentials.ofCluster(token)): Promise<string> {
  asked = [];
  taken = 0;
  server = grpcNetwork({ credentials }).createServer();
  server.addService({ stat: objectsService.stat }, { stat: unary(() => ({ sizeBytes: 7 })) });
  server.serveBulk?.(() => ({
    read: async (request) => {
      asked.push(request);
      if (request.objectId.startsWith("ff")) throw new PalimpsestError("NOT_FOUND", "no such object");
      taken++;
      const { offsetBytes, lengthBytes } = request;
      return { bytes: bytes.subarray(offsetBytes, offsetBytes + lengthBytes), release: () => void taken-- };
    },
    close: async () => undefined,
  }));
  return await server.listen("127.0.0.1", 0);
}

function connectTo(
  address: string,
  credentials = Credentials.ofCluster(token),
  server?: BulkServerRole,
): BulkConnection {
  const connection = grpcNetwork({ credentials }).connectBulk?.(address, stallMs, server);
  if (connection === undefined) throw new Error("this network has no bulk connections");
  connections.push(connection);
  return connection;
}

const range = (offsetBytes: number) => ({ objectId: "ab".repeat(20), offsetBytes, waitMs: 0 });

test("ranges come in the order in which they were asked for, errors among them", async () => {
  const connection = connectTo(await serve());
  const targets = [new Uint8Array(1_000_000), new Uint8Array(17), new Uint8Array(1_999_983)];
  const reads = [
    connection.read(range(0), targets[0] as Uint8Array),
    expect(
      connection.read({ objectId: "ff".repeat(20), offsetBytes: 0, waitMs: 0 }, new Uint8Array(5)),
    ).rejects.toMatchObject({ code: "NOT_FOUND" }),
    connection.read(range(1_000_000), targets[1] as Uint8Array),
    connection.read(range(1_000_017), targets[2] as Uint8Array),
  ];
  await Promise.all(reads);
  expect(Buffer.concat(targets).equals(bytes)).toBe(true);
  await expect.poll(() => taken).toBe(0);
});

test("calls go on at the same port", async () => {
  const address = await serve();
  await connectTo(address).read(range(0), new Uint8Array(10));
  const peer = grpcNetwork({ token }).connect(address);
  try {
    const info = await peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 600_000 });
    expect(info.sizeBytes).toBe(7);
  } finally {
    peer.close();
  }
});

test("nothing is read for a client without the token, however much it asks (BULKSERVER-1)", async () => {
  const connection = connectTo(await serve(), Credentials.ofCluster("wrong"));
  const reads = [0, 1, 2].map((at) => connection.read(range(at), new Uint8Array(10)));
  for (const read of reads) read.catch(() => undefined);
  await expect(reads[0]).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await Promise.allSettled(reads);
  expect(asked).toEqual([]);
});

test("a read ends with its connection, and its memory is left alone; so does one that gets no byte (BULKCLIENT-1, BULKCLIENT-2)", async () => {
  const address = await serve();
  const closed = connectTo(address);
  const target = new Uint8Array(bytes.byteLength);
  const read = closed.read(range(0), target);
  closed.close();
  await expect(read).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(closed.read(range(0), target)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const silent = createServer(() => undefined);
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const { port } = silent.address() as AddressInfo;
  const waiting = grpcNetwork({ token }).connectBulk?.(`127.0.0.1:${port}`, 50);
  await expect(waiting?.read(range(0), target)).rejects.toThrow("sent nothing for too long");
  expect(target.every((byte) => byte === 0)).toBe(true);
  silent.close();
});

test("a client that asks for too much at once is refused", async () => {
  const connection = connectTo(await serve());
  await expect(connection.read(range(0), new Uint8Array(maxBulkBytes + 1))).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});

test("a client that takes nothing has two answers in memory, and is cut off (BULKSERVER-2, BULKSERVER-3)", async () => {
  const address = await serve();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [host = "", port] = address.split(":");
  const socket = connect(Number(port), host);
  socket.pause();
  const closed = once(socket, "close");
  socket.on("error", () => undefined);
  socket.write(helloOf(`Bearer ${token}`));
  // This is more than the sockets' own buffers can take.
  for (let count = 0; count < 60; count++)
    socket.write(requestOf({ ...range(0), lengthBytes: bytes.byteLength }));
  await vi.waitFor(() => expect(taken).toBe(2), wait);
  const reads = asked.length;
  await vi.advanceTimersByTimeAsync(29_000);
  expect([taken, asked.length]).toEqual([2, reads]);
  await vi.advanceTimersByTimeAsync(2_000);
  socket.resume();
  await closed;
  await vi.waitFor(() => expect(taken).toBe(0), wait);
});

type Authority = Awaited<ReturnType<typeof makeAuthority>>;

async function identityOf(by: Authority, role: Role): Promise<Credentials> {
  const { cert, key } = await issueCertificate(by, { role, name: role, days: 1 });
  const pem = { ca: Buffer.from(by.cert), cert: Buffer.from(cert), key: Buffer.from(key) };
  return Credentials.ofCluster(token, { tls: tlsIdentity(pem, role) });
}

test("under TLS an actor reads from an actor, and takes none for a node, nor a node for one (BULKROUTE-1)", async () => {
  const authority = await makeAuthority("test", 1);
  const actor = await identityOf(authority, "actor");
  const target = new Uint8Array(9);
  const address = await serve(actor);
  await connectTo(address, actor, "actor").read(range(0), target);
  expect(Buffer.compare(target, bytes.subarray(0, 9))).toBe(0);
  const wrong = { code: "UNAVAILABLE" };
  await expect(connectTo(address, actor).read(range(0), new Uint8Array(5))).rejects.toMatchObject(wrong);
  server?.kill();
  const node = await serve(await identityOf(authority, "node"));
  await expect(connectTo(node, actor, "actor").read(range(0), target)).rejects.toMatchObject(wrong);
});

test("a thread serves and reads with what its actor lends it, until the actor ends, and learns its new tokens (BULKROUTE-1)", async () => {
  const actor = await identityOf(await makeAuthority("test", 1), "actor");
  const own = new OwnBulk(grpcNetwork({ credentials: actor }), { host: "127.0.0.1", ports: undefined });
  const lent = await lentBulk(own.lend());
  const address = await lent.serve(async ({ lengthBytes }) => ({
    bytes: bytes.subarray(0, lengthBytes),
    release: () => undefined,
  }));
  // Memory that threads share is filled, too.
  const target = new Uint8Array(new SharedArrayBuffer(9));
  const read = async (by: Pick<OwnBulk, "connect">) => {
    const connection = by.connect(address, stallMs);
    connections.push(connection);
    await connection.read(range(0), target);
  };
  await read(own);
  await read(lent);
  expect(Buffer.compare(target, bytes.subarray(0, 9))).toBe(0);
  actor.rotate("another-token", 0);
  await vi.waitFor(() => read(own), wait);
  await own.close();
  await vi.waitFor(() => expect(read(own)).rejects.toMatchObject({ code: "UNAVAILABLE" }), wait);
});

test("under TLS a certificate of the cluster is needed too, and bytes are the same (BULKROUTE-1)", async () => {
  const authority = await makeAuthority("test", 1);
  const identity = (role: Role, by = authority) => identityOf(by, role);
  const address = await serve(await identity("node"));
  const target = new Uint8Array(bytes.byteLength);
  await connectTo(address, await identity("node")).read(range(0), target);
  expect(Buffer.compare(target, bytes)).toBe(0);
  const peer = grpcNetwork({ credentials: await identity("driver") }).connect(address, "bulk");
  await peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 600_000 });
  peer.close();
  await expect(
    connectTo(address, await identity("reader")).read(range(0), new Uint8Array(5)),
  ).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  const stranger = await identity("node", await makeAuthority("other", 1));
  await expect(connectTo(address, stranger).read(range(0), new Uint8Array(5))).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
});
