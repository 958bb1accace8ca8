import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Evaluation, LengthResult } from "@palimpsest/evals";
import { systemClock } from "@palimpsest/std";
import { type DurableFiles, durableFiles } from "@palimpsest/std/files";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ratingOf, standingOf } from "../recipe/evaluation-standing.js";
import { builtinRecipesDir } from "../recipe/model-source.js";
import { readRecipe } from "../recipe/recipe.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { openRunFolder } from "../run-folder/run-folder.js";
import { type EvaluationReport, TrainingEvaluations, type VersionRating } from "./training-evaluations.js";

let runDir = "";
beforeEach(() => {
  runDir = testFolder();
});

const { signal } = new AbortController();

function anEvaluation(meanReward: number, exactMatch: number | null = meanReward): Evaluation {
  const length = (factor: number): LengthResult => ({
    lengthTokens: 64 * factor,
    n: 4,
    samples: 2,
    failures: 0,
    exactMatch,
    exactMatchInterval: null,
    passAtK: exactMatch,
    passAtKInterval: null,
    meanReward: meanReward * factor,
    meanRewardInterval: { low: 0, high: 1 },
    categories: [{ category: "near", episodes: 8, meanReward, meanRewardInterval: { low: 0, high: 1 } }],
    documentTokens: 1,
    promptTokens: 1,
    sampledTokens: 1,
    conversations: 1,
    truncated: 0,
    droppedDocumentTokens: 0,
    seconds: 1,
    microsecondsPerDocumentToken: 1,
    sampledTokensPerDocumentToken: 1,
    peakRssBytes: 1,
    outcomes: [],
  });
  return { agent: "memagent", temperature: 1, seed: 1, lengths: [length(1), length(3)] };
}

/** Every second step is evaluated; three evaluations without a gain above 0.1 end the run. */
const recipe = (() => {
  const { recipe: quick } = readRecipe(`${builtinRecipesDir}/quickstart.yaml`);
  const { evaluation, train } = quick;
  if (!evaluation) throw new Error("the quickstart has no evaluation");
  const changed: Recipe = {
    ...quick,
    evaluation: { ...evaluation, everySteps: 2, metric: "meanReward" },
    train: { ...train, steps: 100, stopWhen: { patienceEvaluations: 3, minimumGain: 0.1 } },
  };
  return changed;
})();

/** One driver of the run; what it does is in the lists. */
async function driver(values: Readonly<Record<number, number>>) {
  const asked: number[] = [];
  const rated: VersionRating[] = [];
  const reports: EvaluationReport[] = [];
  const folder = await openRunFolder(runDir, recipe, false);
  const evaluations = await TrainingEvaluations.open(
    {
      recipe,
      folder,
      evaluate: async (version) => {
        asked.push(version);
        // Over lengths 1 and 3 times as good, the mean is twice the first.
        return anEvaluation((values[version] ?? Number.NaN) / 2);
      },
      rate: async (rating) => {
        rated.push(rating);
      },
      onEvaluated: (report) => reports.push(report),
    },
    anEvaluation(0.05),
  );
  /** As the loop of `train` does, to that step. */
  const trainTo = async (from: number, to: number) => {
    for (let step = from; step <= to; step++) {
      if (evaluations.mayStopAt(step)) await evaluations.at(step, signal);
      if (evaluations.stopped) return step;
      if (evaluations.isDue(step)) await evaluations.at(step, signal);
    }
    return to;
  };
  return { evaluations, asked, rated, reports, trainTo };
}

const values = { 2: 0.3, 4: 0.35, 6: 0.38, 8: 0.37, 10: 0.9 };

