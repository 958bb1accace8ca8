import { systemClock } from "@palimpsest/std";
import { PalimpsestError, type Peer } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { ObjectPlaces } from "./object-fetch.js";
import { ObjectHolds } from "./object-holds.js";
import { ObjectStore } from "./store/object-store.js";

const objectId = "ab".repeat(20);
const nowhere: ObjectPlaces = { addresses: [], fetching: [], complete: true };
const away = () => Promise.reject(new PalimpsestError("UNAVAILABLE", "nobody answers"));

let folder: string;
let store: ObjectStore;
beforeEach(async () => {
  folder = testFolder();
  store = await ObjectStore.open({ folder, maxBytes: 1_000_000, clock: systemClock });
});
afterEach(() => store.close());

/** Holds at a node whose head, and then another node, give these answers one after the other. */
function holdsOf(
  head: (() => Promise<ObjectPlaces>)[],
  node: (() => Promise<object>)[] = [],
  freeElsewhere: () => Promise<void> = async () => undefined,
) {
  const next = <T>(answers: (() => Promise<T>)[]) => (answers.length > 1 ? answers.shift() : answers[0])?.();
  return new ObjectHolds({
    ...{ store, clock: systemClock, ownAddress: () => "here:1", freeElsewhere },
    locate: async () => (await next(head)) ?? nowhere,
    use: async <T>(_address: string, _ask: (peer: Peer) => Promise<T>) => (await next(node)) as T,
  });
}

test("what cannot be asked is not missing: it is held when the head and the node that has it are there (HOLDS-3)", async () => {
  const there = async () => ({ ...nowhere, addresses: ["there:1"] });
  const head = [away, async () => ({ ...nowhere, complete: false }), there];
  const node = [away, async () => ({ missing: [] })];
  expect(await holdsOf(head, node).hold([objectId], "session-1")).toEqual([]);
  expect([head.length, node.length]).toEqual([1, 1]);
});

test("what no node has is missing at once, and what its node has no more (HOLDS-3)", async () => {
  const none = holdsOf([async () => nowhere]);
  expect(await none.hold([objectId], "session-1")).toEqual([objectId]);
  const there = async () => ({ ...nowhere, addresses: ["there:1"] });
  const gone = holdsOf([there], [async () => ({ missing: [Buffer.from(objectId, "hex")] })]);
  expect(await gone.hold([objectId], "session-1")).toEqual([objectId]);
});

test("a release is answered when other nodes were told, and a new hold does not overtake it (HOLDS-2)", async () => {
  const happened: string[] = [];
  let tell = () => {};
  const there = async () => {
    happened.push("held");
    return { ...nowhere, addresses: ["there:1"] };
  };
  const freeElsewhere = () => new Promise<void>((resolve) => (tell = resolve));
  const holds = holdsOf([there], [async () => ({ missing: [] })], freeElsewhere);
  const released = holds.release([objectId], "session-1").then(() => happened.push("released"));
  const held = holds.hold([objectId], "session-1");
  await new Promise((resolve) => setImmediate(resolve));
  expect(happened).toEqual([]);
  tell();
  await Promise.all([released, held]);
  expect(happened.sort()).toEqual(["held", "released"]);
});

test("a release goes to the node that holds the value, and to the head when that does not answer (HOLDS-4)", async () => {
  const freed: string[] = [];
  const there = async () => ({ ...nowhere, addresses: ["there:1"] });
  const freeElsewhere = async () => void freed.push("by the head");
  const node = [
    async () => ({ missing: [] }),
    async () => {
      freed.push("there");
      return {};
    },
    async () => ({ missing: [] }),
    away,
  ];
  const holds = holdsOf([there], node, freeElsewhere);
  for (let times = 0; times < 2; times++) {
    await holds.hold([objectId], "session-1");
    await holds.release([objectId], "session-1");
  }
  expect(freed).toEqual(["there", "by the head"]);
});

test("what a program that comes back names is held where it is kept, not as a copy, and is let go everywhere (HOLDS-4)", async () => {
  const told: string[] = [];
  const holds = holdsOf([async () => nowhere], [], async () => void told.push("elsewhere"));
  const copy = "cd".repeat(20);
  await store.keepSmall(objectId, new Uint8Array([1]), "session-2");
  await store.keepSmall(copy, new Uint8Array([1]), "session-2");
  store.drop({ objectId: copy, holder: "session-2" });
  holds.holdNamed([objectId, copy], "session-1");
  expect(store.heldBy("session-1")).toEqual([objectId]);
  await holds.release([objectId], "session-1");
  expect([store.heldBy("session-1"), told]).toEqual([[], ["elsewhere"]]);
});

test("a lease that takes longer than a failed one of the same order is let go of with it (HOLDS-5)", async () => {
  const other = "cd".repeat(20);
  const told: string[] = [];
  let give: (answer: object) => void = () => undefined;
  const slow = new Promise<object>((resolve) => {
    give = resolve;
  });
  const holds = new ObjectHolds({
    ...{ store, clock: systemClock, ownAddress: () => "here:1" },
    freeElsewhere: async () => void told.push("by the head"),
    locate: async (id) => {
      if (id === objectId) throw new PalimpsestError("INTERNAL", "the head fails");
      return { addresses: ["there:1"], complete: true };
    },
    use: async <T>(address: string) => {
      told.push(address);
      return (await slow) as T;
    },
  });
  let isOver = false;
  const held = holds.hold([objectId, other], "session-1").finally(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([isOver, told]).toEqual([false, ["there:1"]]);
  give({ missing: [] });
  await expect(held).rejects.toMatchObject({ code: "INTERNAL" });
  await holds.release([other], "session-1");
  expect(told).toEqual(["there:1", "there:1"]);
});

test("a node that did not answer whether it took a lease is told of the release (HOLDS-5)", async () => {
  const asked: string[] = [];
  const there = async () => ({ ...nowhere, addresses: ["there:1"] });
  const node = [
    away,
    async () => {
      asked.push("told");
      return {};
    },
  ];
  const holds = holdsOf([there, async () => nowhere], node);
  expect(await holds.hold([objectId], "session-1")).toEqual([objectId]);
  await holds.release([objectId], "session-1");
  expect(asked).toEqual(["told"]);
});

test("leases on many values of one node are taken with one request, and what it has no more is missing", async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => index.toString(16).padStart(40, "0"));
  const [gone = ""] = ids;
  const asked: number[] = [];
  const peer = {
    unary: async (_method: unknown, { objectIds }: { readonly objectIds: readonly Uint8Array[] }) => {
      asked.push(objectIds.length);
      return { missing: objectIds.filter((id) => Buffer.from(id).toString("hex") === gone) };
    },
  } as unknown as Peer;
  const holds = new ObjectHolds({
    ...{ store, clock: systemClock, ownAddress: () => "here:1", freeElsewhere: async () => undefined },
    locate: async () => ({ addresses: ["there:1"], complete: true }),
    use: async (_address, ask) => await ask(peer),
  });
  expect(await holds.hold(ids, "session-1")).toEqual([gone]);
  // The missing one is asked for once more, alone.
  expect(asked).toEqual([1_000, 1]);
});
