/**
 * Tests values of several programs at the object service of a node, in one process: who holds what, and what faults do
 * to hold and release.
 */
import { existsSync } from "node:fs";
import { systemClock } from "@palimpsest/std";
import { decodeValue, encodeValue, mappingProblem } from "@palimpsest/wire";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ObjectRef } from "../packages/runtime/client/src/base/object-ref.js";
import { outgoingValue } from "../packages/runtime/client/src/values/outgoing-value.js";
import type { ValueStore } from "../packages/runtime/client/src/values/value-store.js";
import { waitFor } from "../packages/runtime/client/src/values/value-wait.js";
import { Random } from "./simulation/world/random.js";
import { until } from "./support/until.js";
import { ValueNode } from "./support/value-node.js";

let node: ValueNode;
let one: ValueStore;
let other: ValueStore;

beforeEach(async () => {
  node = await ValueNode.start();
  one = node.program("session-1");
  other = node.program("actor-1.1");
});

afterEach(() => node.stop());

const large = () => new Uint8Array(150_000).fill(1);
const settled = () => Promise.all([one.holds.settled(), other.holds.settled()]);

/** Sends a message with a value from one program to another, which has it when the promise resolves. */
async function send<T>(value: T, from: ValueStore, to: ValueStore): Promise<T> {
  const outgoing = outgoingValue(value, from, true);
  const ready = await outgoing.preparing;
  const got = ready?.object ? await to.read(ready.object) : decodeValue(ready?.bytes ?? outgoing.bytes, to);
  await to.holds.settled();
  outgoing.release();
  return got as T;
}

