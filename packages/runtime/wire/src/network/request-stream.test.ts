import type { handleUnaryCall } from "@grpc/grpc-js";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, onTestFinished, test } from "vitest";
import { PalimpsestError } from "../base/error.js";
import { headService, requestsService } from "../protocol/services.js";
import { type CallRecord, callerOf } from "../security/authorization.js";
import { Credentials, roleToken } from "../security/credentials.js";
import { RateLimit } from "../security/rate-limit.js";
import { GrpcPeer } from "./channel.js";
import { type ServiceHandlers, servePart } from "./handlers.js";
import { RequestServer, type StreamedMethod } from "./request-server.js";
import { RequestStream } from "./request-stream.js";
import { GrpcServer, type GrpcServerOptions, unary } from "./server.js";

const token = "token-of-the-tests";
const { createActor, resolveActor, createPlacementGroup } = headService;

/** Starts a head whose handlers the test supplies, and a channel to it with the token of a role. */
async function served(
  handlers: Partial<ServiceHandlers<typeof headService>>,
  options: GrpcServerOptions & { readonly role?: "reader" } = {},
) {
  const records: CallRecord[] = [];
  const server = new GrpcServer(Credentials.ofCluster(token), {
    onCall: (record) => records.push(record),
    ...options,
  });
  servePart(server, headService, handlers);
  const address = await server.listen("127.0.0.1", 0);
  onTestFinished(() => server.kill());
  const credentials = Credentials.ofCluster(options.role ? roleToken(token, options.role) : token);
  const peer = new GrpcPeer(address, credentials);
  onTestFinished(() => peer.close());
  return { server, peer, records, credentials };
}

const named = unary((request: proto.ResolveActorRequest.$Properties) => {
  if (request.name === "nobody") throw new PalimpsestError("NOT_FOUND", "nobody is not known");
  return { nodeId: `node of ${request.name}` };
});
const timeoutMs = 10_000;

test("requests of one turn travel in one message, and each has its own outcome (REQUESTS-1, REQUESTS-2)", async () => {
  const { peer } = await served({ resolveActor: named });
  const stream = peer.bidi(requestsService.open);
  let written = 0;
  const write = stream.write.bind(stream);
  stream.write = ((message: proto.RequestBatch.$Properties) => {
    written += 1;
    return write(message);
  }) as typeof stream.write;
  const requests = new RequestStream(stream);
  const names = Array.from({ length: 100 }, (_, index) => (index === 40 ? "nobody" : `a${index}`));
  const outcomes = await Promise.allSettled(
    names.map((name) => requests.ask(resolveActor, resolveActor.requestSerialize({ name }), { timeoutMs })),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (index === 40)
      expect(outcome).toMatchObject({ reason: { code: "NOT_FOUND", rawMessage: "nobody is not known" } });
    else expect(outcome).toMatchObject({ value: { nodeId: `node of a${index}` } });
  }
  expect(written).toBe(1);
  requests.close();
  await expect(
    peer.unary(resolveActor, { name: "x".repeat(300 * 1024) }, { timeoutMs }),
  ).resolves.toHaveProperty("nodeId");
});

test("rights, rate, size and audit are those of single calls (REQUESTSERVER-1)", async () => {
  let created = 0;
  const creates = unary(() => {
    created += 1;
    return {};
  });
  const reader = await served({ createActor: creates, resolveActor: named }, { role: "reader" });
  await expect(reader.peer.unary(createActor, {}, { timeoutMs })).rejects.toMatchObject({
    code: "PERMISSION_DENIED",
  });
  expect(created).toBe(0);
  expect(reader.records).toMatchObject([
    {
      method: createActor.path,
      outcome: "PERMISSION_DENIED",
      refused: true,
      caller: { tokenRole: "reader" },
    },
  ]);
  expect(await reader.peer.unary(resolveActor, { name: "a" }, { timeoutMs })).toHaveProperty("nodeId");

  const rate = { perSecond: 0.001, burst: 2, maxConnections: 10 };
  const { peer, records } = await served({ createActor: creates }, { rate });
  const many = [1, 2, 3].map(() => peer.unary(createActor, {}, { timeoutMs }));
  const outcomes = await Promise.allSettled(many);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(outcomes[2]).toMatchObject({ reason: { code: "LIMIT_EXCEEDED", retryable: true } });
  expect(records.map(({ outcome, refused }) => [outcome, refused])).toContainEqual(["OK", false]);

  const stranger = await served({ resolveActor: named });
  const requests = new RequestStream(stranger.peer.bidi(requestsService.open));
  const ask = (message: Uint8Array) => requests.ask(resolveActor, message, { timeoutMs });
  await expect(ask(Buffer.from([0xff, 0xff]))).rejects.toMatchObject({ code: "CODEC" });
  await expect(ask(Buffer.alloc(5 * 1024 * 1024))).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await expect(requests.ask(createPlacementGroup, Buffer.alloc(0), { timeoutMs })).rejects.toMatchObject({
    code: "PERMISSION_DENIED",
  });
  requests.close();
});

