import { loadBackend, tf } from "@palimpsest/jit";
import { beforeAll, expect, test } from "vitest";
import { initParameters, parameterShapes } from "../base/parameters.js";
import { smallConfig } from "../testing/index.js";
import { tokenLogprobs } from "./token-logprobs.js";

beforeAll(async () => {
  await loadBackend({ prefer: "cpu" });
});

test.each([1, 2])("a model of %i layer(s) has a gradient in every stacked tensor", (layers) => {
  const config = smallConfig({ hiddenSize: 8, layers, headDim: 4, intermediateSize: 12, maxPositions: 16 });
  const shapes = parameterShapes(config);
  const values = initParameters(config, 1, { projectionStd: 0.2, residualStd: 0.2, headStd: 0.2 });
  const names = Object.keys(values);
  const tensors = names.map((name) => tf.tensor(values[name] as Float32Array, [...(shapes[name] ?? [])]));
  const ids = tf.tensor2d([[1, 5, 2, 7, 3]], [1, 5], "int32");
  const gradients = tf.grads((...parameters: tf.Tensor[]) =>
    tokenLogprobs(
      Object.fromEntries(names.map((name, at) => [name, parameters[at] as tf.Tensor])),
      ids,
      config,
    ).sum(),
  )(tensors);
  names.forEach((name, at) => {
    expect(gradients[at]?.shape, name).toEqual(shapes[name]);
    expect(gradients[at]?.abs().max().dataSync()[0], name).toBeGreaterThan(0);
  });
});
