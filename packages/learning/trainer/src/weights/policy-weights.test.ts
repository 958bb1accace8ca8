import {
  hashWeights,
  initParameters,
  loraConfigSchema,
  loraForm,
  loraShapes,
  mergeLora,
  parameterShapes,
} from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { expect, test } from "vitest";
import { memoryObjects } from "./memory-objects.fixture.js";
import { adaptersOf, fetchPolicy } from "./policy-weights.js";
import { publishWeights } from "./weights.js";

const model = smallConfig({
  hiddenSize: 8,
  headDim: 4,
  intermediateSize: 12,
  tieWordEmbeddings: true,
  maxPositions: 32,
});
const base = initParameters(model, 1);
const baseHash = hashWeights(base);

async function published(lora: ReturnType<typeof loraConfigSchema.parse>) {
  const objects = memoryObjects();
  const shapes = loraShapes(model, loraForm(lora));
  const adapters = Object.fromEntries(
    Object.entries(shapes).map(([name, shape], at) => {
      const size = shape.reduce((product, dimension) => product * dimension, 1);
      return [name, Float32Array.from({ length: size }, (_, i) => Math.sin(i + at))];
    }),
  );
  const version = { runId: "run-1", policyVersion: 4 };
  const manifest = await publishWeights(objects, version, adapters, shapes, {
    adapters: adaptersOf(lora, baseHash),
  });
  return { objects, adapters, manifest };
}

const ownBase = { weightsHash: baseHash, parameters: async () => structuredClone(base) };

test.each([
  [loraConfigSchema.parse({ rank: 2, alpha: 3, targets: ["q_proj", "up_proj"] })],
  [loraConfigSchema.parse({ rank: 1 })],
])("T5: a policy with adapters travels as these alone and is the base with them merged in", async (lora) => {
  const { objects, adapters, manifest } = await published(lora);
  expect(manifest.weightsHash).toBe(hashWeights(adapters));
  expect(await fetchPolicy(objects, manifest, model, ownBase)).toEqual(
    mergeLora(model, base, adapters, lora),
  );
});

test("T5: adapters over another base are refused", async () => {
  const { objects, manifest } = await published(loraConfigSchema.parse({ rank: 1 }));
  const other = { weightsHash: "0".repeat(64), parameters: async () => base };
  await expect(fetchPolicy(objects, manifest, model, other)).rejects.toThrow(/but the run's base is 0000/);
});

test("whole weights need no base", async () => {
  const objects = memoryObjects();
  const version = { runId: "run-1", policyVersion: 1 };
  const manifest = await publishWeights(objects, version, base, parameterShapes(model));
  const none = { weightsHash: "", parameters: () => Promise.reject(new Error("asked for")) };
  expect(await fetchPolicy(objects, manifest, model, none)).toEqual(base);
});
