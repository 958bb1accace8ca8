import { describe, expect, it } from "vitest";
import { aConfig } from "../files/model.fixture.js";
import { findNotFinite, hashWeights, initParameters, parameterShapes } from "./parameters.js";

describe("random weights", () => {
  it("depend on the seed and on nothing else", () => {
    expect(hashWeights(initParameters(aConfig(), 7))).toBe(hashWeights(initParameters(aConfig(), 7)));
    expect(hashWeights(initParameters(aConfig(), 7))).not.toBe(hashWeights(initParameters(aConfig(), 8)));
    const [shallow, deep] = [initParameters(aConfig(), 7), initParameters(aConfig({ vocabSize: 24 }), 7)];
    expect(shallow["layers.up"]).toEqual(deep["layers.up"]);
  });

  it("have the standard deviations of the scheme", () => {
    const config = aConfig({ vocabSize: 2000, intermediateSize: 1000 });
    const parameters = initParameters(config, 7);
    const std = (name: string) => {
      const values = parameters[name] as Float32Array;
      return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    };
    expect(std("embedding")).toBeCloseTo(1, 1);
    expect(std("head")).toBeCloseTo(0.02, 3);
    expect(std("layers.down")).toBeCloseTo(0.01, 3);
    expect(std("finalNorm")).toBe(1);
  });

  it("change their hash with any bit, name or length", () => {
    const values = (...numbers: number[]) => new Float32Array(numbers);
    const hashes = [
      hashWeights({ a: values(1, 2) }),
      hashWeights({ a: values(1, 2.0000002) }),
      hashWeights({ b: values(1, 2) }),
      hashWeights({ a: values(1), b: values(2) }),
    ];
    expect(new Set(hashes).size).toBe(4);
    expect(hashWeights({ b: values(2), a: values(1) })).toBe(hashes[3]);
  });

  it("fill every parameter of each architecture", () => {
    for (const architecture of ["llama", "qwen2", "qwen3"] as const) {
      const config = aConfig({ architecture });
      expect(Object.keys(initParameters(config, 1))).toEqual(Object.keys(parameterShapes(config)));
    }
  });
});

describe("the first number that is not finite", () => {
  it("is found at any place of any length, and nothing where all are finite", () => {
    for (let length = 0; length <= 5; length++) {
      const values = new Float32Array(length).fill(-3e38);
      if (length > 0) values[length - 1] = -0;
      expect(findNotFinite(values)).toBeUndefined();
      for (let at = 0; at < length; at++)
        for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
          const spoiled = values.slice();
          // One behind it of the other sign must not make up for it.
          spoiled.fill(-bad, at);
          spoiled[at] = bad;
          expect(findNotFinite(spoiled)).toBe(at);
        }
    }
  });
});
