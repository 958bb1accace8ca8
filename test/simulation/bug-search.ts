import { type PlantedBug, plantedBugs } from "./planted-bugs.js";
import { plantedGroupBugs } from "./planted-group-bugs.js";
import { plantedKindBugs } from "./planted-kind-bugs.js";
import { plantedLineageBugs } from "./planted-lineage-bugs.js";
import { plantedObjectBugs } from "./planted-object-bugs.js";
import { plantedShareBugs } from "./planted-share-bugs.js";
import { plantedSpillBugs } from "./planted-spill-bugs.js";
import { plantedTaskBugs } from "./planted-task-bugs.js";
import { plantedValueBugs } from "./planted-value-bugs.js";
import { plantedVersionBugs } from "./planted-version-bugs.js";
import { settingsOf } from "./world/settings.js";
import { type RunResult, simulate } from "./world/world.js";

export interface Found {
  /** The first seed that found the bug, or undefined if none did. */
  readonly seed: number | undefined;
  readonly by: string;
}

const clean = new Map<string, { readonly run: RunResult; readonly untilMs: number }>();

/**
 * Returns the run of a seed without a bug. It is the same for every caller, so it is simulated once.
 * @param untilMs how much of its life the caller looks at
 */
export async function simulateClean(
  seed: number,
  signal?: AbortSignal,
  settings = settingsOf(seed),
  untilMs = Number.POSITIVE_INFINITY,
): Promise<RunResult> {
  const key = JSON.stringify([seed, settings]);
  const before = clean.get(key);
  if (before !== undefined && before.untilMs >= untilMs) return before.run;
  const run = await simulate(seed, { settings, untilMs, ...(signal ? { signal } : {}) });
  clean.set(key, { run, untilMs });
  return run;
}

/**
 * Tries seeds, from the first on, until one finds the bug.
 * @throws if that seed breaks an invariant by then without the bug, too: then it did not find the bug; the signal's reason
 */
export async function findBug(
  bug: PlantedBug,
  maxSeeds: number,
  first = 1,
  signal?: AbortSignal,
): Promise<Found> {
  for (let seed = first; seed < first + maxSeeds; seed++) {
    const settings = bug.settings?.(seed) ?? settingsOf(seed);
    const { violation, simulatedMs } = await simulate(seed, {
      ...{ settings, plant: bug.make() },
      ...(signal ? { signal } : {}),
    });
    if (violation === undefined) continue;
    // What the seed shows later is no answer to whether the bug was found.
    const without = await simulateClean(seed, signal, settings, simulatedMs);
    if (without.violation)
      throw new Error(`seed ${seed} fails without the bug: ${without.violation.message}`);
    return { seed, by: violation.invariant };
  }
  return { seed: undefined, by: "" };
}

export const allBugs: readonly PlantedBug[] = [
  ...plantedBugs,
  ...plantedGroupBugs,
  ...plantedTaskBugs,
  ...plantedObjectBugs,
  ...plantedSpillBugs,
  ...plantedValueBugs,
  ...plantedLineageBugs,
  ...plantedKindBugs,
  ...plantedShareBugs,
  ...plantedVersionBugs,
];

/** Yields one row of the table for each planted bug. */
export async function* searchPlantedBugs(maxSeeds: number, first = 0): AsyncGenerator<string> {
  yield "| planted bug | breaks | found by | seeds |";
  yield "|---|---|---|---|";
  for (const bug of allBugs.slice(first)) {
    const { seed, by } = await findBug(bug, maxSeeds);
    yield `| ${bug.name} | ${bug.breaks} | ${by} | ${seed ?? `not in ${maxSeeds}`} |`;
  }
}
