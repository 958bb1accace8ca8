import dns from "node:dns";
import { getEventListeners, once } from "node:events";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type * as proto from "@palimpsest/wire/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { fromGrpcError } from "../failures/status.js";
import { actorHostService, objectsService } from "../protocol/services.js";
import { Credentials } from "../security/credentials.js";
import { GrpcPeer } from "./channel.js";
import { servePart } from "./handlers.js";
import { GrpcServer, isLoopback, unary } from "./server.js";

const token = "right-token";
const server = new GrpcServer(Credentials.ofCluster(token));
let address: string;
/** What became of the calls that are never answered. */
const fetches = { begun: 0, aborted: 0 };

beforeAll(async () => {
  servePart(server, objectsService, {
    stat: unary((request: proto.StatRequest.$Properties): proto.ObjectInfo.$Properties => {
      if (request.objectId === "absent") {
        throw new PalimpsestError("NOT_FOUND", "object absent is not here", {
          details: { objectId: "absent" },
        });
      }
      return { objectId: request.objectId ?? "", sizeBytes: 2 ** 40 };
    }),
    fetch: unary((_request, call) => {
      fetches.begun++;
      return new Promise<never>(() => call.on("cancelled", () => fetches.aborted++));
    }),
    put: () => undefined,
    pull: () => undefined,
  });
  servePart(server, actorHostService, {
    calls: (stream: ServerDuplexStream<proto.CallBatch, proto.ReplyBatch.$Properties>) => {
      stream.on("data", (batch: proto.CallBatch) => {
        stream.write({
          replies: batch.frames.map((frame) => ({ callId: frame.call?.callId ?? 0, end: true })),
        });
      });
      stream.on("end", () => stream.end());
    },
  });
  address = await server.listen("127.0.0.1", 0);
});

afterAll(() => server.close());

async function withPeer<T>(peerToken: string, use: (peer: GrpcPeer) => Promise<T>): Promise<T> {
  const peer = new GrpcPeer(address, Credentials.ofCluster(peerToken));
  try {
    return await use(peer);
  } finally {
    peer.close();
  }
}

test("a call with the token is answered, and 64-bit numbers stay numbers", async () => {
  const info = await withPeer(token, (peer) =>
    peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 600_000 }),
  );
  expect(info.sizeBytes).toBe(2 ** 40);
});

test("a wrong token is refused on unary calls and on streams, with the fix in one line", async () => {
  await withPeer("wrong", async (peer) => {
    const call = peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 600_000 });
    await expect(call).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringContaining("head start"),
    });
    const stream = peer.bidi(actorHostService.calls);
    const error = await new Promise<Error>((resolve) =>
      stream.on("error", resolve).on("data", () => undefined),
    );
    expect(error.message).toContain("UNAUTHENTICATED");
  });
});

test("an error thrown by a handler reaches the caller as the same error", async () => {
  const call = withPeer(token, (peer) =>
    peer.unary(objectsService.stat, { objectId: "absent" }, { timeoutMs: 600_000 }),
  );
  await expect(call).rejects.toMatchObject({ code: "NOT_FOUND", details: { objectId: "absent" } });
});

