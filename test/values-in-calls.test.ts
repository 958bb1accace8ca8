/** Tests references, handles and large values in calls, with a head and two nodes as real processes. */
import type { ActorHandle, ObjectRef } from "@palimpsest/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { collect } from "./support/collect.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";
import { ValueKeeper } from "./support/value-keeper.js";
import { sumAndValues } from "./support/value-task.js";

let cluster: TestCluster;
let keeper: ActorHandle<ValueKeeper>;
let other: ActorHandle<ValueKeeper>;

const source = { from: new URL("./support/value-keeper.ts", import.meta.url) };
const keepers = () => cluster.client.actor(ValueKeeper, source);

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
  // There is one actor on each node.
  keeper = await keepers()
    .options({ resources: { cpu: 3 } })
    .spawn();
  other = await keepers()
    .options({ resources: { cpu: 3 } })
    .spawn();
  await Promise.all([keeper.ready(), other.ready()]);
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const stored = async () => (await cluster.client.listObjects()).totalObjects;
const storeIsEmpty = () =>
  until(
    "the store is empty",
    async () => {
      collect();
      await Promise.all([keeper.drop(), other.drop()]);
      return (await stored()) === 0;
    },
    { everyMs: 100 },
  );

beforeEach(async () => {
  await Promise.all([keeper.drop(), other.drop()]);
  await storeIsEmpty();
});

test("large arguments and results are what they were, and leave nothing behind (CALL-4)", async () => {
  const bytes = Uint8Array.from({ length: 5_000_000 }, (_, index) => index % 253);
  const call = keeper.echo({ bytes, text: "x".repeat(200_000) });
  // The bytes that are sent are those at the time of the call.
  bytes.fill(0);
  const back = (await call) as { readonly bytes: Uint8Array; readonly text: string };
  expect(back.text).toHaveLength(200_000);
  expect([back.bytes[0], back.bytes[252], back.bytes[253], back.bytes.byteLength]).toEqual([
    0, 252, 0, 5_000_000,
  ]);
  expect((await other.fill(30_000_000)).byteLength).toBe(30_000_000);
  // Calls keep their order: a small one does not overtake a large one.
  const order: string[] = [];
  await Promise.all([
    keeper.size(new Uint8Array(3_000_000)).then(() => order.push("large")),
    keeper.size(new Uint8Array(3)).then(() => order.push("small")),
  ]);
  expect(order).toEqual(["large", "small"]);
  await storeIsEmpty();
});

test("large items of a generator are objects, which go as they are taken (STREAMITEMS-1)", async () => {
  const [count, length] = [40, 1_000_000];
  let index = 0;
  let most = 0;
  for await (const { bytes } of keeper.fillMany(count, length)) {
    expect([bytes.byteLength, bytes[0], bytes.at(-1)]).toEqual([length, index, index]);
    index++;
    most = Math.max(most, await stored());
  }
  expect(index).toBe(count);
  // The maximum is the bytes that the window allows in flight, plus those that were taken but not yet acknowledged.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(30);
  for await (const { bytes } of other.fillMany(count, length)) if (bytes[0] === 3) break;
  await storeIsEmpty();
});

test("references stand anywhere in arguments and results and are live where they arrive (CALLVALUES-1, KEPT-1)", async () => {
  const { client } = cluster;
  const small = await client.put({ text: "small" });
  const large = await client.put(new Uint8Array(400_000).fill(3));
  const nested = await client.put({ inside: [small, new Map([["large", large]])] });
  expect(await keeper.keep([small, large, nested])).toBe(3);
  for (const ref of [small, large, nested]) ref.release();
  const [one, two, three] = (await keeper.keptValues()) as [
    unknown,
    Uint8Array,
    { inside: [ObjectRef, Map<string, ObjectRef<Uint8Array>>] },
  ];
  expect(one).toEqual({ text: "small" });
  expect(two.byteLength).toBe(400_000);
  // The result refers to values that this program has released.
  expect(await three.inside[0].get()).toEqual({ text: "small" });
  expect((await three.inside[1].get("large")?.get())?.[0]).toBe(3);
  const { made } = await other.make([1, 2, 3]);
  expect(await made.get()).toEqual([1, 2, 3]);
  const items: number[] = [];
  for await (const ref of other.makeMany(5)) items.push(await ref.get());
  expect(items).toEqual([0, 1, 2, 3, 4]);
});

test("a sender may let go as soon as it has sent (REF-1, OUTGOING-1)", async () => {
  const { client } = cluster;
  const count = 200;
  const calls = [];
  for (let index = 0; index < count; index++) {
    const ref = await client.put(index);
    calls.push((index % 2 === 0 ? keeper : other).keep([ref]));
    ref.release();
  }
  await Promise.all(calls);
  await expect.poll(stored).toBe(count);
  const values = [...(await keeper.keptValues()), ...(await other.keptValues())];
  expect(new Set(values).size).toBe(count);
});

test("handles stand anywhere too", async () => {
  const ref = await cluster.client.put("passed on");
  expect(await keeper.askOther(other, ref)).toBe(1);
  ref.release();
  expect(await other.keptValues()).toEqual(["passed on"]);
  const { handles } = (await keeper.echo({ handles: [other] })) as { handles: [typeof other] };
  expect(await handles[0].keptValues()).toEqual(["passed on"]);
});

test("constructor arguments may refer to values, which outlive who put them and the actor's process", async () => {
  const { client } = cluster;
  const ref = await client.put("kept for the actor");
  const actor = await keepers().options({ maxRestarts: 1 }).spawn({ ref });
  await actor.ready();
  ref.release();
  expect(await actor.firstValue()).toBe("kept for the actor");
  await actor.kill({ restart: true });
  await until("it is restarted", async () => (await actor.info()).incarnation === 2);
  expect(await actor.with({ retries: 3 }).firstValue()).toBe("kept for the actor");
  await actor.kill();
  await storeIsEmpty();
});

test("what a killed actor referred to goes, and what others refer to stays", async () => {
  const { client } = cluster;
  const actor = await keepers().options({ maxRestarts: 1 }).spawn();
  const [ours, gone] = [await client.put("ours"), await client.put("gone")];
  const { made } = await actor.make("made by it");
  await actor.keep([ours, gone]);
  gone.release();
  await expect.poll(stored).toBe(3);
  await actor.kill({ restart: true });
  await until("what only it referred to is gone", async () => (await stored()) === 2);
  expect(await made.get()).toBe("made by it");
  await actor.kill();
  expect(await made.get()).toBe("made by it");
  made.release();
  ours.release();
  await storeIsEmpty();
});

test("an unused reference goes by itself when nobody can reach it (REF-2)", async () => {
  const { client } = cluster;
  for (let index = 0; index < 50; index++)
    await keeper.size(await (await client.put(new Uint8Array(150_000))).get());
  await until("they are gone", async () => {
    collect();
    return (await stored()) === 0;
  });
});

// This test is the last one, because the worker that ran it holds its values until it ends.
test("tasks take and give references and large values as calls do", async () => {
  const { client } = cluster;
  const task = client.task(sumAndValues, { from: new URL("./support/value-task.ts", import.meta.url) });
  const ref = await client.put(new Float64Array(50_000).fill(0.5));
  const { sum, values } = await task({ ref, more: new Float64Array(50_000).fill(1) });
  expect(sum).toBe(75_000);
  expect((await values.get()).length).toBe(50_000);
});
