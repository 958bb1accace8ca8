import { systemClock } from "@palimpsest/std";
import { expect, test } from "vitest";
import { type AheadFile, AheadWrites } from "./ahead-writes.js";

function ahead(maxBytes: number, has = true) {
  const reserved: number[] = [];
  const abandoned: string[] = [];
  const clock = { ...systemClock, nowMs: 0, monotonicMs: () => clock.nowMs };
  const writes = new AheadWrites({
    ...{ maxBytes, clock },
    reserve: async (sizeBytes): Promise<AheadFile | undefined> => {
      reserved.push(sizeBytes);
      return has ? { objectId: String(reserved.length), path: `/${reserved.length}` } : undefined;
    },
    abandon: (objectId) => void abandoned.push(objectId),
  });
  return { writes, reserved, abandoned, clock };
}

test("files are had for sizes that were stored before, each once, and more where they were too few (AHEAD-1)", async () => {
  const { writes, reserved } = ahead(1_000);
  writes.stored(100);
  expect([await writes.take(100), reserved]).toEqual([undefined, []]);
  writes.stored(100);
  expect(reserved).toHaveLength(4);
  const taken = await Promise.all([100, 100, 100, 100, 100, 200].map((sizeBytes) => writes.take(sizeBytes)));
  expect(taken.map((file) => file?.objectId)).toEqual(["1", "2", "3", "4", undefined, undefined]);
  writes.stored(100);
  expect(reserved).toHaveLength(14);
  expect((await writes.take(100))?.objectId).toBe("5");
});

test("files stay within the node's bytes, are given up when they are old, and a node without any is left alone for a while (AHEAD-2)", async () => {
  const { writes, reserved, abandoned, clock } = ahead(250);
  for (let stored = 0; stored < 3; stored++) writes.stored(100);
  for (let stored = 0; stored < 3; stored++) writes.stored(251);
  await undefined;
  expect(reserved).toEqual([100, 100]);
  await new Promise(setImmediate);
  clock.nowMs = 5_001;
  expect([await writes.take(100), abandoned]).toEqual([undefined, ["1", "2"]]);
  // What is in use now has the bytes of a size that no value has any more.
  const other = ahead(200);
  for (let stored = 0; stored < 2; stored++) other.writes.stored(100);
  await new Promise(setImmediate);
  other.clock.nowMs = 5_001;
  for (let stored = 0; stored < 2; stored++) other.writes.stored(50);
  expect([other.abandoned, other.reserved]).toEqual([
    ["1", "2"],
    [100, 100, 50, 50],
  ]);
  const none = ahead(1_000, false);
  for (let stored = 0; stored < 2; stored++) none.writes.stored(100);
  await new Promise(setImmediate);
  none.writes.stored(100);
  expect(none.reserved).toHaveLength(2);
  none.clock.nowMs = 50;
  none.writes.stored(100);
  expect(none.reserved).toHaveLength(4);
});

test("files that come when their size is forgotten are given up (AHEAD-2)", async () => {
  const { writes, abandoned, reserved } = ahead(20);
  for (let stored = 0; stored < 2; stored++) writes.stored(10);
  for (let sizeBytes = 11; sizeBytes < 20; sizeBytes++) writes.stored(sizeBytes);
  await new Promise(setImmediate);
  expect(abandoned).toEqual(["1", "2"]);
  for (let stored = 0; stored < 2; stored++) writes.stored(10);
  expect(reserved).toEqual([10, 10, 10, 10]);
});
