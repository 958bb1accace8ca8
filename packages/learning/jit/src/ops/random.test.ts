import { beforeAll, describe, expect, test } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { philoxUniform } from "../base/philox.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { randomUniform } from "./random.js";
import { scan } from "./scan.js";

const SHAPE = [7, 11];
const seeds = [
  [0, 0],
  [7, -9],
  [2 ** 31 - 1, -(2 ** 31)],
] as const;

const functions = {
  draw: {
    inputs: { seed: { shape: [2], dtype: "int32" } },
    body: (_: unknown, inputs: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: { u: randomUniform(SHAPE, need(inputs["seed"])) },
    }),
  },
} as const;

describe.each([
  ["tensorflow", "graph"],
  ["tensorflow", "xla"],
  ["tensorflow", "eager"],
  ["wasm", "eager"],
  ["cpu", "eager"],
] as const)("randomUniform on %s in mode %s", (prefer, mode) => {
  test.each(seeds)("gives the same numbers as everywhere for seed %i, %i", async (...seed) => {
    const backend = await loadBackend({ prefer });
    const module = jit({ backend, state: {}, functions, mode });
    const { u } = module.call("draw", { seed: Int32Array.from(seed) });
    expect(u).toEqual(philoxUniform(77, ...seed));
    module.dispose();
  });
});

describe("randomUniform", () => {
  beforeAll(async () => {
    await loadBackend({ prefer: "tensorflow" });
  });

  test("is uniform on [0, 1) and differs from seed to seed", () => {
    const values = philoxUniform(100_000, 3, 4);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const square = values.reduce((sum, value) => sum + value * value, 0) / values.length;
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(0.005);
    expect(Math.abs(square - 1 / 3)).toBeLessThan(0.005);
    expect(Math.min(...values.subarray(0, 1000))).toBeGreaterThanOrEqual(0);
    expect(values.every((value) => value < 1)).toBe(true);
    expect(philoxUniform(8, 3, 5)).not.toEqual(values.slice(0, 8));
    expect(philoxUniform(8, 4, 4)).not.toEqual(values.slice(0, 8));
  });

  test("refuses a seed that is not two int32", () => {
    expect(() => randomUniform([2], tf.zeros([3], "int32"))).toThrow(
      expect.objectContaining({ code: "SHAPE_MISMATCH" }),
    );
    expect(() => randomUniform([2], tf.zeros([2]))).toThrow(
      expect.objectContaining({ code: "DTYPE_MISMATCH" }),
    );
  });

  test.each(["graph", "xla"] as const)("gives the same numbers inside a scan in mode %s", async (mode) => {
    const backend = await loadBackend({ prefer: "tensorflow" });
    const looped = {
      f: {
        inputs: { seeds: { shape: [3, 2], dtype: "int32" } },
        body: (_: unknown, inputs: Readonly<Record<string, tf.Tensor>>) => {
          const { ys } = scan({
            carry: [],
            xs: [need(inputs["seeds"])],
            body: (_carry, [seed]) => ({ carry: [], ys: [randomUniform([4], need(seed))] }),
          });
          return { outputs: { u: need(ys[0]) } };
        },
      },
    } as const;
    const module = jit({ backend, state: {}, functions: looped, mode });
    const { u } = module.call("f", { seeds: Int32Array.of(1, 2, 3, -4, 5, 6) });
    expect(need(u).subarray(4, 8)).toEqual(philoxUniform(4, 3, -4));
    module.dispose();
  });
});
