import { type PlantedBug, plantedBugs } from "./planted-bugs.js";
import { plantedGroupBugs } from "./planted-group-bugs.js";
import { plantedObjectBugs } from "./planted-object-bugs.js";
import { plantedTaskBugs } from "./planted-task-bugs.js";
import { simulate } from "./world/world.js";

export interface Found {
  /** The first seed that found it; undefined: none did. */
  readonly seed: number | undefined;
  readonly by: string;
}

/** Tries seeds 1, 2, … until one finds the bug. */
export async function findBug(bug: PlantedBug, maxSeeds: number): Promise<Found> {
  for (let seed = 1; seed <= maxSeeds; seed++) {
    const { violation } = await simulate(seed, { plant: bug.make() });
    if (violation) return { seed, by: violation.invariant };
  }
  return { seed: undefined, by: "" };
}

/** One row of the table for each planted bug. */
export async function* searchPlantedBugs(maxSeeds: number, first = 0): AsyncGenerator<string> {
  yield "| planted bug | breaks | found by | seeds |";
  yield "|---|---|---|---|";
  const bugs = [...plantedBugs, ...plantedObjectBugs, ...plantedGroupBugs, ...plantedTaskBugs];
  for (const bug of bugs.slice(first)) {
    const { seed, by } = await findBug(bug, maxSeeds);
    yield `| ${bug.name} | ${bug.breaks} | ${by} | ${seed ?? `not in ${maxSeeds}`} |`;
  }
}
