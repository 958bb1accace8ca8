import { expect, test } from "vitest";
import { runBugs } from "./training/run-bugs.js";
import { simulateRun } from "./training/simulate-run.js";

// The command run.ts --training simulates more seeds.
const seeds = [1, 3, 9, 16];
/**
 * The limit of events of all runs in this file. A run is a function of its seed, so only a change of the code can
 * exceed it. About 25,000 events take a quarter of a second of processor time.
 */
const maxEvents = 500_000;
let simulatedEvents = 0;

test("a run trains each group once, whatever dies and whatever Redis loses (T1, T2, T4, T6)", async ({
  signal,
}) => {
  for (const seed of seeds) {
    const { violation, counts, events } = await simulateRun(seed, { signal });
    simulatedEvents += events;
    expect(violation, `replay with: run.ts --training --seed ${seed} --story`).toBeUndefined();
    expect(counts.episodes).toBeGreaterThan(20);
    expect(counts.faults).toBeGreaterThan(3);
  }
});

test("a training run is a function of its seed", async ({ signal }) => {
  const [first, second] = [
    await simulateRun(5, { keepStory: true, signal }),
    await simulateRun(5, { keepStory: true, signal }),
  ];
  expect(second).toEqual(first);
  simulatedEvents += first.events + second.events;
  expect((await simulateRun(6, { signal })).hash).not.toBe(first.hash);
});

/** Bugs that the first seed or two find. The command run.ts --bugs makes the whole table. */
const quicklyFound = runBugs.filter(({ breaks }) =>
  ["STEP-1, T1", "STEP-2, T1", "SAVES-1, T1", "SAVES-2, T1", "LEDGER-7, T1", "DISPATCH-2"].includes(breaks),
);

test.for(quicklyFound)("finds that $name", async ({ make }, { signal }) => {
  let found = false;
  for (let seed = 1; seed <= 8 && !found; seed++) {
    const { violation, events } = await simulateRun(seed, { plant: make(), signal });
    found = violation !== undefined;
    simulatedEvents += events;
  }
  expect(found).toBe(true);
});

test("these tests are a fixed amount of work, whatever the machine does", () => {
  expect(simulatedEvents).toBeGreaterThan(0);
  expect(simulatedEvents).toBeLessThan(maxEvents);
});
