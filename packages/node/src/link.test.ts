import { grpcNetwork, HeadConnection, systemClock } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HeadLink } from "./link.js";
import { FakeHead } from "./testing/fake-head.js";
import { quiet } from "./testing/fixture.js";

let head: FakeHead;
let heads: HeadConnection;
beforeEach(async () => {
  head = await FakeHead.start();
  heads = new HeadConnection(grpcNetwork({ token: head.token }), head.address);
});
afterEach(() => {
  heads.close();
  head.kill();
});

test("LINK-9: a head that does not read has so many bytes waiting for it, then the link is opened anew", async () => {
  head.reads = false;
  const nothing = () => undefined;
  let registered: () => void = nothing;
  const first = new Promise<void>((resolve) => {
    registered = resolve;
  });
  let reconnects = 0;
  const certificate = { reason: "x".repeat(1024 * 1024) };
  const state = { actorDied: { actorId: "state", certificate } };
  const death = { actorDied: { actorId: "a", certificate } };
  const link = new HeadLink({
    heads,
    clock: systemClock,
    headAwayLimitMs: 600_000,
    register: () => ({ nodeId: "node-test" }),
    heartbeat: () => ({}),
    replay: nothing,
    onRegistered: () => {
      // The node's whole state: more than may wait.
      if (head.registrations === 1) for (let sent = 0; sent < 40; sent++) link.send(state);
      registered();
    },
    onMessage: nothing,
    onRenewed: nothing,
    onReconnect: () => {
      reconnects++;
    },
    onLost: nothing,
    logger: quiet,
  });
  link.open();
  await first;
  expect(reconnects).toBe(0);
  for (let sent = 0; sent < 31; sent++) link.send(death);
  expect(reconnects).toBe(0);
  for (let sent = 0; sent < 10; sent++) link.send(death);
  head.reads = true;
  while (head.registrations < 2) await head.changed();
  // What waited was not kept.
  link.send({ actorDied: { actorId: "later" } });
  await expect.poll(() => reconnects).toBe(1);
  link.send({ actorDied: { actorId: "told again" } });
  await head.next("actorDied", ({ actorId }) => actorId === "told again");
  expect(head.messages.filter(({ actorDied }) => actorDied?.actorId === "a").length).toBeLessThan(41);
  await link.close();
});
