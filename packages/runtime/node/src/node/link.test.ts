import { type Clock, systemClock } from "@palimpsest/std";
import { Credentials, grpcNetwork, HeadConnection, type PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { quiet } from "../testing/fixture.js";
import { StandingClock } from "../testing/standing-clock.js";
import { HeadLink } from "./link.js";

let head: FakeHead;
let credentials: Credentials;
let closers: (() => unknown)[];
beforeEach(async () => {
  head = await FakeHead.start();
  credentials = Credentials.ofCluster(head.token);
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  head.kill();
});

/** A link and what it told. */
function linked(
  options: {
    readonly addresses?: string;
    readonly protocols?: { readonly min: number; readonly max: number };
    readonly clock?: Clock;
    readonly replay?: () => void;
    readonly onRegistered?: () => void;
  } = {},
) {
  const told = {
    connects: 0,
    registered: 0,
    reconnects: 0,
    orders: [] as string[],
    lost: [] as PalimpsestError[],
  };
  const heads = new HeadConnection(grpcNetwork({ credentials }), options.addresses ?? head.address);
  const link = new HeadLink({
    heads,
    clock: options.clock ?? systemClock,
    protocols: options.protocols ?? { min: 1, max: 2 },
    headAwayLimitMs: 600_000,
    register: () => {
      told.connects++;
      return { nodeId: "node-test" };
    },
    heartbeat: () => ({}),
    replay: () => options.replay?.(),
    onRegistered: () => {
      told.registered++;
      options.onRegistered?.();
    },
    onMessage: ({ message }) => void told.orders.push(message ?? ""),
    onRenewed: () => undefined,
    onReconnect: () => {
      told.reconnects++;
    },
    onLost: (error) => void told.lost.push(error),
    logger: quiet,
  });
  closers.push(
    () => heads.close(),
    () => link.close(),
  );
  return { link, told };
}

const deathOf = (actorId: string): proto.NodeMessage.$Properties => ({ actorDied: { actorId } });
const portOf = ({ address }: FakeHead) => Number(address.split(":")[1]);

test("nothing is kept for a head that is away, and what replay tells comes before the first heartbeat (LINK-2, LINK-3)", async () => {
  const port = portOf(head);
  head.kill();
  const { link, told } = linked({ replay: () => link.send(deathOf("told again")) });
  link.open();
  link.send(deathOf("lost"));
  // The first attempt, which had the message, has failed.
  await expect.poll(() => told.connects).toBeGreaterThan(1);
  head = await FakeHead.start(port);
  await head.next("heartbeat");
  expect(head.messages.map(({ message }) => message)).toEqual(["register", "actorDied", "heartbeat"]);
  expect(head.messages[1]?.actorDied?.actorId).toBe("told again");
});

test("the head's absence counts from the break, and its end is told once (LINK-4)", async () => {
  const clock = new StandingClock();
  const { link, told } = linked({ clock });
  link.open();
  await expect.poll(() => told.registered).toBe(1);
  clock.advance(500_000);
  head.kill();
  // The link notices the break and tries again.
  await expect
    .poll(() => {
      clock.advance(100);
      return told.connects;
    })
    .toBeGreaterThan(1);
  clock.advance(500_000);
  expect(told.lost).toEqual([]);
  clock.advance(100_000);
  expect(told.lost).toMatchObject([{ code: "UNAVAILABLE" }]);
  clock.advance(1_000_000);
  expect(told.lost).toHaveLength(1);
});

test.each([
  ["of a lower epoch", { epoch: 4 }],
  ["of another cluster", { epoch: 9, clusterId: "cluster-else" }],
])("a head %s is not obeyed, and counts as away (LINK-5)", async (_which, stranger) => {
  head.registered = { epoch: 5 };
  const { link, told } = linked();
  link.open();
  await expect.poll(() => told.registered).toBe(1);
  head.registered = stranger;
  head.breakLinks();
  for (let registrations = 2; registrations <= 3; registrations++) {
    while (head.registrations < registrations) await head.changed();
    head.send({ stopNode: { reason: "a stranger says so" } });
  }
  expect(told).toMatchObject({ registered: 1, orders: [] });
  head.registered = { epoch: 5 };
  await expect.poll(() => told.registered).toBe(2);
  head.send({ stopNode: { reason: "the leader says so" } });
  await expect.poll(() => told.orders).toEqual(["stopNode"]);
  expect(told.lost).toEqual([]);
});

test("a refusal ends the node at its very first registration (LINK-6)", async () => {
  credentials = Credentials.ofCluster("another-token");
  const { link, told } = linked();
  link.open();
  await expect.poll(() => told.lost).toMatchObject([{ code: "UNAUTHENTICATED" }]);
});

test("so does a head that has no protocol in common with it (LINK-6, PROTOCOL-1)", async () => {
  const { link, told } = linked({ protocols: { min: 2, max: 3 } });
  link.open();
  await expect
    .poll(() => told.lost)
    .toMatchObject([
      {
        code: "PROTOCOL_MISMATCH",
        message: expect.stringMatching(
          /this node speaks protocols 2 to 3, the head at .* protocol 1, .*Head\.ListDrivers/,
        ),
      },
    ]);
});

test("a refusal after the first registration counts as the head's absence (LINK-6)", async () => {
  const { link, told } = linked();
  link.open();
  await expect.poll(() => told.registered).toBe(1);
  credentials.rotate("a-token-that-the-head-does-not-know-yet", 0);
  head.breakLinks();
  // The first attempt after the break was refused.
  await expect.poll(() => told.connects).toBeGreaterThan(2);
  expect(told).toMatchObject({ registered: 1, lost: [] });
  credentials.rotate(head.token, 0);
  await expect.poll(() => told.registered).toBe(2);
  expect(told.lost).toEqual([]);
});

test("a head that answers no heartbeat counts as away where there is another, and only there (LINK-7)", async () => {
  const other = await FakeHead.start();
  closers.push(() => other.kill());
  head.registered = { headTimeoutMs: 1_000 };
  const clock = new StandingClock();
  const [alone, choosing] = [
    linked({ clock }),
    linked({ clock, addresses: `${head.address},${other.address}` }),
  ];
  for (const { link, told } of [alone, choosing]) {
    link.open();
    await expect.poll(() => told.registered).toBe(1);
  }
  clock.advance(900);
  expect([alone.told.connects, choosing.told.connects]).toEqual([1, 1]);
  clock.advance(200);
  await expect
    .poll(() => {
      clock.advance(100);
      return other.registrations;
    })
    .toBe(1);
  expect(alone.told).toMatchObject({ connects: 1, lost: [] });
});

test("LINK-9: a head that does not read has so many bytes waiting for it, then the link is opened anew", async () => {
  head.reads = false;
  const certificate = { reason: "x".repeat(1024 * 1024) };
  const state = { actorDied: { actorId: "state", certificate } };
  const death = { actorDied: { actorId: "a", certificate } };
  const { link, told } = linked({
    onRegistered: () => {
      // The node's whole state: more than may wait.
      if (head.registrations === 1) for (let sent = 0; sent < 40; sent++) link.send(state);
    },
  });
  link.open();
  await expect.poll(() => told.registered).toBe(1);
  expect(told.reconnects).toBe(0);
  for (let sent = 0; sent < 31; sent++) link.send(death);
  expect(told.reconnects).toBe(0);
  for (let sent = 0; sent < 10; sent++) link.send(death);
  head.reads = true;
  while (head.registrations < 2) await head.changed();
  // What waited was not kept.
  link.send({ actorDied: { actorId: "later" } });
  await expect.poll(() => told.reconnects).toBe(1);
  link.send({ actorDied: { actorId: "told again" } });
  await head.next("actorDied", ({ actorId }) => actorId === "told again");
  expect(head.messages.filter(({ actorDied }) => actorDied?.actorId === "a").length).toBeLessThan(41);
});
