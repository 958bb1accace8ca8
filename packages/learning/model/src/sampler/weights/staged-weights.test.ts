/** New weights that are copied to the device while the old ones sample. */
import { setImmediate } from "node:timers/promises";
import { loadBackend, roundToHalf } from "@palimpsest/jit";
import { expect, onTestFinished, test } from "vitest";
import {
  type HeldParameters,
  initParameters,
  isPublishedHalf,
  parameterShapes,
} from "../../base/parameters.js";
import { aConfig } from "../../files/model.fixture.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "../model-sampler.js";

const backend = await loadBackend();
const config = aConfig({
  ...{ architecture: "qwen3", layers: 2, hiddenSize: 24, headDim: 6, heads: 4, kvHeads: 2 },
  maxPositions: 64,
});
const shapes = parameterShapes(config);

/** As they are published in bfloat16: norms are float32. */
function halves(seed: number): Record<string, Float32Array | Uint16Array> {
  const drawn = initParameters(config, seed, { projectionStd: 0.3, residualStd: 0.3 });
  return Object.fromEntries(
    Object.entries(drawn).map(([name, values]) => [
      name,
      isPublishedHalf(name, shapes[name] ?? []) ? roundToHalf(values) : values,
    ]),
  );
}

function aSampler(
  options: Partial<ModelSamplerOptions> & { readonly parameters: HeldParameters },
): ModelSampler {
  const sampler = createSampler({
    ...{ backend, config, cache: "slots", precision: "bfloat16", mode: "graph", maxBatch: 2, maxLength: 64 },
    ...{ weightUpdates: "staged", stepsPerCall: 2 },
    ...options,
  });
  onTestFinished(async () => await sampler.close());
  return sampler;
}

const request = { promptTokenIds: [3, 1, 4, 1, 5], maxTokens: 24, temperature: 1, seed: 5, stopTokenIds: [] };
const said = async (sampler: ModelSampler) => {
  const { tokenIds, rolloutLogprobs } = await sampler.generate(request);
  return { tokenIds, rolloutLogprobs };
};

/** Lets everything be copied that is there. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
}

test("the old ones sample until the change, then the new ones, bit for bit (STAGED-1)", async () => {
  const [first, second] = [halves(1), halves(2)];
  const sampler = aSampler({ parameters: first });
  const before = await said(sampler);
  // They arrive one after another, their values as late as possible.
  const arriving = Object.fromEntries(
    Object.entries(second).map(([name, values]) => [
      name,
      new (values.constructor as typeof Uint16Array)(values.length),
    ]),
  ) as typeof second;
  for (const [name, values] of Object.entries(second)) {
    arriving[name]?.set(values);
    sampler.stageWeights(arriving, [name]);
    await settled();
  }
  expect(await said(sampler)).toEqual(before);
  await sampler.setWeights(arriving, 1);
  const wanted = await said(aSampler({ parameters: second, weightUpdates: "drained" }));
  expect(await said(sampler)).toEqual(wanted);
  // What was copied is not read again.
  sampler.stageWeights(second, Object.keys(second));
  await settled();
  for (const values of Object.values(second)) if (values instanceof Uint16Array) values.fill(0);
  await sampler.setWeights(second, 2);
  expect(await said(sampler)).toEqual(wanted);
});

test("requests start and go on while weights are copied, and replies name the versions of their tokens", async () => {
  const [first, second] = [halves(1), halves(2)];
  const sampler = aSampler({ parameters: first });
  let changed: Promise<void> | undefined;
  const { versionRuns, tokenIds } = await sampler.generate({
    ...{ ...request, maxTokens: 50 },
    onTokens: () => {
      changed ??= sampler.setWeights(second, 3);
    },
  });
  await changed;
  expect(versionRuns).toHaveLength(2);
  expect(tokenIds).toHaveLength(50);
  expect([sampler.policyVersion, versionRuns?.[1]?.policyVersion]).toEqual([3, 3]);
  expect(await said(sampler)).toEqual(await said(aSampler({ parameters: second })));
});

test("only the newest are used, and none that were forgotten (WEIGHTCHANGE-3)", async () => {
  const [first, second, third] = [halves(1), halves(2), halves(3)];
  const sampler = aSampler({ parameters: first });
  sampler.stageWeights(second, Object.keys(second));
  await setImmediate();
  await Promise.all([sampler.setWeights(second, 1), sampler.setWeights(third, 2)]);
  const wanted = await said(aSampler({ parameters: third }));
  expect([sampler.policyVersion, await said(sampler)]).toEqual([2, wanted]);
  sampler.stageWeights(second, Object.keys(second));
  await settled();
  for (const [name, values] of Object.entries(second)) values.set(third[name] as Uint16Array);
  sampler.forgetStaged();
  await sampler.setWeights(second, 3);
  expect(await said(sampler)).toEqual(wanted);
});

test("weights in float32 and a cache of pages change in flight", async () => {
  for (const [cache, precision] of [
    ["slots", "float32"],
    ["pages", "bfloat16"],
  ] as const) {
    const sampler = aSampler({ parameters: halves(1), cache, precision });
    const next = initParameters(config, 2);
    sampler.stageWeights(next, Object.keys(next));
    await sampler.setWeights(next, 1);
    expect(await said(sampler)).toEqual(await said(aSampler({ parameters: next, cache, precision })));
  }
});
