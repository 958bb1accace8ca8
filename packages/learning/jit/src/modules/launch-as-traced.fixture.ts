import { loadBackend } from "../backend/backend.js";
import { entry } from "../base/entry.js";
import { jit } from "./module.js";

/** Calls one function of an own state, so that TensorFlow's log says what it did with it. Argument: the mode. */
const backend = await loadBackend({ prefer: "tensorflow", deterministic: true });
const square = { shape: [8, 8], dtype: "float32" } as const;
const module = jit({
  backend,
  mode: process.argv[2] as "xla" | "graph",
  state: { weights: square },
  functions: {
    step: {
      inputs: { x: square },
      body: (state, inputs) => {
        const [weights, x] = [entry(state, "weights"), entry(inputs, "x")];
        const sum = backend.tf.add(weights, backend.tf.add(backend.tf.add(weights, x), backend.tf.square(x)));
        return { outputs: { total: backend.tf.sum(sum) }, state: { weights: sum } };
      },
    },
  },
});
module.writeState({ weights: new Float32Array(64).fill(2) });
process.stdout.write(`total ${module.call("step", { x: new Float32Array(64).fill(1) })["total"]?.[0]}\n`);
process.exit(0);
