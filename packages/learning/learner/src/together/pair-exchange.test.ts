import { expect, it } from "vitest";
import { createRandom } from "../config/random.js";
import { localPeers } from "./local-peers.js";
import { SwapBox } from "./swap-box.js";

const random = createRandom(3);
const valuesOf = (count: number) =>
  Float32Array.from({ length: count }, () => random.below(2 ** 20) / 1e5 - 5);

it.each([
  [1, 10],
  [2, 0],
  [2, 1],
  [2, 1000],
  [3, 7],
  [3, 1001],
  [5, 333],
])(
  "%i ranks add up %i values in chunks, in the order of ranks, to the same bits everywhere",
  async (size, count) => {
    const ranks = localPeers(size, { chunkValues: 64 });
    const given = ranks.map(() => valuesOf(count));
    const expected = Float32Array.from({ length: count }, (_, i) => {
      let sum = Math.fround(0);
      for (const values of given) sum = Math.fround(sum + (values[i] as number));
      return sum;
    });
    await Promise.all(ranks.map(({ peers }, rank) => peers.allReduce(given[rank] as Float32Array)));
    for (const values of given) expect(values).toEqual(expected);
    // A second call meets nothing of the first.
    const gathered = await Promise.all(ranks.map(({ peers }, rank) => peers.allGather({ rank })));
    for (const all of gathered) expect(all.map(({ rank }) => rank)).toEqual(ranks.map((_, rank) => rank));
    for (const { peers } of ranks)
      expect(peers.stats.sentBytes).toBeLessThanOrEqual(
        (8 * count * (size - 1)) / size + 16 * size * (count / 64 + 1),
      );
  },
);

it("ranks with different numbers of values are distinguished, and nobody is left waiting", async () => {
  const ranks = localPeers(2, { chunkValues: 64 });
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
