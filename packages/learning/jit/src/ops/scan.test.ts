import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import type { HostArray } from "../base/spec.js";
import { tf } from "../base/tf.js";
import type { JitMode } from "../modules/jit-module.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { floats } from "../testing/case.js";
import { expectClose } from "../testing/compare.js";
import { scan } from "./scan.js";

const LENGTH = 5;
const xs = floats([LENGTH, 3]);
const weights = floats([LENGTH, 3, 3], -0.5, 0.5);

type Tensors = Readonly<Record<string, tf.Tensor>>;

const tanhLayer = (x: tf.Tensor, w: tf.Tensor): tf.Tensor =>
  tf.add(x, tf.tanh(tf.matMul(tf.reshape(x, [1, 3]), w).reshape([3])));

/** Computations as loops, each with the plain form that it has to equal. */
const loops: Readonly<
  Record<string, { readonly loop: (i: Tensors) => Tensors; readonly plain: (i: Tensors) => Tensors }>
> = {
  "running sums": {
    loop: (i) => {
      const { carry, ys } = scan({
        carry: [tf.zeros([3])],
        xs: [need(i["xs"])],
        body: ([sum], [x]) => ({ carry: [tf.add(need(sum), need(x))], ys: [need(sum)] }),
      });
      return { total: need(carry[0]), before: need(ys[0]) };
    },
    plain: (i) => ({ total: tf.sum(need(i["xs"]), 0), before: tf.cumsum(need(i["xs"]), 0, true) }),
  },
  "running sums from the end": {
    loop: (i) => {
      const { carry, ys } = scan({
        carry: [tf.zeros([3])],
        xs: [need(i["xs"])],
        reverse: true,
        body: ([sum], [x]) => ({ carry: [tf.add(need(sum), need(x))], ys: [need(sum)] }),
      });
      return { total: need(carry[0]), after: need(ys[0]) };
    },
    plain: (i) => ({ total: tf.sum(need(i["xs"]), 0), after: tf.cumsum(need(i["xs"]), 0, true, true) }),
  },
  "a step with tensors from outside, large and small, and several ys": {
    loop: (i) => {
      const large = tf.tensor(Float32Array.from({ length: 5000 }, (_, index) => index % 7));
      const shift = tf.sum(need(i["weights"]));
      const { ys } = scan({
        carry: [],
        xs: [need(i["xs"])],
        body: (_, [x]) => ({
          carry: [],
          ys: [tf.add(tf.mul(need(x), tf.sum(large)), shift), tf.greater(need(x), tf.scalar(0))],
        }),
      });
      return { scaled: need(ys[0]), positive: need(ys[1]) };
    },
    plain: (i) => {
      const large = tf.tensor(Float32Array.from({ length: 5000 }, (_, index) => index % 7));
      const scaled = tf.add(tf.mul(need(i["xs"]), tf.sum(large)), tf.sum(need(i["weights"])));
      return { scaled, positive: tf.greater(need(i["xs"]), tf.scalar(0)) };
    },
  },
  "a loop in a loop that uses the outer step's tensors": {
    loop: (i) => {
      const { ys } = scan({
        carry: [],
        xs: [need(i["xs"])],
        body: (_, [x]) => {
          const inner = scan({
            carry: [tf.scalar(0)],
            xs: [need(i["weights"])],
            body: ([sum], [w]) => ({ carry: [tf.add(need(sum), tf.sum(tf.mul(need(w), need(x))))] }),
          });
          return { carry: [], ys: [need(inner.carry[0])] };
        },
      });
      return { sums: need(ys[0]) };
    },
    plain: (i) => {
      const columns = tf.sum(need(i["weights"]), [0, 1]);
      return { sums: tf.sum(tf.mul(need(i["xs"]), columns), 1) };
    },
  },
  "gradients of stacked layers, recomputed in a reversed loop": {
    loop: (i) => {
      const start = tf.slice(need(i["xs"]), [0, 0], [1, 3]).reshape([3]);
      const forward = scan({
        carry: [start],
        xs: [need(i["weights"])],
        body: ([x], [w]) => ({ carry: [tanhLayer(need(x), need(w))], ys: [need(x)] }),
      });
      const dy = tf.mul(need(forward.carry[0]), 2);
      const backward = scan({
        carry: [dy],
        xs: [need(forward.ys[0]), need(i["weights"])],
        reverse: true,
        body: ([slope], [x, w]) => {
          const [dx, dw] = tf.grads((a, b) => tanhLayer(need(a), need(b)))([need(x), need(w)], need(slope));
          return { carry: [need(dx)], ys: [need(dw)] };
        },
      });
      return { dx: need(backward.carry[0]), dw: need(backward.ys[0]) };
    },
    plain: (i) => {
      const start = tf.slice(need(i["xs"]), [0, 0], [1, 3]).reshape([3]);
      const loss = (x: tf.Tensor, w: tf.Tensor) =>
        tf.sum(tf.square(tf.unstack(w).reduce((y, layer) => tanhLayer(y, layer), x)));
      const [dx, dw] = tf.grads((x, w) => loss(need(x), need(w)))([start, need(i["weights"])]);
      return { dx: need(dx), dw: need(dw) };
    },
  },
};

const inputs = { xs, weights };

function run(backend: Backend, mode: JitMode, body: (i: Tensors) => Tensors): Record<string, HostArray> {
  const functions = { f: { inputs, body: (_: Tensors, i: Tensors) => ({ outputs: body(i) }) } };
  const module = jit({ backend, state: {}, functions, mode });
  const values = module.call("f", { xs: xs.values, weights: weights.values });
  module.dispose();
  return values;
}

describe.each([
  ["tensorflow", "graph", 1e-6],
  ["tensorflow", "xla", 1e-5],
  ["tensorflow", "eager", 1e-6],
  ["wasm", "eager", 1e-5],
] as const)("scan on %s in mode %s", (prefer, mode, tolerance) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer });
  });

  test.each(Object.entries(loops))("computes %s as the plain form does", (_, { loop, plain }) => {
    const expected = run(backend, "eager", plain);
    const actual = run(backend, mode, loop);
    expect(Object.keys(actual)).toEqual(Object.keys(expected));
    for (const [name, values] of Object.entries(expected)) {
      expectClose(need(actual[name]), values, tolerance, tolerance);
    }
  });

  test("refuses a carry that changes its form, and xs of different lengths", () => {
    const grow = () =>
      run(backend, mode, (i) => ({
        y: need(
          scan({ carry: [tf.zeros([3])], xs: [need(i["xs"])], body: () => ({ carry: [tf.zeros([4])] }) })
            .carry[0],
        ),
      }));
    expect(grow).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
    const uneven = () =>
      run(backend, mode, (i) => ({
        y: need(
          scan({ carry: [tf.zeros([3])], xs: [need(i["xs"]), tf.zeros([2])], body: (carry) => ({ carry }) })
            .carry[0],
        ),
      }));
    expect(uneven).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
  });
});
