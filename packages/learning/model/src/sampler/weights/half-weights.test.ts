/** Weights that are given in bfloat16, held against the float32 numbers that they are. */
import { loadBackend, roundToHalf, widenHalf } from "@palimpsest/jit";
import { expect, onTestFinished, test } from "vitest";
import {
  type HeldParameters,
  initParameters,
  isPublishedHalf,
  type Parameters,
  parameterShapes,
} from "../../base/parameters.js";
import { aConfig } from "../../files/model.fixture.js";
import { createSampler, type ModelSamplerOptions } from "../model-sampler.js";

const backend = await loadBackend();
/** Each architecture, cache and precision beside each of the others'. */
const cases = (["llama", "qwen2", "qwen3"] as const).flatMap((architecture, at) =>
  (["slots", "pages"] as const).map((cache, of) => ({
    architecture,
    cache,
    precision: (at + of) % 2 === 0 ? ("float32" as const) : ("bfloat16" as const),
  })),
);

test.each(cases)(
  "$architecture in $precision with $cache samples the same tokens with the same log-probs, bit for bit",
  async ({ architecture, cache, precision }) => {
    // A head size whose square root is no power of two.
    const config = aConfig({ architecture, layers: 3, hiddenSize: 24, headDim: 6, heads: 4, kvHeads: 2 });
    const shapes = parameterShapes(config);
    const parameters = initParameters(config, 1, { projectionStd: 0.3, residualStd: 0.3 });
    for (const [name, values] of Object.entries(parameters))
      if (name.endsWith("Norm") || name.endsWith("Bias"))
        values.set(values.map((value, i) => value + 0.3 * Math.sin(i * 1.7)));
    const bits: HeldParameters = Object.fromEntries(
      Object.entries(parameters).map(([name, values]) => [
        name,
        isPublishedHalf(name, shapes[name] ?? []) ? roundToHalf(values) : values,
      ]),
    );
    const widened: Parameters = Object.fromEntries(
      Object.entries(bits).map(([name, values]) => [
        name,
        values instanceof Float32Array ? values : widenHalf(values),
      ]),
    );
    expect(Object.values(bits).some((values) => values instanceof Uint16Array)).toBe(true);
    const common: Omit<ModelSamplerOptions, "parameters"> = {
      ...{ backend, config, cache, precision, mode: "graph", maxBatch: 2, maxLength: 32 },
    };
    const sampled = async (sampler: ReturnType<typeof createSampler>) => {
      const request = {
        promptTokenIds: [3, 1, 4, 1, 5],
        maxTokens: 12,
        temperature: 1,
        seed: 5,
        stopTokenIds: [],
      };
      const { tokenIds, rolloutLogprobs } = await sampler.generate(request);
      return { tokenIds, rolloutLogprobs };
    };
    const given = createSampler({ ...common, parameters: bits });
    const float = createSampler({ ...common, parameters: widened });
    onTestFinished(async () => {
      await given.close();
      await float.close();
    });
    const wanted = await sampled(float);
    expect(await sampled(given)).toEqual(wanted);
    await given.setWeights(initParameters(config, 2), 1);
    expect((await sampled(given)).rolloutLogprobs).not.toEqual(wanted.rolloutLogprobs);
    await given.setWeights(bits, 2);
    expect(await sampled(given)).toEqual(wanted);
  },
);
