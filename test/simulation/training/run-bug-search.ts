import { runBugs } from "./run-bugs.js";
import { simulateRun } from "./simulate-run.js";

/** Yields one row of the table for each planted bug of a training run: tries seeds 1, 2, … until one finds it. */
export async function* searchRunBugs(maxSeeds: number): AsyncGenerator<string> {
  for (const { name, breaks, make } of runBugs) {
    let row = `| ${name} | ${breaks} | | not in ${maxSeeds} |`;
    for (let seed = 1; seed <= maxSeeds; seed++) {
      const { violation } = await simulateRun(seed, { plant: make() });
      if (violation === undefined) continue;
      row = `| ${name} | ${breaks} | ${violation.invariant} | ${seed} |`;
      break;
    }
    yield row;
  }
}
