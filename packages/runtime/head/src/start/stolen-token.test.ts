/** A stolen token that is replaced in a cluster without TLS, over its real connections. */
import { headService } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HeadBench, openSession } from "../testing/running-head.js";

let bench: HeadBench;
beforeEach(() => {
  bench = new HeadBench();
});
afterEach(() => bench.end());

it("CONNECTIONS-3: who replaces it gets the answer, then its connection ends too", async () => {
  const head = await bench.start();
  const stolen = head.token;
  const [owner, thief] = [bench.peer(head, stolen), bench.peer(head, stolen)];
  const sessions = [await openSession(owner, "session-owner"), await openSession(thief, "session-thief")];
  const ended = sessions.map((session) => new Promise((resolve) => session.once("error", resolve)));
  const { token, redisRotated } = await owner.unary(
    headService.rotateToken,
    { stolen: true },
    { timeoutMs: 600_000 },
  );
  expect(token).not.toBe(stolen);
  expect(redisRotated).toBe(true);
  await Promise.all(ended);
  for (const peer of [owner, thief]) {
    await expect(peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 })).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  }
  const next = bench.peer(head, token ?? "");
  expect(await next.unary(headService.getCluster, {}, { timeoutMs: 600_000 })).toMatchObject({
    clusterId: head.clusterId,
  });
});
