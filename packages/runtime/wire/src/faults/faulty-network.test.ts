import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, expect, test } from "vitest";
import { fromGrpcError } from "../failures/status.js";
import { grpcNetwork } from "../network/grpc-network.js";
import { servePart } from "../network/handlers.js";
import { unary } from "../network/server.js";
import { actorHostService, objectsService } from "../protocol/services.js";
import { parseFaultPlan } from "./fault-plan.js";
import { faultyNetwork } from "./faulty-network.js";

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Starts a server that counts the calls that reach it, and a channel to it, both under the plan. */
async function started(rules: readonly object[], seed = 7) {
  const network = faultyNetwork(
    grpcNetwork({ token: "token" }),
    parseFaultPlan(JSON.stringify({ seed, rules })),
  );
  const seen = { stat: 0, frames: 0, chunks: 0, broken: 0 };
  const server = network.createServer();
  servePart(server, objectsService, {
    stat: unary((request: proto.StatRequest.$Properties) => {
      seen.stat++;
      return { objectId: request.objectId ?? "" };
    }),
    fetch: unary((_request, call) => {
      return new Promise<never>(() => call.on("cancelled", () => seen.broken++));
    }),
    free: unary(() => ({})),
    put: (stream, reply) => {
      stream.on("data", () => seen.chunks++);
      stream.on("end", () => reply(null, { objectId: "put" }));
    },
    pull: (stream) => {
      stream.write({ data: Buffer.from("x") });
      stream.end();
    },
  });
  servePart(server, actorHostService, {
    calls: (stream) => {
      stream.on("error", () => undefined);
      stream.on("cancelled", () => seen.broken++);
      stream.on("data", (batch: proto.CallBatch) => {
        seen.frames += batch.frames.length;
        stream.write({ replies: [{ callId: 1, end: true }] });
      });
      stream.on("end", () => stream.end());
    },
  });
  const peer = network.connect(await server.listen("127.0.0.1", 0));
  endings.push(
    () => server.kill(),
    () => peer.close(),
  );
  const stat = () => peer.unary(objectsService.stat, { objectId: "a" }, { timeoutMs: 600_000 });
  return { peer, seen, stat };
}

/** Sends one call on a stream and returns the replies and the error that ended it. */
function conversation(peer: Awaited<ReturnType<typeof started>>["peer"], end: boolean) {
  const stream = peer.bidi(actorHostService.calls);
  let replies = 0;
  stream.on("data", () => replies++);
  stream.write({ frames: [{ call: { callId: 1, method: "m" } }] });
  if (end) stream.end();
  return new Promise<{ replies: number; code: string }>((resolve) => {
    stream.on("error", (reason) => resolve({ replies, code: fromGrpcError(reason).code }));
    stream.on("end", () => resolve({ replies, code: "" }));
  });
}

test.each(["client", "server"])("before: the callee never sees the call, made at the %s", async (side) => {
  const { peer, seen, stat } = await started([{ method: "*", when: "before", side }]);
  await expect(stat()).rejects.toMatchObject({
    code: "UNAVAILABLE",
    details: { injected: "before", method: "Objects.Stat" },
  });
  expect(await conversation(peer, true)).toEqual({ replies: 0, code: "UNAVAILABLE" });
  expect(seen).toMatchObject({ stat: 0, frames: 0 });
});

test.each(["client", "server"])(
  "after: the callee did it and the caller gets the error, made at the %s",
  async (side) => {
    const { peer, seen, stat } = await started([
      { method: "*", when: "after", side, error: "LIMIT_EXCEEDED", delayMs: 1 },
    ]);
    await expect(stat()).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(await conversation(peer, true)).toEqual({ replies: 1, code: "LIMIT_EXCEEDED" });
    const upload = peer.clientStream(objectsService.put);
    upload.stream.end({ data: Buffer.from("x") });
    await expect(upload.response).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    const pulled = peer.serverStream(objectsService.pull, { objectId: "a" });
    const reason = await new Promise((resolve) => pulled.on("error", resolve).on("data", () => undefined));
    expect(fromGrpcError(reason).code).toBe("LIMIT_EXCEEDED");
    expect(seen).toMatchObject({ stat: 1, frames: 1, chunks: 1 });
  },
);

test("in flight: a stream breaks in its middle on both sides, and so does a call that runs", async () => {
  const { peer, seen } = await started([{ method: "*", when: "in-flight", delayMs: 100 }]);
  expect(await conversation(peer, false)).toEqual({ replies: 1, code: "UNAVAILABLE" });
  await expect(peer.unary(objectsService.fetch, {}, { timeoutMs: 600_000 })).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
  await expect.poll(() => seen.broken).toBe(2);
});

test("equal seeds draw equal faults, and only of the methods that the rule names", async () => {
  const outcomes = async (seed: number) => {
    const { peer, stat } = await started([{ method: "Objects.S*", when: "before", probability: 0.5 }], seed);
    await peer.unary(objectsService.free, {}, { timeoutMs: 600_000 });
    let drawn = "";
    for (let call = 0; call < 32; call++)
      drawn += await stat().then(
        () => "+",
        () => "-",
      );
    return drawn;
  };
  const first = await outcomes(7);
  expect(first).toMatch(/\+.*-|-.*\+/);
  expect(await outcomes(7)).toBe(first);
  expect(await outcomes(8)).not.toBe(first);
});

test("a plan that is wrong is refused with the field and an example", () => {
  expect(() => parseFaultPlan("seed 7")).toThrow(
    /CONFIG_INVALID.*PALIMPSEST_FAULTS: is not JSON: "seed 7" stands at.*write it like/,
  );
  expect(() => parseFaultPlan('{"rules":[{"method":"Head","when":"before"}]}')).toThrow(
    /PALIMPSEST_FAULTS: rules\[0\]\.method: .*Service\.Method/,
  );
  expect(() => parseFaultPlan('{"rules":[{"method":"*","when":"never"}]}')).toThrow(/rules\[0\]\.when/);
  expect(() => parseFaultPlan('{"rules":[{"method":"*","when":"after","probability":2}]}')).toThrow(
    /rules\[0\]\.probability/,
  );
});
