import { loadBackend, probePrecision } from "@palimpsest/jit";
import { describe, expect, test } from "vitest";
import { createSampler } from "../sampler/model-sampler.js";
import { smallConfig } from "../testing/index.js";
import { choosePrecision } from "./chosen-precision.js";
import { initParameters } from "./parameters.js";

const backend = await loadBackend({ threads: 1 });

const small = smallConfig({
  vocabSize: 96,
  hiddenSize: 48,
  heads: 4,
  kvHeads: 2,
  headDim: 12,
  intermediateSize: 96,
  tieWordEmbeddings: true,
});
const large = { ...small, hiddenSize: 480, intermediateSize: 1280, headDim: 120 };
const products = [{ rows: 16, inner: 64, columns: 96 }];

describe("the probe", () => {
  test("its switch simulates a CPU without bfloat16", () => {
    const answer = probePrecision(backend, products, { PALIMPSEST_CPU_BFLOAT16: "off" });
    expect(answer).toEqual({ precision: "float32", reason: "PALIMPSEST_CPU_BFLOAT16 is off" });
    const mistaken = () => probePrecision(backend, products, { PALIMPSEST_CPU_BFLOAT16: "0" });
    expect(mistaken).toThrow(/PALIMPSEST_CPU_BFLOAT16 is 0.*set it to off/);
  });

  test("takes what was faster by its own measure, once for equal shapes", () => {
    const answer = probePrecision(backend, products, {});
    const { float32Ms = 0, bfloat16Ms = 0 } = answer;
    expect(float32Ms).toBeGreaterThan(0);
    expect(bfloat16Ms).toBeGreaterThan(0);
    expect(answer.precision).toBe(float32Ms >= 1.25 * bfloat16Ms ? "bfloat16" : "float32");
    expect(probePrecision(backend, products, {})).toBe(answer);
  });

  test("leaves GPUs and other backends alone", () => {
    expect(probePrecision({ ...backend, gpu: true }, products, {}).precision).toBe("float32");
    expect(probePrecision({ ...backend, name: "wasm" }, products, {}).reason).toContain("wasm");
  });
});

test("a choice by name stands, and nothing is tried for small models and other modes", () => {
  expect(choosePrecision("bfloat16", backend, "auto", small).precision).toBe("bfloat16");
  expect(choosePrecision("auto", backend, "auto", small).reason).toContain("too few");
  expect(choosePrecision("auto", backend, "xla", large).reason).toContain("xla");
});

// Ten layers run as a loop, whose weights are transposed and whose logits are rough.
test.each([
  [2, 3],
  [10, 3],
  [10, 20],
])(
  "sampled log-probs of %i layers in bfloat16 are within 2e-2 of float32's, %i requests",
  async (layers, requests) => {
    const config = { ...small, layers };
    const parameters = initParameters(config, 3);
    const sampled = async (precision: "float32" | "bfloat16") => {
      const sampler = createSampler({
        backend,
        config,
        parameters,
        precision,
        maxBatch: requests,
        singleWeights: "off",
        maxLength: 40,
      });
      const prompts = Array.from(
        { length: requests },
        (_, i) => [[1, 2, 3], [5, 8, 13, 21, 34 + i], [7 + i]][i % 3] ?? [],
      );
      const results = await Promise.all(
        prompts.map((promptTokenIds, seed) =>
          sampler.generate({ promptTokenIds, maxTokens: 24, temperature: 1, stopTokenIds: [], seed }),
        ),
      );
      expect(sampler.precision.precision).toBe(precision);
      await sampler.close();
      return results;
    };
    const [whole, rounded] = [await sampled("float32"), await sampled("bfloat16")];
    let compared = 0;
    whole.forEach((result, i) => {
      const other = rounded[i] as typeof result;
      const differs = result.tokenIds.findIndex((id, t) => id !== other.tokenIds[t]);
      const same = differs === -1 ? result.tokenIds.length : differs;
      for (let t = 0; t < same; t++) {
        const difference = (result.rolloutLogprobs[t] as number) - (other.rolloutLogprobs[t] as number);
        expect(Math.abs(difference)).toBeLessThan(2e-2);
        compared += 1;
      }
    });
    // A draw at the border of two tokens ends the comparison of its request; most come through.
    expect(compared).toBeGreaterThan(24);
  },
);
