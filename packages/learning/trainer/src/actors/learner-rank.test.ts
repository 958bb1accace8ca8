/** A rank computes in the precision of rank 0, whatever its own machine's trial would choose. */
import { initParameters, parameterShapes } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { grpcNetwork, OwnBulk } from "@palimpsest/wire";
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
  const bulk = new OwnBulk(grpcNetwork({ token: "secret" }), { host: "127.0.0.1", ports: undefined });
  const logger = { warn: () => undefined };
  await rank.start({ objects, logger, bulk, signal: new AbortController().signal });
  const address = rank.address();
  expect(address).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
  const before = rank.weightsHash();
  expect(await rank.join([], [[""], address], "bfloat16")).toBe("bfloat16");
  expect(rank.weightsHash()).toBe(before);
});
