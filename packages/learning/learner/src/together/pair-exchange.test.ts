import { roundToHalf, widenHalf } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { createRandom } from "../config/random.js";
import { localPeers } from "./local-peers.js";
import { SwapBox } from "./swap-box.js";

const random = createRandom(3);
const valuesOf = (count: number) =>
  Float32Array.from({ length: count }, () => random.below(2 ** 20) / 1e5 - 5);

const shapes = [
  [1, 10],
  [2, 0],
  [2, 1],
  [2, 1000],
  [3, 7],
  [3, 1001],
  [5, 333],
] as const;

it.each(shapes.flatMap(([size, count]) => [1, 3].map((lanes) => [size, count, lanes] as const)))(
  "%i ranks add up %i values in chunks and %i lanes, in the order of ranks, to the same bits everywhere",
  async (size, count, lanes) => {
    const ranks = localPeers(size, { sliceBytes: 128, lanes });
    const given = ranks.map(() => valuesOf(count));
    const halves = given.map((values) => roundToHalf(values));
    const sumOf = (all: readonly Float32Array[]) =>
      Float32Array.from({ length: count }, (_, i) =>
        all.reduce((sum, values) => Math.fround(sum + (values[i] as number)), 0),
      );
    const expected = sumOf(given);
    const expectedHalves = roundToHalf(sumOf(halves.map((bits) => widenHalf(bits))));
    // Both at once, as blocks of gradients are exchanged.
    await Promise.all(
      ranks.flatMap(({ peers }, rank) => [
        peers.allReduce(given[rank] as Float32Array),
        peers.allReduce(halves[rank] as Uint16Array),
      ]),
    );
    for (const values of given) expect(values).toEqual(expected);
    for (const bits of halves) expect(bits).toEqual(expectedHalves);
    // A second call meets nothing of the first.
    const gathered = await Promise.all(ranks.map(({ peers }, rank) => peers.allGather({ rank })));
    for (const all of gathered) expect(all.map(({ rank }) => rank)).toEqual(ranks.map((_, rank) => rank));
    for (const { peers } of ranks)
      expect(peers.stats.sentBytes).toBeLessThanOrEqual((12 * count * (size - 1)) / size + 12 * size * lanes);
  },
);

it.each(shapes)("%i ranks take over %i values of rank 0, which sends them once", async (size, count) => {
  const ranks = localPeers(size, { sliceBytes: 128, lanes: 2 });
  const given = ranks.map(() => valuesOf(count));
  const first = given[0]?.slice();
  await Promise.all(ranks.map(({ peers }, rank) => peers.broadcast(given[rank] as Float32Array)));
  for (const values of given) expect(values).toEqual(first);
  expect(ranks.map(({ peers }) => peers.stats.sentBytes)).toEqual(
    ranks.map((_, rank) => (rank < size - 1 ? 4 * count : 0)),
  );
});

it("ranks with different numbers of values are distinguished, and nobody is left waiting", async () => {
  const ranks = localPeers(2, { sliceBytes: 64 });
  const ends = ranks.map(async ({ peers, fail }, rank) => {
    try {
      await peers.allReduce(valuesOf(rank === 0 ? 10 : 20));
    } catch (reason) {
      fail(reason);
      throw reason;
    }
  });
  for (const end of await Promise.allSettled(ends)) expect(end).toMatchObject({ status: "rejected" });
});

it("a rank that does not come is an error after the deadline, and one that failed at once (SWAP-1)", async () => {
  const box = new SwapBox(20);
  await expect(box.give(1, "sum 0", 1)).rejects.toThrow('rank 1 did not send "sum 0" within 0.02 s');
  await expect(box.bring(1, "sum 0", 1)).rejects.toThrow("did not send");
  const long = new SwapBox(600_000);
  await expect(long.bring(1, "sum 0", 1, 20)).rejects.toThrow("within 0.02 s");
  const waits = long.give(2, "sum 1", 1);
  long.fail(new Error("rank 2 is gone"));
  await expect(waits).rejects.toThrow("rank 2 is gone");
  await expect(long.bring(2, "sum 2", 1)).rejects.toThrow("rank 2 is gone");
});

it("whichever side comes first, both get the other's value", async () => {
  const box = new SwapBox(60_000);
  const own = box.give(1, "a", "mine");
  expect(await box.bring(1, "a", "theirs")).toBe("mine");
  expect(await own).toBe("theirs");
  const other = box.bring(1, "a", "theirs again");
  expect(await box.give(1, "a", "mine again")).toBe("theirs again");
  expect(await other).toBe("mine again");
});
