import { grpcNetwork } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/support/processor-time.js";
import { MeshCalls } from "./mesh-calls.js";

const deaths = 500;

/** Milliseconds of processor time that so many deaths take while there are calls to so many members, and what became of the calls. */
async function dying(members: number) {
  const calls = new MeshCalls({
    network: grpcNetwork({ token: "token-of-the-tests" }),
    resolver: { resolve: () => new Promise(() => undefined) },
    callTimeoutMs: 600_000,
  });
  const ids = Array.from({ length: members }, (_, index) => `actor-${index}`);
  const outcomes = calls.call(ids, "step", [], {});
  // The calls are known once their arguments are encoded.
  await new Promise((resolve) => setImmediate(resolve));
  const startedAt = processorMs();
  for (const actorId of ids.slice(-deaths))
    calls.noticeDeath({ spec: { actorId, role: "tester" }, certificate: { reason: "its node is gone" } });
  const tookMs = processorMs() - startedAt;
  calls.close();
  const codes = (await outcomes).map((outcome) => (outcome.status === "ok" ? "ok" : outcome.error.code));
  return { tookMs, codes };
}

test("a death fails the calls to its actor and costs the same however many others are called", async () => {
  await dying(deaths);
  const few = await dying(deaths);
  const many = await dying(20_000);
  expect(new Set(few.codes)).toEqual(new Set(["ACTOR_DIED"]));
  expect(new Set(many.codes.slice(0, -deaths))).toEqual(new Set(["CANCELLED"]));
  expect(new Set(many.codes.slice(-deaths))).toEqual(new Set(["ACTOR_DIED"]));
  // To look at every call for every death takes about 40 times as long.
  expect(many.tookMs).toBeLessThan(4 * few.tookMs + 100);
});