test("a call ends at its deadline and at its signal", async () => {
  await withPeer(token, async (peer) => {
    await expect(peer.unary(objectsService.fetch, {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: "GET_TIMEOUT",
    });
    // The deadline may have passed before the first call arrived.
    const before = fetches.begun;
    const controller = new AbortController();
    const call = peer.unary(objectsService.fetch, {}, { timeoutMs: 600_000, signal: controller.signal });
    await expect.poll(() => fetches.begun).toBeGreaterThan(before);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  });
  await expect.poll(() => fetches.aborted).toBe(fetches.begun);
});

test("a call that has ended leaves no listener at a signal that lives on", async () => {
  const { signal } = new AbortController();
  await withPeer(token, async (peer) => {
    const stream = peer.bidi(actorHostService.calls, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    stream.on("data", () => undefined);
    stream.end();
    await once(stream, "end");
    await expect.poll(() => getEventListeners(signal, "abort").length).toBe(0);
  });
});

test("a stream carries messages both ways", async () => {
  await withPeer(token, async (peer) => {
    const stream = peer.bidi(actorHostService.calls);
    const reply = new Promise<proto.ReplyBatch.$Properties>((resolve) => stream.once("data", resolve));
    stream.write({ frames: [{ call: { callId: 7, method: "m" } }] });
    expect((await reply).replies?.[0]).toMatchObject({ callId: 7, end: true });
    stream.end();
  });
});

test("a peer that is not there is UNAVAILABLE within the deadline", async () => {
  const peer = new GrpcPeer("127.0.0.1:1", Credentials.ofCluster(token));
  await expect(peer.unary(objectsService.stat, {}, { timeoutMs: 600_000 })).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
  peer.close();
});

test("a call on a closed channel is CANCELLED by name, and holds no process", async () => {
  const peer = new GrpcPeer(address, Credentials.ofCluster(token), undefined, "bulk", true);
  peer.close();
  const closed = { code: "CANCELLED", message: `[CANCELLED] the channel to ${address} was closed` };
  const asked = peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 600_000 });
  await expect(asked).rejects.toMatchObject(closed);
  expect(() => peer.clientStream(objectsService.put)).toThrow(expect.objectContaining(closed));
  expect(() => peer.bidi(actorHostService.calls)).toThrow(expect.objectContaining(closed));
  expect(() => peer.serverStream(objectsService.pull, {})).toThrow(expect.objectContaining(closed));
});

test("a server that closes cancels the calls that outlast its grace, on every version of Node.js", async () => {
  const closing = new GrpcServer(Credentials.ofCluster(token));
  const arrived = new Promise<void>((resolve) =>
    servePart(closing, actorHostService, { calls: () => resolve(), sharedCalls: () => undefined }),
  );
  const at = await closing.listen("127.0.0.1", 0);
  const peer = new GrpcPeer(at, Credentials.ofCluster(token));
  onTestFinished(() => peer.close());
  const stream = peer.bidi(actorHostService.calls);
  const ended = new Promise((resolve) => stream.once("error", resolve).on("data", () => undefined));
  await arrived;
  await closing.close(50);
  expect(["CANCELLED", "UNAVAILABLE"]).toContain(fromGrpcError(await ended).code);
});

test("only addresses of this machine count as loopback", () => {
  expect(["127.0.0.1", "::1", "[::1]", "localhost", "127.8.8.8"].every(isLoopback)).toBe(true);
  expect(["0.0.0.0", "::", "[::]", "10.0.0.1", "example.org"].some(isLoopback)).toBe(false);
});

test("a channel ignores the proxies of the environment: the cluster's own machines are reached directly", async () => {
  const names = ["http_proxy", "https_proxy", "grpc_proxy", "all_proxy"];
  for (const name of names) vi.stubEnv(name, "http://127.0.0.1:9");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const info = await withPeer(token, (peer) =>
    peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 5_000 }),
  );
  expect(info.objectId).toBe("a");
});

test("a channel to a name finds the address that the name gets later", async () => {
  const moved = new GrpcServer(Credentials.ofCluster(token));
  servePart(moved, objectsService, { stat: unary(() => ({ objectId: "moved" })) });
  const before = new GrpcServer(Credentials.ofCluster(token));
  servePart(before, objectsService, { stat: unary(() => ({ objectId: "before" })) });
  const port = (await before.listen("127.0.0.1", 0)).split(":")[1];
  await moved.listen("127.0.0.2", Number(port));
  let at = "127.0.0.1";
  const lookup = vi
    .spyOn(dns.promises, "lookup")
    .mockImplementation(async () => [{ address: at, family: 4 }] as never);
  const peer = new GrpcPeer(`head.example:${port}`, Credentials.ofCluster(token));
  onTestFinished(async () => {
    peer.close();
    lookup.mockRestore();
    await moved.close();
  });
  const answering = async () =>
    (await peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 5_000 })).objectId;
  expect(await answering()).toBe("before");
  at = "127.0.0.2";
  await before.close();
  // The library's own 30 seconds would be longer than a node survives without its head.
  await expect.poll(() => answering().catch(() => "nobody")).toBe("moved");
});