test("one that is given up or late is cancelled there, and a stream that breaks fails the others (REQUESTS-1)", async () => {
  const cancelled: string[] = [];
  const waits: handleUnaryCall<proto.ResolveActorRequest.$Properties, proto.ActorInfo.$Properties> = (
    call,
    callback,
  ) => {
    const { name = "" } = call.request;
    call.on("cancelled", () => {
      cancelled.push(name ?? "");
      callback(null, null);
    });
  };
  const { peer, server } = await served({ resolveActor: waits });
  const abort = new AbortController();
  const given = peer.unary(resolveActor, { name: "given up" }, { timeoutMs, signal: abort.signal });
  const late = peer.unary(resolveActor, { name: "late" }, { timeoutMs: 30 });
  await expect(late).rejects.toMatchObject({ code: "GET_TIMEOUT" });
  abort.abort();
  await expect(given).rejects.toMatchObject({ code: "CANCELLED" });
  await expect.poll(() => cancelled).toEqual(["late", "given up"]);
  const lost = peer.unary(resolveActor, { name: "lost" }, { timeoutMs });
  const lostCode = lost.catch((reason: PalimpsestError) => reason.code);
  // The cancellation that arrives after this request proves that the other one has been read, too.
  await expect(peer.unary(resolveActor, { name: "after" }, { timeoutMs: 30 })).rejects.toThrow(
    "not answered",
  );
  await expect.poll(() => cancelled).toContain("after");
  server.kill();
  expect(await lostCode).toBe("UNAVAILABLE");
});

test("after a rotation requests show the new token, and what was asked before is answered (REQUESTS-3)", async () => {
  const callers: string[] = [];
  let answer: () => void = () => undefined;
  const head = unary(
    async (request: proto.ResolveActorRequest.$Properties, call: Parameters<typeof callerOf>[0]) => {
      callers.push(callerOf(call).tokenId);
      if (request.name === "first")
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      return { nodeId: "n" };
    },
  );
  const serverCredentials = Credentials.ofCluster(token);
  const server = new GrpcServer(serverCredentials);
  servePart(server, headService, { resolveActor: head });
  const address = await server.listen("127.0.0.1", 0);
  onTestFinished(() => server.kill());
  const credentials = Credentials.ofCluster(token);
  const peer = new GrpcPeer(address, credentials);
  onTestFinished(() => peer.close());
  const first = peer.unary(resolveActor, { name: "first" }, { timeoutMs });
  await expect.poll(() => callers).toHaveLength(1);
  serverCredentials.rotate("another-token-of-the-tests", 60_000);
  credentials.rotate("another-token-of-the-tests", 60_000);
  await peer.unary(resolveActor, { name: "second" }, { timeoutMs });
  expect(new Set(callers).size).toBe(2);
  answer();
  expect(await first).toMatchObject({ nodeId: "n" });
});

test("above its bound of requests without an answer one more is refused, and the others go on (REQUESTSERVER-2)", async () => {
  const callbacks: (() => void)[] = [];
  const handle: handleUnaryCall<unknown, unknown> = (_call, callback) => {
    callbacks.push(() => callback(null, { nodeId: "n" }));
  };
  const { access } = resolveActor;
  const definition = resolveActor as unknown as StreamedMethod["definition"];
  const bounded = new RequestServer({
    methods: new Map([[resolveActor.path, { definition, access, handle }]]),
    rate: new RateLimit({ perSecond: 1_000, burst: 1_000, maxConnections: 10 }),
    onCall: () => undefined,
    maxPending: 3,
  });
  const server = new GrpcServer(Credentials.ofCluster(token));
  const open: RequestServer["accept"] = (stream) => bounded.accept(stream);
  server.addService(requestsService, { open });
  const address = await server.listen("127.0.0.1", 0);
  onTestFinished(() => server.kill());
  const peer = new GrpcPeer(address, Credentials.ofCluster(token));
  onTestFinished(() => peer.close());
  const ask = () => peer.unary(resolveActor, {}, { timeoutMs });
  const [first, second, third, fourth] = [ask(), ask(), ask(), ask()];
  await expect(fourth).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", retryable: true });
  for (const answer of callbacks) answer();
  for (const answered of await Promise.all([first, second, third]))
    expect(answered).toMatchObject({ nodeId: "n" });
});
