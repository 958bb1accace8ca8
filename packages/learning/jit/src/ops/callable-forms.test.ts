import { describe, expect, test } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import type { JitFunction } from "../trace/jit-function.js";
import { callable } from "./callable.js";
import { scan } from "./scan.js";

const backend = await loadBackend({ prefer: "tensorflow" });

const x = Float32Array.of(0.1, -0.2, 0.3, 0.7);
const inputs: JitFunction["inputs"] = { x: { shape: [2, 2], dtype: "float32" } };

type Body = (x: tf.Tensor) => Record<string, tf.Tensor>;

function outputsOf(mode: "eager" | "xla", body: Body) {
  const f: JitFunction = { inputs, body: (_, { x }) => ({ outputs: body(x as tf.Tensor) }) };
  const module = jit({ backend, mode, state: {}, functions: { f } });
  const outputs = module.call("f", { x });
  module.dispose();
  return outputs;
}

const one = (tensors: readonly tf.Tensor[]): tf.Tensor => tensors[0] as tf.Tensor;

const forms: Readonly<Record<string, Body>> = {
  "another that it calls itself": (x) => {
    const inner = callable(([y]) => [(y as tf.Tensor).tanh()]);
    const outer = callable(([y]) => [one(inner([one(inner([y as tf.Tensor]))])).add(1)]);
    return { y: one(outer([x])), again: one(outer([one(inner([x]))])) };
  },
  "a loop that calls another": (x) => {
    const inner = callable(([y, z]) => [(y as tf.Tensor).mul(z as tf.Tensor).sin()]);
    const outer = callable(([y]) => {
      const { carry } = scan({
        carry: [y as tf.Tensor],
        xs: [tf.ones([3, 2])],
        body: ([before], [row]) => ({
          carry: [one(inner([before as tf.Tensor, y as tf.Tensor])).add(row as tf.Tensor)],
        }),
      });
      return [carry[0] as tf.Tensor];
    });
    return { y: one(outer([one(outer([x]))])), z: one(inner([x, x])) };
  },
  "its arguments and constants": (x) => {
    const f = callable(([y, z]) => [z as tf.Tensor, y as tf.Tensor, y as tf.Tensor, tf.tensor1d([1, 2, 3])]);
    const [a, b, c, d] = f([x, x.add(1)]) as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
    return { a, b, c, d };
  },
  "one argument twice": (x) => {
    const f = callable(([y, z]) => [(y as tf.Tensor).sub((z as tf.Tensor).mul(2))]);
    return { same: one(f([x, x])), others: one(f([x, x.square()])) };
  },
  "results that nobody uses, and none": (x) => {
    const f = callable(([y]) => [(y as tf.Tensor).exp(), (y as tf.Tensor).sum(), tf.zeros([0])]);
    const nothing = callable(() => []);
    nothing([]);
    return { sum: f([x])[1] as tf.Tensor, empty: f([x])[2] as tf.Tensor };
  },
  "a constant of outside, and nothing": (x) => {
    const half = tf.scalar(0.5);
    const f = callable(([y]) => [(y as tf.Tensor).mul(half)]);
    const three = callable(() => [tf.fill([2, 2], 3)]);
    return { y: one(f([x])).add(half), three: one(three([])) };
  },
  "integers and booleans": (x) => {
    const f = callable(([y]) => [(y as tf.Tensor).greater(0), (y as tf.Tensor).argMax(1).toInt()]);
    const g = callable(([y, z]) => [tf.where(y as tf.Tensor, z as tf.Tensor, tf.zerosLike(z as tf.Tensor))]);
    const [positive, most] = f([x]) as [tf.Tensor, tf.Tensor];
    return { positive, most, kept: one(g([positive, x])) };
  },
  "a loop whose gradient is taken": (x) => {
    const f = callable(([y]) => [(y as tf.Tensor).sin().mul(y as tf.Tensor)]);
    const loss = (y: tf.Tensor) => {
      const { carry } = scan({
        carry: [y],
        xs: [tf.ones([4])],
        body: ([before]) => ({ carry: [one(f([before as tf.Tensor]))] }),
      });
      return one(f([carry[0] as tf.Tensor])).sum() as tf.Scalar;
    };
    return { before: one(f([x])), dx: tf.grad(loss)(x), after: one(f([x])) };
  },
};

describe("what is called may be", () => {
  test.each(Object.keys(forms))("%s", (name) => {
    const body = forms[name] as Body;
    const eager = outputsOf("eager", body);
    const xla = outputsOf("xla", body);
    expect(Object.keys(xla)).toEqual(Object.keys(eager));
    for (const [key, values] of Object.entries(eager)) {
      expect(xla[key]).toHaveLength(values.length);
      values.forEach((value, i) => {
        expect(xla[key]?.[i], `${key}[${i}]`).toBeCloseTo(value, 5);
      });
    }
  });
});