test("evaluates every so many steps, rates versions, and ends the run when patience does, not before", async () => {
  const { evaluations, asked, rated, reports, trainTo } = await driver(values);
  expect(await trainTo(0, 100)).toBe(8);
  expect(asked).toEqual([2, 4, 6, 8]);
  expect(rated.map(({ policyVersion, metric }) => [policyVersion, Number(metric.toFixed(4))])).toEqual([
    [0, 0.1],
    [2, 0.3],
    [4, 0.35],
    [6, 0.38],
    [8, 0.37],
  ]);
  expect(rated[1]?.scalars).toMatchObject({
    "evaluation/meanReward/64": 0.15,
    "evaluation/passAtK/192": 0.15,
    "evaluation/reward/near/64": 0.15,
  });
  expect(evaluations.standing).toEqual({ best: { step: 6, value: expect.closeTo(0.38) }, withoutGain: 3 });
  expect(reports.map(({ step, stops }) => [step, stops])).toEqual([
    [2, false],
    [4, false],
    [6, false],
    [8, true],
  ]);
  // The evaluation after the last step is the one that ended the run.
  expect((await evaluations.at(8, signal))?.lengths[0]?.meanReward).toBeCloseTo(0.185);
  expect(asked).toHaveLength(4);
});

test("a driver that resumes the run has the same best and the same patience, and asks nothing twice (EVALUATING-2)", async () => {
  const first = await driver(values);
  await first.trainTo(0, 5);
  expect(readdirSync(join(runDir, "evaluations"))).toEqual(["step-00000002.json", "step-00000004.json"]);
  const second = await driver(values);
  expect(second.evaluations.standing).toEqual(first.evaluations.standing);
  // The learner may not have heard of the last one.
  expect(second.rated).toEqual(first.rated);
  expect(await second.trainTo(4, 100)).toBe(8);
  expect(second.asked).toEqual([6, 8]);
  const third = await driver(values);
  expect(third.evaluations.stopped).toBe(true);
  expect(third.asked).toEqual([]);
});

test("an evaluation whose file finds no space on the disk waits for it, is asked for once, and is on disk", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  let fails = 0;
  const done: string[] = [];
  const files: DurableFiles = {
    ...durableFiles,
    write: async (path, bytes) => {
      if (path.includes("step-") && fails++ < 3) throw full;
      await durableFiles.write(path, bytes);
      done.push(`write ${basename(path)}`);
    },
    rename: async (from, to) => {
      await durableFiles.rename(from, to);
      done.push(`rename ${basename(to)}`);
    },
    syncFolder: async (path) => {
      await durableFiles.syncFolder(path);
      done.push(`sync ${basename(path)}`);
    },
  };
  const waits: string[] = [];
  const clock = {
    ...systemClock,
    after: (_: number, then: () => void) => {
      const handle = setImmediate(then);
      return () => clearImmediate(handle);
    },
  };
  const waiting = { onWait: ({ message }: Error) => waits.push(message), clock };
  const folder = await openRunFolder(runDir, recipe, false, [], { files, waiting });
  let asked = 0;
  const evaluate = async () => {
    asked++;
    return anEvaluation(0.5);
  };
  const rate = async () => undefined;
  const options = { recipe, folder, evaluate, rate, onEvaluated: () => undefined };
  const evaluations = await TrainingEvaluations.open(options, undefined);
  done.length = 0;
  expect(await evaluations.at(2, signal)).toMatchObject({ agent: "memagent" });
  expect({ asked, waits }).toEqual({ asked: 1, waits: [full.message] });
  const name = "step-00000002.json";
  expect(done).toEqual([`write ${name}.${process.pid}.part`, `rename ${name}`, "sync evaluations"]);
});

test("a rise that is not above the minimum is no gain, and still the best; equals count for the newer", () => {
  const rated = [1, 1.05, 1.2, 1.2].map((value, step) => ({ step, value }));
  expect(standingOf(rated, 0.1)).toEqual({ best: { step: 3, value: 1.2 }, withoutGain: 1 });
  expect(standingOf(rated.slice(0, 2), 0.1)).toEqual({ best: { step: 1, value: 1.05 }, withoutGain: 1 });
  expect(standingOf([], 0)).toEqual({ best: undefined, withoutGain: 0 });
});

test("a metric that the reward does not tell is refused by name", () => {
  expect(() => ratingOf(anEvaluation(0.5, null), "passAtK")).toThrow(
    /evaluation\.metric: passAtK.*meanReward/,
  );
  expect(ratingOf(anEvaluation(0.5, null), "meanReward")).toBe(1);
});
