import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { nodeBackend } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import type { JitMode, JitModule } from "../modules/jit-module.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { expectClose } from "../testing/compare.js";
import type { JitBody, Tensors } from "../trace/jit-function.js";
import { adam } from "./adam.js";
import { scan } from "./scan.js";

const SCALARS = ["gradientScale", "decay", "stepSize", "rootCorrection"] as const;
const inputs = Object.fromEntries(SCALARS.map((name) => [name, { shape: [], dtype: "float32" as const }]));
const constants = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8 };

function stepOf(state: Tensors, given: Tensors, key: string) {
  const entry = (kind: string) => need(state[`${kind}${key}`]);
  const scalars = Object.fromEntries(SCALARS.map((name) => [name, need(given[name])])) as Record<
    (typeof SCALARS)[number],
    tf.Tensor
  >;
  const { weights, moment1, moment2 } = adam({
    weights: entry("w"),
    moment1: entry("m"),
    moment2: entry("v"),
    gradient: entry("g"),
    ...scalars,
    ...constants,
  });
  return { [`w${key}`]: weights, [`m${key}`]: moment1, [`v${key}`]: moment2 };
}

/** Two entries, one big enough to be updated in sequence; the gradient is zeroed as a learner does. */
const sizes: Readonly<Record<string, number>> = { a: 7, b: 2 ** 18 };
const state = Object.fromEntries(
  Object.entries(sizes).flatMap(([key, size]) =>
    ["w", "m", "v", "g"].map((kind) => [`${kind}${key}`, { shape: [size], dtype: "float32" as const }]),
  ),
);

const apply: JitBody = (tensors, given) => ({
  outputs: { before: tf.sum(need(tensors["wa"])) },
  state: {
    ...stepOf(tensors, given, "a"),
    ...stepOf(tensors, given, "b"),
    ga: tf.zerosLike(need(tensors["ga"])),
    gb: tf.zerosLike(need(tensors["gb"])),
  },
});

/** The results are also used: as an output, and by another entry. */
const reused: JitBody = (tensors, given) => {
  const next = stepOf(tensors, given, "a");
  return {
    outputs: { moved: tf.sub(need(next["wa"]), need(tensors["wa"])) },
    state: { ...next, ga: need(tensors["wa"]) },
  };
};

/** Not over variables: in a loop, and to other entries. */
const elsewhere: JitBody = (tensors, given) => {
  const { carry } = scan({
    carry: ["wa", "ma", "va"].map((name) => need(tensors[name])),
    xs: [tf.zeros([3])],
    body: ([w, m, v]) => {
      const next = stepOf({ ...tensors, wa: need(w), ma: need(m), va: need(v) }, given, "a");
      return { carry: [need(next["wa"]), need(next["ma"]), need(next["va"])] };
    },
  });
  return { outputs: { w: need(carry[0]) }, state: { ma: need(carry[2]) } };
};

function run(backend: Backend, mode: JitMode): Record<string, ArrayLike<number>>[] {
  const scalarsAt = (t: number) => ({
    gradientScale: Float32Array.of(0.5),
    decay: Float32Array.of(0.999),
    stepSize: Float32Array.of(1e-2 / (1 - 0.9 ** t)),
    rootCorrection: Float32Array.of(1 / Math.sqrt(1 - 0.95 ** t)),
  });
  const functions = {
    apply: { inputs, body: apply },
    reused: { inputs, body: reused },
    elsewhere: { inputs, body: elsewhere },
  };
  const module: JitModule = jit({ backend, state, functions, mode });
  const gradients = (t: number) =>
    Object.fromEntries(
      Object.entries(sizes).map(([key, size]) => [
        `g${key}`,
        Float32Array.from({ length: size }, (_, i) => Math.sin(i * 0.7 + t)),
      ]),
    );
  for (const [key, size] of Object.entries(sizes))
    module.writeState({ [`w${key}`]: Float32Array.from({ length: size }, (_, i) => Math.cos(i)) });
  const seen: Record<string, ArrayLike<number>>[] = [];
  for (let t = 1; t <= 3; t += 1) {
    module.writeState(gradients(t));
    seen.push(module.call("apply", scalarsAt(t)), module.readState());
  }
  module.writeState(gradients(4));
  seen.push(module.call("reused", scalarsAt(4)), module.readState(), module.call("elsewhere", scalarsAt(5)));
  seen.push(module.readState());
  module.dispose();
  return seen;
}

describe("a step of Adam", () => {
  let backend: Backend;
  let expected: Record<string, ArrayLike<number>>[];

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
    expected = run(backend, "eager");
  });

  test.each(["graph", "xla"] as const)(
    "gives in mode %s what it gives eagerly, over variables and elsewhere (JIT-ADAM-1)",
    (mode) => {
      const actual = run(backend, mode);
      expected.forEach((values, index) => {
        expect(Object.keys(need(actual[index]))).toEqual(Object.keys(values));
        for (const [name, array] of Object.entries(values))
          expectClose(need(actual[index]?.[name]) as Float32Array, array as Float32Array, 2e-6, 2e-6);
      });
    },
  );

  test("leaves no tensors behind", () => {
    const before = nodeBackend().binding.getNumOfTensors();
    run(backend, "graph");
    expect(nodeBackend().binding.getNumOfTensors()).toBe(before);
  });

  test("refuses tensors of different shapes", () => {
    const vector = tf.zeros([2]);
    const options = { weights: vector, moment1: vector, moment2: vector, gradient: tf.zeros([3]) };
    const one = tf.scalar(1);
    const scalars = { gradientScale: one, stepSize: one, rootCorrection: one };
    expect(() => adam({ ...options, ...scalars, ...constants })).toThrow(
      expect.objectContaining({ code: "SHAPE_MISMATCH" }),
    );
    tf.dispose([vector, options.gradient, one]);
  });
});
