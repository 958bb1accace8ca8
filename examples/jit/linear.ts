// Solves least squares by gradient descent: two functions share weights, are traced once and run as graphs.
//   npx tsx examples/jit/linear.ts [graph|xla|eager]
import { jit, loadBackend, scan, type Tensors } from "@palimpsest/jit";

type Tensor = Tensors[string];

const batches = 4;
const rows = 64;
const columns = 3;
const truth = Float32Array.of(2, -1, 0.5);

/** Asserts that a tensor is there: it is undefined where a body names a tensor that is not declared. */
function given(tensor: Tensor | undefined): Tensor {
  if (tensor === undefined) throw new Error("a body asked for a tensor that is not declared");
  return tensor;
}

const mode = (["graph", "xla", "eager"] as const).find((name) => name === process.argv[2]) ?? "auto";
const backend = await loadBackend({ threads: 1 });
const { tf } = backend;

const linear = jit({
  backend,
  mode,
  state: { weights: { shape: [columns, 1], dtype: "float32" } },
  functions: {
    predict: {
      inputs: { x: { shape: [rows, columns], dtype: "float32" } },
      body: (state, inputs) => ({ outputs: { y: tf.matMul(given(inputs["x"]), given(state["weights"])) } }),
    },
    // Makes one pass over all batches. The loop is part of the graph, so the weights stay in it.
    train: {
      inputs: {
        x: { shape: [batches, rows, columns], dtype: "float32" },
        y: { shape: [batches, rows, 1], dtype: "float32" },
        rate: { shape: [], dtype: "float32" },
      },
      body: (state, inputs) => {
        const rate = given(inputs["rate"]);
        const { carry, ys } = scan({
          carry: [given(state["weights"])],
          xs: [given(inputs["x"]), given(inputs["y"])],
          body: ([weights], [x, y]) => {
            const loss = (w: Tensor) => tf.mean(tf.squaredDifference(tf.matMul(given(x), w), given(y)));
            const { value, grad } = tf.valueAndGrad(loss)(given(weights));
            return { carry: [tf.sub(given(weights), tf.mul(rate, grad))], ys: [value] };
          },
        });
        return { outputs: { loss: tf.mean(given(ys[0])) }, state: { weights: given(carry[0]) } };
      },
    },
  },
});

// The columns are linearly independent.
const x = Float32Array.from({ length: batches * rows * columns }, (_, place) => Math.sin(place * place));
const y = Float32Array.from({ length: batches * rows }, (_, row) =>
  truth.reduce((sum, weight, column) => sum + weight * (x[row * columns + column] ?? 0), 0),
);

for (let pass = 1; pass <= 20; pass++) {
  const { loss } = linear.call("train", { x, y, rate: Float32Array.of(0.1) });
  if (pass % 5 === 0) process.stdout.write(`pass ${pass}: loss ${loss?.[0]?.toExponential(1)}\n`);
}
const { weights = [] } = linear.readState(["weights"]);
const { y: first = [] } = linear.call("predict", { x: x.subarray(0, rows * columns) });
const { operations, traceMs = 0, loadMs = 0, calls, totalMs = 0 } = linear.stats["train"] ?? {};
process.stdout.write(
  [
    `weights ${Array.from(weights, (weight) => weight.toFixed(3)).join(", ")}`,
    `first prediction ${first[0]?.toFixed(4)}, asked for ${y[0]?.toFixed(4)}`,
    `${linear.mode} on ${backend.name}: ${operations} operations, traced in ${traceMs.toFixed(0)} ms, loaded in ${loadMs.toFixed(0)} ms, ${calls} calls in ${totalMs.toFixed(0)} ms`,
    "",
  ].join("\n"),
);
linear.dispose();
