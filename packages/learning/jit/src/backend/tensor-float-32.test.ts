import { describe, expect, it } from "vitest";
import { jit } from "../modules/module.js";
import { loadBackend } from "./backend.js";
import { roundsToTensorFloat32 } from "./tensor-float-32.js";

describe("TF32", () => {
  it.each([
    [undefined, [9], true],
    ["1", [8.6], true],
    ["0", [9], false],
    ["0", [], false],
    [undefined, [7.5], false],
    [undefined, [7.5, 8], true],
    [undefined, [], true],
  ])(
    "with NVIDIA_TF32_OVERRIDE %s on GPUs of compute capability %j: %s",
    (override, capabilities, expected) => {
      expect(roundsToTensorFloat32(override, capabilities)).toBe(expected);
    },
  );

  it("is what a module of a backend with it says it computes in, and no other does", async () => {
    const backend = await loadBackend();
    expect(backend.tensorFloat32).toBe(false);
    const said = (rounds: boolean, options: object) => {
      const module = jit({
        ...{ backend: { ...backend, tensorFloat32: rounds }, functions: {} },
        state: { weights: { shape: [1], dtype: "float32" } },
        ...options,
      });
      module.dispose();
      return module.precision;
    };
    for (const mode of ["eager", "graph", "xla"]) {
      expect(said(false, { mode })).toBe("float32");
      expect(said(true, { mode })).toBe("tf32");
    }
    for (const mode of ["graph", "xla"]) expect(said(true, { mode, precision: "bfloat16" })).toBe("bfloat16");
    expect(said(true, { mode: "eager", precision: "bfloat16" })).toBe("tf32");
  });
});
