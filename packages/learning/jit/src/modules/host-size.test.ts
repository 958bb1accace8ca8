import { beforeAll, describe, expect, it } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import type { TensorSpec } from "../base/spec.js";
import type { JitFunction } from "../trace/jit-function.js";
import { jit } from "./module.js";

/** More values than an array has, in dimensions that TensorFlow takes. Nothing here allocates them. */
const huge: TensorSpec = { shape: [2 ** 16, 2 ** 16 + 1], dtype: "bool" };
const small: TensorSpec = { shape: [2], dtype: "float32" };
const keep: JitFunction = { inputs: {}, body: () => ({ outputs: {} }) };
const tooLarge = (label: string) =>
  expect.objectContaining({
    code: "INVALID_OPTIONS",
    message: expect.stringMatching(
      new RegExp(`${label} has shape \\[65536, 65537\\] \\(4295032832 values\\).*at most 4294967296; split`),
    ) as string,
  });

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(["graph", "eager"] as const)(
  "tensors that no array on the host can hold, in mode %s",
  (mode) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await loadBackend({ prefer: "tensorflow" });
    });

    it("are refused as inputs when the function is declared", () => {
      const functions = { f: { ...keep, inputs: { x: huge } } };
      expect(thrownBy(() => jit({ backend, state: { w: small }, functions, mode }))).toEqual(
        tooLarge('input "x" of function "f"'),
      );
    });

    it("are refused where a dimension is more than TensorFlow's int32", () => {
      const state = { w: { shape: [2 ** 31], dtype: "bool" as const } };
      expect(() => jit({ backend, state, functions: { keep }, mode })).toThrow(
        /INVALID_OPTIONS.*state "w" has shape \[2147483648\]; .*from 0 to 2147483647/,
      );
    });

    it("are refused as state where they would have to be on the host", () => {
      const make = () => jit({ backend, state: { w: huge, v: small }, functions: { keep }, mode });
      if (mode === "eager") expect(thrownBy(make)).toEqual(tooLarge('state "w"'));
      else {
        const module = make();
        expect(thrownBy(() => module.readState())).toEqual(tooLarge('state "w"'));
        expect(thrownBy(() => module.writeState({ w: new Uint8Array(1) }))).toEqual(tooLarge('state "w"'));
        module.dispose();
      }
    });
  },
);

describe("an output of a graph that no array on the host can hold", () => {
  it("is refused when the graph is made, before it is computed", async () => {
    const backend = await loadBackend({ prefer: "tensorflow" });
    const show: JitFunction = { inputs: {}, body: ({ w }) => ({ outputs: w ? { w } : {} }) };
    const make = () => jit({ backend, state: { w: huge }, functions: { show }, mode: "graph" });
    expect(thrownBy(make)).toEqual(tooLarge('output "w" of function "show"'));
  });
});
