import { expect, it } from "vitest";
import { loadBackend } from "../backend/backend.js";
import type { tf } from "../base/tf.js";
import { jit } from "./module.js";

it.each(["eager", "graph", "xla"] as const)(
  "a lazy entry is made when a function that uses it is first called, as zeros: mode %s",
  async (mode) => {
    const backend = await loadBackend();
    const { tf: t } = backend;
    // 16 TiB, which no test machine has; mode eager makes its entries with the first call of each.
    const huge =
      mode === "eager" ? {} : { huge: { shape: [2 ** 21, 2 ** 21], dtype: "float32" as const, lazy: true } };
    const module = jit({
      backend,
      mode,
      state: {
        counter: { shape: [3], dtype: "float32" },
        sums: { shape: [3], dtype: "float32", lazy: true },
        ...huge,
      },
      functions: {
        count: {
          inputs: {},
          body: (state) => ({ outputs: {}, state: { counter: t.add(state["counter"] as tf.Tensor, 1) } }),
        },
        sum: {
          inputs: {},
          body: (state) => ({
            outputs: {},
            state: { sums: t.add(state["sums"] as tf.Tensor, state["counter"] as tf.Tensor) },
          }),
        },
      },
    });
    try {
      module.call("count", {});
      module.call("count", {});
      module.call("sum", {});
      module.call("sum", {});
      expect(module.readState(["sums"])["sums"]).toEqual(Float32Array.of(4, 4, 4));
      expect(module.readState(["counter"])["counter"]).toEqual(Float32Array.of(2, 2, 2));
    } finally {
      module.dispose();
    }
  },
);
