import { describe, expect, it } from "vitest";
import { createRandom, restoreRandom } from "./random.js";

describe("createRandom", () => {
  it("gives the same numbers for a seed in every release", () => {
    const random = createRandom(7);
    expect([1, 2, 3].map(() => random.below(1e9))).toEqual([49009593, 165562353, 929853208]);
    expect(random.state()).toEqual([4061364522, 2701468909, 1075613859, 423758975]);
  });

  it("goes on from its state as if it had never stopped", () => {
    const random = createRandom(7);
    for (let i = 0; i < 10; i++) random.below(100);
    const copy = restoreRandom(random.state());
    const draw = (r: { below(n: number): number }) => Array.from({ length: 50 }, () => r.below(1000));
    expect(draw(copy)).toEqual(draw(random));
  });

  it("draws evenly and differently for each seed", () => {
    const counts = new Array<number>(10).fill(0);
    const random = createRandom(0);
    for (let i = 0; i < 10_000; i++) {
      const drawn = random.below(10);
      counts[drawn] = (counts[drawn] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(250);
    expect(createRandom(1).state()).not.toEqual(createRandom(2).state());
  });

  it("shuffles into a permutation and leaves its input alone", () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = createRandom(3).shuffle(values);
    expect(values).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...shuffled].sort()).toEqual(values);
    expect(shuffled).not.toEqual(values);
  });
});
