import { jit, loadBackend, type Tensors, tf } from "@palimpsest/jit";
import { initParameters, parameterShapes } from "@palimpsest/model";
import { describe, expect, it } from "vitest";
import { type Bucket, placesOf } from "../config/bucket.js";
import { MemoryConfig } from "../config/memory-config.js";
import { estimateMemory } from "../memory/memory-estimate.js";
import { passInputs, tokenPass } from "../state/token-pass.js";
import { tinyConfig, twoLayers } from "./learner.fixture.js";

const shared: Bucket = {
  rows: 8,
  length: 144,
  sharedPrompts: { length: 80, replies: 4 },
  trainedTokens: 16,
};
// Scores of 2 prompts, 2 heads, 80 · 80 places are 100 KiB; those of 8 replies, 2 heads, 64 · 144 places are 576 KiB.
const wholeBytes = 8 * 2 * 64 * 144 * 4;
const boundMb = 0.3;

const shapes = parameterShapes(twoLayers);
const names = Object.keys(shapes);
const values = initParameters(twoLayers, 1, { projectionStd: 0.2, headStd: 0.2 });
const specs = passInputs(shared);

function givenOf(name: string): Int32Array | Float32Array {
  const { shape = [], dtype } = specs[name] ?? {};
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  const entry = (i: number): number => {
    if (name === "logitScales") return 1;
    if (name === "promptLengths") return 80 - 7 * i;
    if (name === "picks") return placesOf(shared) - 1 - 30 * i;
    return (5 * i) % 16;
  };
  const array = Array.from({ length: size }, (_, i) => entry(i));
  return dtype === "int32" ? Int32Array.from(array) : Float32Array.from(array);
}

/** Log-probabilities of a pass, and the gradients of their sum in every weight. */
function pass(
  weights: readonly tf.Tensor[],
  inputs: Tensors,
  options: { readonly layers: "unrolled" | "scan"; readonly scoresMb: number },
): tf.Tensor[] {
  const memory = MemoryConfig.parse(options);
  const logprobsOf = (...tensors: tf.Tensor[]): tf.Tensor =>
    tokenPass(Object.fromEntries(names.map((name, i) => [name, tensors[i] as tf.Tensor])), inputs, {
      ...{ bucket: shared, model: twoLayers, memory, entropy: "none" },
    }).logprobs;
  return [logprobsOf(...weights), ...tf.grads((...all) => logprobsOf(...all).sum())([...weights])];
}

/** The same, and the bytes of the largest tensor that was made on the way. */
async function profiled(layers: "unrolled" | "scan", scoresMb: number) {
  await loadBackend();
  const weights = names.map((name) => tf.tensor(values[name] as Float32Array, [...(shapes[name] ?? [])]));
  const inputs = Object.fromEntries(
    Object.entries(specs).map(([name, { shape, dtype }]) => [
      name,
      tf.tensor(givenOf(name), [...shape], dtype),
    ]),
  );
  let results: Float32Array[] = [];
  const profile = await tf.profile(() => {
    results = pass(weights, inputs, { layers, scoresMb }).map((tensor) => tensor.dataSync() as Float32Array);
    return tf.scalar(0);
  });
  const bytes = profile.kernels.flatMap(({ outputShapes }) =>
    outputShapes.map((shape) => shape.reduce((product, dimension) => product * dimension, 4)),
  );
  return { results, largestBytes: bytes.reduce((most, each) => Math.max(most, each), 0) };
}

function expectNear(actual: readonly Float32Array[], wanted: readonly Float32Array[]): void {
  expect(actual.length).toBe(names.length + 1);
  wanted.forEach((array, at) => {
    const worst = array.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (actual[at]?.[i] ?? 9))),
      0,
    );
    expect(worst).toBeLessThan(1e-4);
  });
}

describe("memory.scoresMb with shared prompts", () => {
  it.each(["unrolled", "scan"] as const)(
    "bounds every tensor of scores, layers %s, and changes no number",
    async (layers) => {
      const whole = await profiled(layers, 64);
      const blocked = await profiled(layers, boundMb);
      expect(whole.largestBytes).toBe(wholeBytes);
      expect(blocked.largestBytes).toBeLessThanOrEqual(boundMb * 2 ** 20);
      expectNear(blocked.results, whole.results);
    },
  );

  it("changes no number where layers are a loop of a graph, either", async () => {
    const backend = await loadBackend();
    const state = Object.fromEntries(
      names.map((name) => [name, { shape: shapes[name] ?? [], dtype: "float32" as const }]),
    );
    const module = jit({
      ...{ backend, mode: "graph", state },
      functions: {
        pass: {
          inputs: specs,
          body: (weights, inputs) => {
            const tensors = names.map((name) => weights[name] as tf.Tensor);
            const results = pass(tensors, inputs, { layers: "scan", scoresMb: boundMb });
            return { outputs: Object.fromEntries(results.map((result, i) => [String(i), result])) };
          },
        },
      },
    });
    module.writeState(Object.fromEntries(names.map((name) => [name, values[name] as Float32Array])));
    const outputs = module.call(
      "pass",
      Object.fromEntries(Object.keys(specs).map((name) => [name, givenOf(name)])),
    );
    module.dispose();
    const { results } = await profiled("unrolled", 64);
    expectNear(
      results.map((_, i) => outputs[String(i)] as Float32Array),
      results,
    );
  });

  it("is what the estimate of a step counts", () => {
    const stepBytes = (scoresMb: number) =>
      estimateMemory(twoLayers, tinyConfig({ buckets: [shared], memory: { layers: "scan", scoresMb } }))
        .stepBytes;
    expect(stepBytes(64) - stepBytes(boundMb)).toBeGreaterThan(4 * (wholeBytes - boundMb * 2 ** 20));
  });
});
