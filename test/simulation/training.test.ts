import { expect, test } from "vitest";
import { runBugs } from "./training/run-bugs.js";
import { simulateRun } from "./training/run-world.js";

// More seeds: run.ts --training.
const seeds = [1, 3, 9, 16];

test("a run trains each group once, whatever dies and whatever Redis loses (T1, T2, T4, T6)", async () => {
  for (const seed of seeds) {
    const { violation, counts } = await simulateRun(seed);
    expect(violation, `replay with: run.ts --training --seed ${seed} --story`).toBeUndefined();
    expect(counts.episodes).toBeGreaterThan(20);
    expect(counts.faults).toBeGreaterThan(3);
  }
}, 120_000);

test("a training run is a function of its seed", async () => {
  const [first, second] = [
    await simulateRun(5, { keepStory: true }),
    await simulateRun(5, { keepStory: true }),
  ];
  expect(second).toEqual(first);
  expect((await simulateRun(6)).hash).not.toBe(first.hash);
}, 120_000);

// The whole table is made by: run.ts --bugs
test.each(runBugs.filter((_, index) => index % 3 === 0))(
  "finds that $name",
  async ({ make }) => {
    let found = false;
    for (let seed = 1; seed <= 50 && !found; seed++) {
      found = (await simulateRun(seed, { plant: make() })).violation !== undefined;
    }
    expect(found).toBe(true);
  },
  120_000,
);
