import { type Backend, type JitBody, jit, loadBackend, pickLogprob } from "@palimpsest/jit";
import type * as tf from "@tensorflow/tfjs";
import { grads } from "@tensorflow/tfjs";
import { beforeAll, describe, expect, it } from "vitest";
import { type ModelConfig, parseModelConfig } from "./config.js";
import { forwardHidden } from "./forward.js";
import { forwardHiddenLooped, hiddenGradients } from "./layer-loop.js";
import { initParameters, parameterShapes } from "./parameters.js";

let backend: Backend;
beforeAll(async () => {
  backend = await loadBackend();
});

const rows = 2;
const length = 9;
const ids = Int32Array.from({ length: rows * length }, (_, i) => (i * 7) % 20);

/** Runs a body over a model's weights as state, and gives its outputs. */
function run(config: ModelConfig, mode: "auto" | "eager", body: JitBody) {
  const state = Object.fromEntries(
    Object.entries(parameterShapes(config)).map(([name, shape]) => [
      name,
      { shape, dtype: "float32" as const },
    ]),
  );
  const inputs = { ids: { shape: [rows, length], dtype: "int32" as const } };
  const module = jit({ backend, mode, state, functions: { it: { inputs, body } } });
  try {
    module.writeState(initParameters(config, 5, { projectionStd: 0.2, residualStd: 0.2 }));
    return module.call("it", { ids });
  } finally {
    module.dispose();
  }
}

/** Mean log-probability of each position's own token: uses every weight. */
function lossOf(config: ModelConfig, tokens: tf.Tensor) {
  return (hidden: tf.Tensor, head: tf.Tensor): tf.Tensor => {
    const logits = hidden.reshape([rows * length, config.hiddenSize]).matMul(head, false, true);
    return pickLogprob(logits, tokens.reshape([rows * length])).mean();
  };
}

describe.each(["auto", "eager"] as const)("layers as a loop (mode %s)", (mode) => {
  it.each([
    ["llama", true],
    ["qwen2", false],
    ["qwen3", false],
  ] as const)(
    "give the hidden states and gradients of the unrolled %s",
    (architecture, tieWordEmbeddings) => {
      const config = parseModelConfig({
        architecture,
        vocabSize: 20,
        hiddenSize: 8,
        layers: 7,
        heads: 4,
        kvHeads: 2,
        headDim: 4,
        intermediateSize: 12,
        tieWordEmbeddings,
        maxPositions: 16,
      });
      const names = Object.keys(parameterShapes(config));
      const head = tieWordEmbeddings ? "embedding" : "head";
      const looped = run(config, mode, (state, inputs) => {
        const tokens = inputs["ids"] as tf.Tensor;
        const { value, gradients } = hiddenGradients(state, tokens, config, lossOf(config, tokens));
        return { outputs: { value, hidden: forwardHiddenLooped(state, tokens, config), ...gradients } };
      });
      const unrolled = run(config, mode, (state, inputs) => {
        const tokens = inputs["ids"] as tf.Tensor;
        const hidden = (weights: Readonly<Record<string, tf.Tensor>>) =>
          forwardHidden(weights, tokens, config);
        const loss = (weights: Readonly<Record<string, tf.Tensor>>) =>
          lossOf(config, tokens)(hidden(weights), weights[head] as tf.Tensor);
        const named = (tensors: readonly tf.Tensor[]) =>
          Object.fromEntries(names.map((name, i) => [name, tensors[i] as tf.Tensor]));
        const gradients = grads((...tensors) => loss(named(tensors as tf.Tensor[])))(
          names.map((name) => state[name] as tf.Tensor),
        );
        return { outputs: { value: loss(state), hidden: hidden(state), ...named(gradients) } };
      });
      expect(Object.keys(looped).toSorted()).toEqual(Object.keys(unrolled).toSorted());
      for (const [name, expected] of Object.entries(unrolled)) {
        const actual = looped[name] ?? [];
        const largest = Math.max(...Array.from(expected, Math.abs));
        const worst = Math.max(
          ...Array.from(expected, (value, i) => Math.abs(value - (actual[i] as number))),
        );
        expect(worst / largest, name).toBeLessThan(2e-5);
        expect(largest, name).toBeGreaterThan(1e-5);
      }
    },
  );
});
