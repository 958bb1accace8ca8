/** A rank computes in the precision of rank 0, whatever its own machine's trial would choose. */
import { initParameters, parameterShapes } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { expect, onTestFinished, test } from "vitest";
import { parseRecipe } from "../recipe/recipe.js";
import { runSpec } from "../records/run-spec.js";
import { memoryObjects } from "../weights/memory-objects.fixture.js";
import { publishWeights } from "../weights/weights.js";
import { LearnerRank } from "./learner-rank.js";

const recipe = parseRecipe(
  `
name: ranks
model: { path: ./base }
agent: { preset: tiny }
data: { source: ruler, ruler: { sentences: 4 } }
learner: { groupSize: 4, buckets: [{ rows: 2, length: 16 }] }
learnerActors: 2
train: { steps: 3 }
`,
  "/data",
);

test("joining takes over the precision of rank 0", async () => {
  const model = smallConfig({ maxPositions: 32 });
  const held = memoryObjects();
  const shapes = parameterShapes(model);
  const weights = await publishWeights(
    held,
    { runId: "r", policyVersion: 0 },
    initParameters(model, 1),
    shapes,
  );
  const folder = { runId: "r", startedAtMs: 0, path: "/data/r" };
  const text = { objectId: "", sizeBytes: 0 };
  const rank = new LearnerRank(runSpec(recipe, folder, { model, text, weights, modules: [] }), 1);
  onTestFinished(() => rank.stop());
  const objects = { ...held, get: () => Promise.reject(new Error("the run has no modules")) };
  const bulk = { serve: async () => "here:1", connect: () => Promise.reject(new Error("there is one rank")) };
  const logger = { warn: () => undefined };
  await rank.start({ objects, logger, bulk: bulk as never, signal: new AbortController().signal });
  expect(rank.address()).toBe("here:1");
  const before = rank.weightsHash();
  expect(await rank.join([], ["", "here:1"], "bfloat16")).toBe("bfloat16");
  expect(rank.weightsHash()).toBe(before);
});
