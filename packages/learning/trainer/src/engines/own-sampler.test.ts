import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRecipe } from "../recipe/recipe.js";
import { samplerSettings, samplerThreads } from "./own-sampler.js";

const shipped = readRecipe(
  fileURLToPath(new URL("../../../../../recipes/memagent/smollm2-hotpotqa.yaml", import.meta.url)),
).recipe;
const recipe = (rollout: object, learner: object = {}, train: object = {}) => ({
  rollout: { ...shipped.rollout, ...rollout },
  learner: { ...shipped.learner, ...learner },
  train: { ...shipped.train, ...train },
});

test("where steps are asynchronous, new weights are applied between two calls, unless they are to wait", () => {
  const asynchronous = { maxStaleness: 2 };
  expect(samplerSettings(recipe({})).weightUpdates).toBe("drained");
  expect(samplerSettings(recipe({}, {}, asynchronous)).weightUpdates).toBe("in-flight");
  const waiting = recipe({ weightUpdates: "drained" }, {}, asynchronous);
  expect(samplerSettings(waiting).weightUpdates).toBe("drained");
});

test("lanes and steps of a call reach the sampler, and each lane has threads of its own", () => {
  const given = recipe({ threads: 4, lanes: 2, stepsPerCall: 6, speculate: true });
  expect(samplerSettings(given)).toMatchObject({
    lanes: 2,
    stepsPerCall: 6,
    speculate: true,
    precision: "auto",
    singleWeights: "off",
  });
  expect(samplerThreads(given.rollout)).toEqual({ threads: 2, operationsAtOnce: 4 });
  expect(samplerThreads(recipe({ threads: 4, lanes: 1 }).rollout)).toEqual({ threads: 4 });
  expect(samplerSettings(recipe({}))).not.toHaveProperty("stepsPerCall");
});

test.each([{ oldLogprobs: "rollout", importance: undefined }, { firstStepChecks: true }])(
  "the sampler keeps float32 where its numbers are compared (%o), unless another is set",
  (compared) => {
    expect(samplerSettings(recipe({}, compared)).precision).toBe("float32");
    expect(samplerSettings(recipe({ precision: "bfloat16" }, compared)).precision).toBe("bfloat16");
  },
);
