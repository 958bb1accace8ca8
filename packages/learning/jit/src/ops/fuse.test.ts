import type * as tf from "@tensorflow/tfjs-core";
import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { buildProgram } from "../emit/program.js";
import { jit } from "../modules/module.js";
import { expectClose } from "../testing/compare.js";
import type { JitBody } from "../trace/jit-function.js";
import { traceFunction } from "../trace/traced-function.js";
import { fuse } from "./fuse.js";

const body: JitBody = (_, { x }) => {
  const given = x as tf.Tensor;
  const [gated, doubled] = fuse(() => [given.mul(given.sigmoid()), given.mul(2)] as const);
  return { outputs: { gated, doubled, sum: gated.sum() } };
};

/** Names of XLA's scopes in the graph of `body` on so many values. */
function scopesOf(size: number): string[] {
  const traced = traceFunction("it", {}, { x: { shape: [size], dtype: "float32" } }, body);
  const { nodes } = buildProgram({}, [traced], { xla: false, gpu: false, halfProducts: false });
  return nodes.flatMap(({ op, attr }) => (attr["_XlaScope"] === undefined ? [] : [op]));
}

describe("fused operations", () => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  test("have the values of the eager ones", () => {
    const size = 2 ** 20;
    const functions = { it: { inputs: { x: { shape: [size], dtype: "float32" as const } }, body } };
    const x = Float32Array.from({ length: size }, (_, i) => Math.sin(i) * 8);
    const [graph, eager] = (["graph", "eager"] as const).map((mode) => {
      const module = jit({ backend, state: {}, functions, mode });
      const result = module.call("it", { x });
      module.dispose();
      return result;
    });
    for (const name of ["gated", "doubled", "sum"])
      expectClose(graph?.[name] ?? new Float32Array(), eager?.[name] ?? new Float32Array(), 1e-5, 1e-6);
  });

  test("are compiled together where they are large, and what stands outside is not", () => {
    expect(scopesOf(2 ** 20).toSorted()).toEqual(["Mul", "Mul", "Sigmoid"]);
    expect(scopesOf(2 ** 20 - 1)).toEqual([]);
  });
});
