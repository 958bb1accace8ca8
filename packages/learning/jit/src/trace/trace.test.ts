import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { JitError } from "../base/error.js";
import type { TensorSpec } from "../base/spec.js";
import { nodeBackend } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { scan } from "../ops/scan.js";
import { traceFunction } from "./traced-function.js";

const spec: TensorSpec = { shape: [3], dtype: "float32" };

function trace(body: (x: tf.Tensor) => tf.Tensor): ReturnType<typeof traceFunction> {
  return traceFunction("f", {}, { x: spec }, (_, inputs) => ({ outputs: { y: body(need(inputs["x"])) } }));
}

function codeOf(run: () => unknown): [string, string] {
  try {
    run();
  } catch (error) {
    if (error instanceof JitError) return [error.code, error.message];
    throw error;
  }
  return ["none", ""];
}

describe("a trace", () => {
  let backend: Backend;
  let real: object;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  beforeEach(() => {
    real = nodeBackend().binding;
  });

  test("JIT-TRACE-1: names the operation whose value is read on the host, and the function", () => {
    const [code, message] = codeOf(() => trace((x) => tf.add(x, need(tf.mul(x, 2).dataSync()[0]))));
    expect(code).toBe("HOST_READ_WHILE_TRACING");
    expect(message).toContain("float32[3] computed by Mul");
    expect(message).toContain('function "f"');
  });

  test("JIT-TRACE-1: lets constants be read, which are known", () => {
    const { outputs } = trace((x) => tf.mul(x, need(tf.tensor1d([4, 5, 6]).dataSync()[1])));
    expect(outputs.get("y")).toMatchObject({ shape: [3], dtype: 1 });
  });

  test("names an operation that has no shape inference", () => {
    const [code, message] = codeOf(() => trace((x) => tf.einsum("i,i->", x, x)));
    expect(code).toBe("NO_SHAPE_INFERENCE");
    expect(message).toContain("operation Einsum");
  });

  test("names an operation whose shape would depend on a computed value", () => {
    const [code, message] = codeOf(() => trace(computedShape));
    expect(code).toBe("NO_SHAPE_INFERENCE");
    expect(message).toContain("Fill");
  });

  test("JIT-TRACE-2: takes tensors from outside as constants and leaves them usable", () => {
    const fresh = tf.tensor1d([1, 2, 3]);
    const computed = tf.tidy(() => tf.add(tf.tensor1d([1, 1, 1]), 1));
    const module = jit({
      backend,
      state: {},
      functions: {
        f: {
          inputs: { x: spec },
          body: (_, inputs) => ({ outputs: { y: tf.add(tf.mul(need(inputs["x"]), fresh), computed) } }),
        },
      },
    });
    expect(Array.from(need(module.call("f", { x: Float32Array.of(1, 1, 1) })["y"]))).toEqual([3, 4, 5]);
    expect(Array.from(tf.tidy(() => tf.add(fresh, computed).dataSync()))).toEqual([3, 4, 5]);
    tf.dispose([fresh, computed]);
    module.dispose();
  });

  test("JIT-TRACE-3: refuses a loop body's tensor outside of the body", () => {
    const [code] = codeOf(() =>
      trace((x) => {
        let leaked: tf.Tensor | undefined;
        scan({
          carry: [],
          xs: [x],
          body: (_, [slice]) => {
            leaked = tf.keep(tf.square(need(slice)));
            return { carry: [] };
          },
        });
        return tf.add(x, need(leaked));
      }),
    );
    expect(code).toBe("TENSOR_OUT_OF_SCOPE");
  });

  test("JIT-TRACE-4: leaves the backend as it was, after success and after an error, without tensors of its own", () => {
    const tensors = tf.memory().numTensors;
    trace((x) => tf.square(x));
    expect(nodeBackend().binding).toBe(real);
    codeOf(() => trace((x) => tf.einsum("i,i->", x, x)));
    expect(nodeBackend().binding).toBe(real);
    expect(tf.memory().numTensors).toBe(tensors);
    expect(Array.from(tf.tidy(() => tf.square(3).dataSync()))).toEqual([9]);
  });

  test("refuses to be started inside another", () => {
    expect(codeOf(() => trace(nested))[0]).toBe("INVALID_OPTIONS");
  });

  test("leaves out what no output needs", () => {
    const module = jit({
      backend,
      state: {},
      functions: {
        f: {
          inputs: { x: spec },
          body: (_, inputs) => {
            tf.sin(tf.cos(need(inputs["x"])));
            return { outputs: { y: tf.neg(need(inputs["x"])) } };
          },
        },
      },
    });
    expect(need(module.stats["f"]).operations).toBe(1);
    module.dispose();
  });
});

/** A Fill whose shape is a computed tensor, which tfjs itself never makes. */
function computedShape(x: tf.Tensor): tf.Tensor {
  const node = nodeBackend();
  const ids = node.getInputTensorIds([tf.cast(x, "int32"), tf.scalar(1)]);
  return node.createOutputTensor(need(node.binding.executeOp("Fill", [], ids, 1)[0]));
}

function nested(x: tf.Tensor): tf.Tensor {
  trace((y) => y);
  return x;
}
