import { EventEmitter } from "node:events";
import { type Clock, systemClock } from "@palimpsest/std";
import { type Network, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { NodeConnection } from "./node-connection.js";
import { ValueStore } from "./value-store.js";

/** The end of a stream at a node that answers what the test says. */
class NodeStream extends EventEmitter {
  readonly orders: proto.ObjectOrder.$Properties[] = [];
  cancelled = false;
  /** Whether orders are answered as they come. */
  answers = false;

  write({ orders }: proto.ObjectOrders.$Properties): boolean {
    this.orders.push(...(orders ?? []));
    if (this.answers) this.answer();
    return true;
  }

  answer(): void {
    const answers = this.orders.splice(0).map(({ orderId }) => ({ orderId: orderId ?? 0 }));
    setImmediate(() => this.emit("data", { answers }));
  }

  cancel(): void {
    this.cancelled = true;
  }
}

/** Timers run when the test says so. */
class Timers implements Clock {
  readonly #timers = new Set<{ readonly delayMs: number; readonly callback: () => void }>();
  now = () => systemClock.now();
  monotonicMs = () => 0;

  after(delayMs: number, callback: () => void): () => void {
    const timer = { delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  fire(upToMs: number): void {
    for (const timer of [...this.#timers])
      if (timer.delayMs <= upToMs && this.#timers.delete(timer)) timer.callback();
  }
}

function network() {
  const streams: NodeStream[] = [];
  const peer = { address: "node:1", close: () => undefined } as unknown as Peer;
  peer.bidi = () => {
    const stream = new NodeStream();
    streams.push(stream);
    return stream as never;
  };
  const clock = new Timers();
  return { streams, clock, network: { connect: () => peer } as unknown as Network };
}

function connection() {
  const { streams, clock, network: over } = network();
  const one = new NodeConnection({
    ...{ address: async () => "node:1", network: over, clock, holder: "session-1" },
    heldIds: () => [],
    pinnedIds: () => [],
    recover: async () => undefined,
  });
  const ask = (timeoutMs: number, signal?: AbortSignal) =>
    one.use(signal ? { timeoutMs, signal } : { timeoutMs }, (link, leftMs) => link.order({}, leftMs));
  return { one, streams, clock, ask };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a node that takes no hello is left, and what becomes of that stream later does not end the next one (NODECONNECTION-2)", async () => {
  const { one, streams, clock, ask } = connection();
  const silent = ask(60_000);
  silent.catch(() => undefined);
  await turn();
  clock.fire(10_000);
  await expect(silent).rejects.toMatchObject({ code: "GET_TIMEOUT" });
  expect(streams[0]?.cancelled).toBe(true);
  const asked = ask(60_000);
  await turn();
  const second = streams[1] as NodeStream;
  second.answers = true;
  second.answer();
  await asked;
  streams[0]?.emit("error", new PalimpsestError("UNAVAILABLE", "it is gone"));
  await ask(60_000);
  expect(streams).toHaveLength(2);
  expect(second.cancelled).toBe(false);
  one.close();
  expect(second.cancelled).toBe(true);
  await expect(ask(60_000)).rejects.toMatchObject({ code: "CANCELLED" });
});

test("nobody waits for a stream for longer than his own time, or than he likes, nor does close() (NODECONNECTION-2)", async () => {
  const { one, streams, clock, ask } = connection();
  const abort = new AbortController();
  const [short, given, long] = [ask(50), ask(60_000, abort.signal), ask(60_000)];
  for (const asked of [short, given, long]) asked.catch(() => undefined);
  await turn();
  clock.fire(50);
  await expect(short).rejects.toMatchObject({ code: "GET_TIMEOUT" });
  abort.abort("enough");
  await expect(given).rejects.toMatchObject({ code: "CANCELLED", cause: "enough" });
  expect(streams).toHaveLength(1);
  one.close();
  await expect(long).rejects.toMatchObject({ code: "CANCELLED" });
  expect(streams[0]?.cancelled).toBe(true);
});

test("an operation that its link ended in the midst of is started again over the next one (NODECONNECTION-1)", async () => {
  const { one, streams, clock, ask } = connection();
  const asked = ask(60_000);
  await turn();
  const first = streams[0] as NodeStream;
  first.answers = true;
  first.answer();
  await asked;
  let attempts = 0;
  const used = one.use({ timeoutMs: 60_000 }, async () => {
    attempts++;
    if (attempts > 1) return "from the next node";
    first.emit("error", new PalimpsestError("UNAVAILABLE", "its node is gone"));
    throw new PalimpsestError("CANCELLED", "the channel to node:1 was closed");
  });
  await turn();
  clock.fire(1_000);
  await turn();
  streams[1]?.answer();
  await expect(used).resolves.toBe("from the next node");
  const own = one.use({ timeoutMs: 60_000 }, async () => {
    throw new PalimpsestError("CANCELLED", "its caller canceled it");
  });
  await expect(own).rejects.toThrow("its caller canceled it");
  one.close();
});

test("what is let go is told again over the next stream, opened for it, until the node has answered (NODECONNECTION-3)", async () => {
  const { one, streams, clock, ask } = connection();
  const asked = ask(60_000);
  await turn();
  const first = streams[0] as NodeStream;
  first.answer();
  await turn();
  await turn();
  first.answer();
  await asked;
  const ids = ["aa", "bb", "cc"].map((digits) => digits.repeat(20)) as [string, string, string];
  const [told, lost, withdrawn] = ids;
  one.letGo([told]);
  await turn();
  expect(released(first)).toEqual([told]);
  first.answer();
  await turn();
  one.letGo([lost]);
  one.letGo([withdrawn], "withdraw");
  await turn();
  first.emit("error", new PalimpsestError("UNAVAILABLE", "its node is gone"));
  await turn();
  clock.fire(1_000);
  await turn();
  const second = streams[1] as NodeStream;
  second.answer();
  await turn();
  await turn();
  expect(released(second)).toEqual([lost]);
  expect(withdrew(second)).toEqual([withdrawn]);
  second.answer();
  await turn();
  second.emit("error", new PalimpsestError("UNAVAILABLE", "it is gone, too"));
  await turn();
  clock.fire(1_000);
  await turn();
  expect(streams).toHaveLength(2);
  one.close();
});

function released({ orders }: NodeStream): string[] {
  return orders.flatMap(({ release }) => hexOf(release));
}

function withdrew({ orders }: NodeStream): string[] {
  return orders.flatMap(({ withdraw }) => hexOf(withdraw));
}

function hexOf(ids: proto.ObjectIds.$Properties | null | undefined): string[] {
  return (ids?.objectIds ?? []).map((id) => Buffer.from(id).toString("hex"));
}

test("a read is given up while its node says nothing", async () => {
  const { streams, clock, network: over } = network();
  const values = new ValueStore({
    ...{ address: async () => "node:1", network: over, clock, holder: "session-1" },
    handle: (actorId) => actorId,
  });
  const abort = new AbortController();
  const reading = values.read({ objectId: "ab".repeat(20), sizeBytes: 1 }, { signal: abort.signal });
  reading.catch(() => undefined);
  await turn();
  streams[0]?.answer();
  await turn();
  await turn();
  expect(streams[0]?.orders).toMatchObject([{ find: {} }]);
  abort.abort("enough");
  await expect(reading).rejects.toMatchObject({ code: "CANCELLED", cause: "enough" });
  values.close();
});

test("a small value that was perhaps stored is let go of like one that lies on the node (LOCALVALUES-2)", async () => {
  const { streams, clock, network: over } = network();
  const values = new ValueStore({
    ...{ address: async () => "node:1", network: over, clock, holder: "session-1" },
    handle: (actorId) => actorId,
  });
  const ref = await values.put("small");
  const promoted = values.promoted([ref]);
  const failed = expect(promoted).rejects.toMatchObject({ code: "GET_TIMEOUT" });
  await turn();
  const stream = streams[0] as NodeStream;
  stream.answer();
  await turn();
  await turn();
  expect(stream.orders).toMatchObject([{ store: {} }]);
  clock.fire(30_000);
  await failed;
  values.release(ref);
  await turn();
  expect(released(stream)).toEqual([ref.objectId]);
  values.close();
});
