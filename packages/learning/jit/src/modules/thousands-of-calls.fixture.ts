import { loadBackend } from "../backend/backend.js";
import { jit } from "./module.js";

/** Calls a function of a graph module 10,000 times and prints by how much the process has grown, in bytes. */
const backend = await loadBackend({ prefer: "tensorflow", threads: 1 });
const { tf } = backend;
const matrix = { shape: [64, 64], dtype: "float32" } as const;
const module = jit({
  backend,
  state: { total: matrix },
  functions: {
    add: {
      inputs: { x: matrix },
      body: ({ total }, { x }) => {
        if (total === undefined || x === undefined) throw new Error("no total or x");
        const next = tf.tanh(tf.add(tf.matMul(total, x), x));
        return { outputs: { next }, state: { total: next } };
      },
    },
  },
});
const x = new Float32Array(64 * 64).fill(0.01);
const callOften = (count: number): number => {
  for (let index = 0; index < count; index += 1) module.call("add", { x });
  globalThis.gc?.();
  return process.memoryUsage.rss();
};
const before = callOften(2000);
const after = callOften(10_000);
process.stdout.write(String(after - before));
module.dispose();
