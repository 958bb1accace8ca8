import { type Backend, type JitBody, type JitMode, jit, loadBackend, tf } from "@palimpsest/jit";
import { expect, it } from "vitest";
import type { ModelConfig } from "../base/config.js";
import { loraShapes } from "../base/lora.js";
import { initParameters, parameterShapes } from "../base/parameters.js";
import { normalGenerator } from "../base/random.js";
import { smallConfig } from "../testing/index.js";
import { forwardRows } from "./forward.js";
import type { ForwardOptions } from "./forward-options.js";
import { tokenStatistics } from "./token-statistics.js";

const configOf = (architecture: ModelConfig["architecture"], tieWordEmbeddings: boolean): ModelConfig =>
  smallConfig({
    architecture,
    vocabSize: 20,
    layers: 3,
    heads: 4,
    kvHeads: 2,
    tieWordEmbeddings,
    maxPositions: 32,
  });

/** 24 tokens, as two sequences or as two prompts of 4 with two replies of 4 each. */
const TOKENS = 24;
const ids = Int32Array.from({ length: TOKENS }, (_, i) => (i * 7) % 20);
const places = [0, 2, 3, 5, 12, 13, 14, 20];
const targets = places.map((place) => (place * 5) % 20);

type Layout = "plain" | "packed" | "shared";

function optionsOf(layout: Layout): Pick<ForwardOptions, "packing" | "sharing"> {
  const ints = (values: readonly number[], shape: number[]) => tf.tensor([...values], shape, "int32");
  if (layout === "packed") {
    const segments = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3];
    const positions = segments.map((segment, at) => at - segments.indexOf(segment));
    return { packing: { segments: ints(segments, [2, 12]), positions: ints(positions, [2, 12]), count: 3 } };
  }
  if (layout === "plain") return {};
  const promptLengths = ints([4, 3], [2]);
  return { sharing: { prompts: 2, promptLength: 4, replies: 2, replyLength: 4, promptLengths } };
}

type Results = Readonly<Record<string, Float32Array>>;

/** Log-probabilities and gradients in every parameter of a weighted sum of them. */
function run(
  backend: Backend,
  mode: JitMode,
  config: ModelConfig,
  layout: Layout,
  form: {
    readonly activations: "float32" | "bfloat16";
    readonly keep?: "nothing" | "products";
    readonly lora?: boolean;
  },
): Results {
  const adapters = form.lora === true ? loraShapes(config, { rank: 2, targets: ["query", "down"] }) : {};
  const shapes = { ...parameterShapes(config), ...adapters };
  const normal = normalGenerator(5, "biases");
  const values = {
    ...initParameters(config, 3),
    ...Object.fromEntries(
      Object.entries(shapes)
        .filter(([name]) => name.endsWith("Bias") || name.includes("lora"))
        .map(([name, shape]) => [
          name,
          Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 0.3 * normal()),
        ]),
    ),
  };
  const names = Object.keys(shapes);
  const body: JitBody = (state, inputs) => {
    const loss = (...all: tf.Tensor[]): tf.Scalar => {
      const parameters = Object.fromEntries(names.map((name, index) => [name, all[index] as tf.Tensor]));
      const { lora: _, ...rest } = form;
      const options = { ...rest, layers: "scan" as const, loraScale: 0.5, ...optionsOf(layout) };
      const given = inputs["ids"] as tf.Tensor;
      const tokenIds = layout === "shared" ? given : given.reshape([2, TOKENS / 2]);
      const rows = tf.tensor1d(places, "int32");
      const hidden = forwardRows(parameters, tokenIds, rows, config, options);
      const head = parameters[config.tieWordEmbeddings ? "embedding" : "head"] as tf.Tensor;
      const wanted = tf.tensor1d(targets, "int32");
      const { logprobs } = tokenStatistics(hidden, head, wanted, { chunk: 3, keep: form.keep });
      kept = tf.keep(logprobs);
      return logprobs.mul(tf.linspace(-1, 1, places.length)).sum() as tf.Scalar;
    };
    let kept = tf.scalar(0) as tf.Tensor;
    const { grads } = tf.valueAndGrads(loss)(names.map((name) => state[name] as tf.Tensor));
    const outputs = Object.fromEntries(names.map((name, index) => [name, grads[index] as tf.Tensor]));
    return { outputs: { logprobs: kept, ...outputs } };
  };
  const state = Object.fromEntries(
    names.map((name) => [name, { shape: shapes[name] ?? [], dtype: "float32" as const }]),
  );
  const functions = { it: { inputs: { ids: { shape: [TOKENS], dtype: "int32" as const } }, body } };
  const module = jit({ backend, mode, state, functions });
  try {
    module.writeState(values);
    return module.call("it", { ids }) as Record<string, Float32Array>;
  } finally {
    module.dispose();
  }
}

const backend = await loadBackend({ prefer: "tensorflow" });

const distance = (a: Float32Array, b: Float32Array): number => {
  const norm = (x: (index: number) => number): number =>
    Math.sqrt(a.reduce((sum, _, i) => sum + x(i) ** 2, 0));
  return (
    norm((i) => (a[i] as number) - (b[i] as number)) /
    Math.max(
      norm((i) => b[i] as number),
      1e-6,
    )
  );
};

// Eagerly nothing is rounded, so that the two forms have to agree to the last digits.
it.each([
  ["llama", true, "plain", false],
  ["qwen2", true, "packed", false],
  ["qwen3", false, "shared", false],
  ["llama", false, "shared", true],
  ["qwen2", true, "plain", true],
  ["gemma3", true, "packed", false],
] as const)(
  "the form for GPUs computes what the other does: %s, tied %s, %s, adapters %s",
  (architecture, tied, layout, lora) => {
    const config = configOf(architecture, tied);
    const expected = run(backend, "eager", config, layout, { activations: "float32", lora });
    const actual = run(backend, "eager", config, layout, { activations: "bfloat16", lora });
    for (const [name, values] of Object.entries(expected)) {
      expect(distance(actual[name] as Float32Array, values), name).toBeLessThan(2e-5);
    }
  },
);

it.each([
  ["packed", "nothing"],
  ["shared", "products"],
] as const)("in bfloat16 it is within rounding of float32: %s, keeping %s", (layout, keep) => {
  const config = configOf("qwen3", true);
  const expected = run(backend, "graph", config, layout, { activations: "float32" });
  const actual = run(backend, "graph", config, layout, { activations: "bfloat16", keep });
  const { logprobs } = expected;
  actual["logprobs"]?.forEach((value, index) => {
    expect(Math.abs(value - (logprobs?.[index] as number))).toBeLessThan(0.05);
  });
  for (const [name, values] of Object.entries(expected)) {
    expect(distance(actual[name] as Float32Array, values), name).toBeLessThan(0.05);
  }
});

it("is refused to a model whose layers attend differently, and not if its window holds all tokens", () => {
  const window = (size: number) => ({
    ...configOf("qwen3", true),
    slidingWindow: { size, layers: [false, true, true] },
  });
  const passed = run(backend, "eager", window(12), "plain", { activations: "bfloat16" });
  const full = run(backend, "eager", configOf("qwen3", true), "plain", { activations: "bfloat16" });
  expect(passed["logprobs"]).toEqual(full["logprobs"]);
  for (const layout of ["plain", "packed", "shared"] as const)
    expect(() => run(backend, "eager", window(7), layout, { activations: "bfloat16" })).toThrow(
      /CONFIG_INVALID.*slidingWindow of 7 tokens, and the sequences have \d+; set activations to float32/,
    );
});