describe("values", () => {
  test("a small value lies on the node only when a reference to it leaves, with all that it refers to (VALUES-1)", async () => {
    const inner = await one.put("inner");
    const outer = await one.put({ inner });
    expect(node.store.size).toBe(0);
    const got = await send(outer, one, other);
    expect(node.store.size).toBe(2);
    for (const ref of [inner, outer]) ref.release();
    const read = await other.get(got);
    expect(await read.inner.get()).toBe("inner");
  });

  test("a small value keeps what it refers to, whoever lets go of that (LOCALVALUES-1)", async () => {
    const inner = await one.put("inner");
    const big = await one.put(large());
    const middle = await one.put({ inner, big });
    const outer = await one.put({ middle });
    for (const ref of [inner, big, middle]) ref.release();
    const read = await (await one.get(outer)).middle.get();
    expect(await read.inner.get()).toBe("inner");
    expect((await read.big.get()).byteLength).toBe(150_000);
    for (const ref of [read.inner, read.big]) ref.release();
    // The value leaves the program after its inner value was released there, and is itself released at once.
    const sent = send(outer, one, other);
    outer.release();
    const there = await (await (await sent).get()).middle.get();
    expect(await there.inner.get()).toBe("inner");
    expect((await there.big.get()).byteLength).toBe(150_000);
  });

  test("what only a small value referred to goes with it (LOCALVALUES-2)", async () => {
    const inner = await one.put("inner");
    const big = await one.put(large());
    let ref = await one.put({ inner, big });
    for (let depth = 0; depth < 1_000; depth++) {
      const outer = await one.put({ ref });
      ref.release();
      ref = outer as never;
    }
    for (const gone of [inner, big]) gone.release();
    await settled();
    expect(node.store.size).toBe(1);
    ref.release();
    await settled();
    await until("nothing is left", () => node.store.size === 0);
    expect(one.holds.size).toBe(0);
  });

  test("small values that are nested 3,000 deep leave this program, and are had there (VALUES-1)", async () => {
    let ref = (await one.put("inmost")) as ObjectRef;
    for (let depth = 0; depth < 3_000; depth++) ref = await one.put({ ref });
    const there = (await send(ref, one, other)) as ObjectRef<{ ref: ObjectRef }>;
    expect(node.store.size).toBe(3_001);
    expect(await other.get((await other.get(there)).ref)).toHaveProperty("ref");
  });

  test("what one reads another cannot change (VALUES-2)", async () => {
    for (const value of [{ list: [1] }, { list: [1], more: large() }]) {
      const ref = await one.put(value);
      (await one.get(ref)).list.push(2);
      expect((await one.get(ref)).list).toEqual([1]);
    }
  });

  test("6,000 references that are dropped in any order leave an empty store (REF-2, REF-3)", async () => {
    const random = new Random("references");
    const count = 6_000;
    const held: (() => void)[] = [];
    for (let begun = 0; begun < count; begun += 2_000) {
      const refs = await Promise.all(Array.from({ length: 2_000 }, (_, index) => one.put(begun + index)));
      // Some values refer to others, and every third one is passed to the other program and back.
      const outer = await one.put({ some: refs.slice(0, 50) });
      const sent = await send([outer, ...refs], one, other);
      const back = await send(
        sent.filter((_, index) => index % 3 === 0),
        other,
        one,
      );
      for (const ref of [...refs, outer, ...sent, ...back]) held.push(() => ref.release());
      // Some of the held values are dropped while others are in flight.
      for (let drops = 0; drops < 1_500; drops++) held.splice(random.below(held.length), 1)[0]?.();
    }
    expect(node.store.size).toBeGreaterThan(1_000);
    while (held.length > 0) {
      const index = random.below(held.length);
      const last = held.pop();
      const drop = held[index];
      if (last && drop) held[index] = last;
      (drop ?? last)?.();
    }
    await settled();
    await until("the store is empty", () => node.store.size === 0);
    expect([one.holds.size, other.holds.size, node.store.storedBytes]).toEqual([0, 0, 0]);
  });

  test("more than 100,000 references that come and go in one turn are held, outlive a broken stream and are let go of (REF-1, REF-2)", async () => {
    const count = 100_001;
    const byte = new Uint8Array(1);
    const ids = Array.from({ length: count }, (_, index) => index.toString(16).padStart(40, "0"));
    for (const id of ids) await node.store.keepSmall(id, byte, "session-2");
    const refs = ids.map((id) => other.holds.received(id, 1, other));
    await settled();
    node.store.release("session-2");
    expect(node.store.heldBy("actor-1.1")).toHaveLength(count);
    const waited = await waitFor(refs, { count, timeoutMs: 600_000 }, other);
    expect(waited.pending).toEqual([]);
    node.cutOff();
    await node.serve();
    expect(await other.existing(refs.slice(0, 1), 10_000)).toEqual(new Set(refs.slice(0, 1)));
    expect(node.store.size).toBe(count);
    for (const ref of refs) ref.release();
    await until("the store is empty", () => node.store.size === 0);
  });

  test("a value stays while a message with it is under way, whoever lets go (REF-1)", async () => {
    const ref = await one.put(large());
    const outgoing = outgoingValue([ref], one, true);
    ref.release();
    await settled();
    expect(node.store.size).toBe(1);
    const [got] = decodeValue(outgoing.bytes, other) as [ObjectRef<Uint8Array>];
    await other.holds.settled();
    outgoing.release();
    await until("the sender has let go", () => node.store.heldBy("session-1").length === 0);
    expect((await other.get(got)).byteLength).toBe(150_000);
    got.release();
    await until("it is gone", () => node.store.size === 0);
  });

  test("a reference that comes back is the one that is there, and a new one after that was released", async () => {
    const ref = await one.put(large());
    const there = await send(ref, one, other);
    expect(await send(there, other, one)).toBe(ref);
    ref.release();
    const again = await send(there, other, one);
    expect(again).not.toBe(ref);
    expect((await again.get()).byteLength).toBe(150_000);
    const small = await one.put(1);
    small.release();
    await expect(one.get(small)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("a value that was freed is lost to everybody", async () => {
    const ref = await one.put(large());
    const there = await send(ref, one, other);
    await one.free([ref]);
    await expect(other.get(there)).rejects.toMatchObject({ code: "OBJECT_LOST" });
    await expect(one.get(ref)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  });

  test("a node that comes back finds its programs, what they hold, and what they let go of meanwhile (NODECONNECTION-1, VALUELINK-2)", async () => {
    const [kept, dropped] = [await one.put(large()), await one.put(large())];
    node.cutOff();
    dropped.release();
    const putting = one.put(large());
    const reading = one.get(kept);
    await node.serve();
    expect((await reading).byteLength).toBe(150_000);
    const put = await putting;
    await until("what was let go of is gone", () => node.store.size === 2);
    expect((await one.get(put)).byteLength).toBe(150_000);
  });

  test("orders are carried out in their order: what is received and let go of at once is let go of (VALUELINK-1)", async () => {
    const ref = await one.put(large());
    const bytes = encodeValue([ref], { onReference: () => undefined });
    for (let times = 0; times < 20; times++) {
      const [got] = decodeValue(bytes, other) as [ObjectRef];
      got.release();
    }
    await settled();
    await until("the other program holds nothing", () => node.store.heldBy("actor-1.1").length === 0);
    expect(node.store.heldBy("session-1")).toEqual([ref.objectId]);
  });

  test("a value that is freed and written over while it is read is given whole or not at all (FILEVALUE-1, SEGMENT-1)", async () => {
    let read = 0;
    for (let round = 1; round <= 40; round++) {
      const ref = await one.put(new Uint8Array(1_000_000).fill(round));
      const there = await send(ref, one, other);
      const reading = Promise.all([1, 2, 3].map(() => other.get(there).catch(() => undefined)));
      // After many turns of the event loop the value has been read before it is freed.
      for (let turns = 0; turns < round * round; turns++)
        await new Promise((resolve) => setImmediate(resolve));
      await one.free([ref]);
      // The new value takes over the file of the freed one.
      const next = await one.put(new Uint8Array(1_000_000).fill(255));
      for (const bytes of await reading) {
        if (bytes === undefined) continue;
        read++;
        expect(Buffer.compare(bytes, Buffer.alloc(1_000_000, round))).toBe(0);
      }
      await one.free([next]);
    }
    expect(read).toBeGreaterThan(0);
  });

  test("what could not be told elsewhere is told again (HOLDS-2)", async () => {
    node.reachesOthers = false;
    const ref = other.holds.received("ab".repeat(20), 1, other);
    await settled();
    ref.release();
    await settled();
    await new Promise((resolve) => setImmediate(resolve));
    expect(node.toldElsewhere).toEqual([]);
    node.reachesOthers = true;
    await until("it is told", () => node.toldElsewhere.length > 0);
    expect(node.toldElsewhere).toEqual([{ objectIds: ["ab".repeat(20)], holder: "actor-1.1" }]);
  });
});

const memory = "/dev/shm";
describe.skipIf(mappingProblem(memory) !== "" || !existsSync(memory))(
  "values of a size that is put again and again",
  () => {
    const bytes = Buffer.from(Buffer.alloc(150_000).map((_byte, at) => at % 251));
    let mapped: ValueNode;
    let program: ValueStore;

    beforeEach(async () => {
      mapped = await ValueNode.start(systemClock, memory);
      program = mapped.program("session-1");
      // From then on its files are there before it needs them.
      for (let puts = 0; puts < 40; puts++) (await program.put(bytes)).release();
    });

    afterEach(() => mapped.stop());

    test("are there for whoever gets a reference, and waits, at once (VALUES-1)", async () => {
      const reader = mapped.program("actor-1.1");
      const refs = await Promise.all(Array.from({ length: 20 }, () => program.put(bytes)));
      const { ready } = await waitFor(refs, { count: refs.length, timeoutMs: 60_000 }, program);
      expect(ready).toHaveLength(refs.length);
      const fresh = await program.put(bytes);
      const [got] = await send([fresh, await program.put({ fresh })], program, reader);
      expect(bytes.equals((await reader.get(got as ObjectRef<Uint8Array>)) ?? [])).toBe(true);
      expect(bytes.equals(await program.get(await program.put(bytes)))).toBe(true);
    });

    test("are stored again if the node is cut off before it has confirmed them (VALUES-3)", async () => {
      let early = await program.put(bytes);
      // Of new files the node's answer is waited for.
      while (mapped.store.find(early.objectId) !== undefined) {
        early.release();
        early = await program.put(bytes);
      }
      const gone = await program.put(bytes);
      mapped.cutOff();
      gone.release();
      await mapped.serve();
      expect(bytes.equals(await program.get(early))).toBe(true);
      expect(mapped.store.heldBy("session-1")).toEqual([early.objectId]);
    });

    test("leave nothing when they are released or freed at once, and each has its own bytes (AHEAD-1)", async () => {
      const kept = [];
      for (let puts = 0; puts < 100; puts++) {
        const ref = await program.put(Buffer.alloc(150_000, puts));
        if (puts % 3 === 0) kept.push({ ref, puts });
        else if (puts % 3 === 1) ref.release();
        else await program.free([ref]);
      }
      for (const { ref, puts } of kept)
        expect((await program.get(ref)).every((byte) => byte === puts)).toBe(true);
      for (const { ref } of kept) ref.release();
      await until("nothing is left", () => mapped.store.size === 0);
      expect(program.holds.size).toBe(0);
    });
  },
);
