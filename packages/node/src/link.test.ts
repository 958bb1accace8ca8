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
  const link = new HeadLink({
    heads,
    clock: systemClock,
    headAwayLimitMs: 600_000,
    register: () => ({ nodeId: "node-test" }),
    heartbeat: () => ({}),
    replay: nothing,
    onRegistered: () => registered(),
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
  const death = { actorDied: { actorId: "a", certificate: { reason: "x".repeat(1024 * 1024) } } };
  for (let sent = 0; sent < 31; sent++) link.send(death);
  expect(head.registrations).toBe(1);
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
