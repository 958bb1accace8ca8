import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { type HostArray, sizeOf, type TensorSpec } from "../base/spec.js";
import { tf } from "../base/tf.js";
import { pickLogprob } from "../ops/pick-logprob.js";
import { floats } from "../testing/case.js";
import { expectClose } from "../testing/compare.js";
import type { HostArrays, JitFunction, Tensors } from "../trace/jit-function.js";
import type { JitMode, JitModule } from "./jit-module.js";
import { jit } from "./module.js";
import { need } from "./need.fixture.js";

const [BATCH, LENGTH, WIDTH, HEADS, VOCAB] = [2, 6, 8, 2, 11];
const HEAD = WIDTH / HEADS;
const ROWS = BATCH * LENGTH;

const shapes: Readonly<Record<string, readonly number[]>> = {
  embedding: [VOCAB, WIDTH],
  norm: [WIDTH],
  query: [WIDTH, WIDTH],
  key: [WIDTH, WIDTH],
  value: [WIDTH, WIDTH],
  output: [WIDTH, WIDTH],
};

/** Next-token loss of one attention block with tied embeddings. */
function lossOf(weights: Tensors, ids: tf.Tensor, targets: tf.Tensor): tf.Scalar {
  const w = (name: string): tf.Tensor => need(weights[name]);
  const x = tf.gather(w("embedding"), ids.flatten());
  const normed = x.mul(x.square().mean(-1, true).add(1e-6).rsqrt()).mul(w("norm"));
  const split = (name: string): tf.Tensor =>
    normed.matMul(w(name)).reshape([BATCH, LENGTH, HEADS, HEAD]).transpose([0, 2, 1, 3]);
  const positions = tf.range(0, LENGTH, 1, "int32");
  const later = positions.reshape([1, LENGTH]).greater(positions.reshape([LENGTH, 1]));
  const scores = tf.matMul(split("query"), split("key"), false, true).mul(HEAD ** -0.5);
  const mixed = scores.add(later.toFloat().mul(-1e9)).softmax(-1).matMul(split("value"));
  const joined = mixed.transpose([0, 2, 1, 3]).reshape([ROWS, WIDTH]).matMul(w("output"));
  return pickLogprob(x.add(joined).matMul(w("embedding"), false, true), targets.flatten())
    .mean()
    .neg() as tf.Scalar;
}

const inputs = {
  ids: { shape: [BATCH, LENGTH], dtype: "int32" },
  targets: { shape: [BATCH, LENGTH], dtype: "int32" },
} as const;

const names = Object.keys(shapes);

const loss: JitFunction = {
  inputs,
  body: (state, i) => ({ outputs: { loss: lossOf(state, need(i["ids"]), need(i["targets"])) } }),
};

const gradients: JitFunction = {
  inputs,
  body: (state, i) => {
    const f = (...values: tf.Tensor[]) =>
      lossOf(
        Object.fromEntries(values.map((value, index) => [need(names[index]), value])),
        need(i["ids"]),
        need(i["targets"]),
      );
    const grads = tf.grads(f)(names.map((name) => need(state[name])));
    return { outputs: Object.fromEntries(grads.map((grad, index) => [need(names[index]), grad])) };
  },
};

/** AdamW, bias corrections from a step count in the state. */
const update: JitFunction = {
  inputs,
  body: (state, i) => {
    const slopes = gradients.body(state, i).outputs;
    const step = need(state["step"]).add(tf.scalar(1, "int32"));
    const correction = (rate: number): tf.Tensor => tf.scalar(1).sub(tf.pow(tf.scalar(rate), step.toFloat()));
    const next: Record<string, tf.Tensor> = { step };
    for (const name of names) {
      const [weight, slope] = [need(state[name]), need(slopes[name])];
      const first = need(state[`m.${name}`]).mul(0.9).add(slope.mul(0.1));
      const second = need(state[`v.${name}`]).mul(0.95).add(slope.square().mul(0.05));
      const scaled = first.div(correction(0.9)).div(second.div(correction(0.95)).sqrt().add(1e-8));
      next[`m.${name}`] = first;
      next[`v.${name}`] = second;
      next[name] = weight.sub(scaled.add(weight.mul(0.1)).mul(0.01));
    }
    return { outputs: {}, state: next };
  },
};

const state: Record<string, TensorSpec> = { step: { shape: [], dtype: "int32" } };
for (const [name, shape] of Object.entries(shapes)) {
  for (const prefix of ["", "m.", "v."]) state[`${prefix}${name}`] = { shape, dtype: "float32" };
}

const weights: Record<string, HostArray> = Object.fromEntries(
  Object.entries(shapes).map(([name, shape]) => [name, floats(shape, -0.5, 0.5).values]),
);

const batch: HostArrays = {
  ids: Int32Array.from({ length: ROWS }, (_, index) => (index * 5 + 2) % VOCAB),
  targets: Int32Array.from({ length: ROWS }, (_, index) => (index * 3 + 1) % VOCAB),
};

function build(backend: Backend, mode: JitMode): JitModule {
  const module = jit({ backend, state, functions: { loss, gradients, update }, mode });
  module.writeState(weights);
  return module;
}

describe("a training step of an attention block", () => {
  let reference: { readonly slopes: HostArrays; readonly after: HostArrays };

  beforeAll(async () => {
    const module = build(await loadBackend({ prefer: "tensorflow" }), "eager");
    const slopes = module.call("gradients", batch);
    for (let step = 0; step < 3; step += 1) module.call("update", batch);
    reference = { slopes, after: module.readState() };
    module.dispose();
  });

  test("has the gradients that finite differences give", async () => {
    const module = build(await loadBackend({ prefer: "tensorflow" }), "graph");
    const lossAt = (name: string, index: number, change: number): number => {
      const moved = need(weights[name]).slice();
      moved[index] = need(moved[index]) + change;
      module.writeState({ [name]: moved });
      const value = need(need(module.call("loss", batch)["loss"])[0]);
      module.writeState({ [name]: need(weights[name]) });
      return value;
    };
    const slopes = module.call("gradients", batch);
    for (const name of names) {
      for (const index of [0, Math.floor(sizeOf(need(shapes[name])) / 2)]) {
        const slope = (lossAt(name, index, 1e-2) - lossAt(name, index, -1e-2)) / 2e-2;
        expect(Math.abs(need(need(slopes[name])[index]) - slope)).toBeLessThan(1e-3);
      }
    }
    module.dispose();
  });

  test.each([
    ["tensorflow", "graph", 1e-6],
    ["tensorflow", "xla", 1e-5],
    ["wasm", "eager", 1e-4],
  ] as const)("is the eager one's on %s in mode %s", async (prefer, mode, tolerance) => {
    const module = build(await loadBackend({ prefer }), mode);
    const slopes = module.call("gradients", batch);
    for (const [name, values] of Object.entries(reference.slopes)) {
      expectClose(need(slopes[name]), values, tolerance, tolerance);
    }
    const before = need(need(module.call("loss", batch)["loss"])[0]);
    for (let step = 0; step < 3; step += 1) module.call("update", batch);
    const after = module.readState();
    for (const [name, values] of Object.entries(reference.after)) {
      expectClose(need(after[name]), values, 10 * tolerance, 10 * tolerance);
    }
    expect(need(need(module.call("loss", batch)["loss"])[0])).toBeLessThan(before);
    module.dispose();
  });
});
