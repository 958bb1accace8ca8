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
import type { Keep } from "./scan-options.js";

const LENGTH = 4;
const inputs = {
  start: floats([2, 3]),
  weights: floats([LENGTH, 3, 3], -0.5, 0.5),
  gains: floats([LENGTH, 3], 0.5, 1.5),
  shared: floats([3, 3], -0.5, 0.5),
  mask: floats([2, 3]),
};

type Tensors = Readonly<Record<string, tf.Tensor>>;

/** One step: a tensor from outside goes in directly and by way of another tensor from outside. */
function step(x: tf.Tensor, w: tf.Tensor, g: tf.Tensor, shared: tf.Tensor, squared: tf.Tensor): tf.Tensor {
  const hidden = tf.tanh(tf.matMul(tf.matMul(x, w), shared)).mul(g);
  return x.add(hidden.mul(hidden.square().mean(-1, true).add(1).rsqrt())).add(squared.sum(0).mul(0.1));
}

/** Gradients of a loss over the last carry and the rows, as a loop or written out. */
function gradients(
  i: Tensors,
  chain: (all: readonly tf.Tensor[]) => { last: tf.Tensor; rows: tf.Tensor },
): Tensors {
  const names = ["start", "weights", "gains", "shared"];
  const loss = (...all: tf.Tensor[]): tf.Scalar => {
    const { last, rows } = chain(all);
    return tf.add(last.square().mul(need(i["mask"])).sum(), rows.mul(0.3).sin().sum()) as tf.Scalar;
  };
  const { value, grads } = tf.valueAndGrads(loss)(names.map((name) => need(i[name])));
  return { value, ...Object.fromEntries(names.map((name, index) => [name, need(grads[index])])) };
}

const looped = (keep: Keep, reverse: boolean) => (i: Tensors) =>
  gradients(i, ([start, weights, gains, shared]) => {
    const squared = need(shared).square();
    const { carry, ys } = scan({
      carry: [need(start), tf.scalar(0, "int32")],
      xs: [need(weights), need(gains), tf.range(0, LENGTH, 1, "int32")],
      keep,
      reverse,
      body: ([x, count], [w, g, index]) => {
        const y = step(need(x), need(w), need(g), need(shared), squared);
        return { carry: [y, tf.add(need(count), need(index))], ys: [tf.sigmoid(y), need(index)] };
      },
    });
    return { last: need(carry[0]), rows: need(ys[0]) };
  });

const written = (reverse: boolean) => (i: Tensors) =>
  gradients(i, ([start, weights, gains, shared]) => {
    const squared = need(shared).square();
    const [ws, gs] = [tf.unstack(need(weights)), tf.unstack(need(gains))];
    const rows: tf.Tensor[] = [];
    let x = need(start);
    for (let at = 0; at < LENGTH; at++) {
      const index = reverse ? LENGTH - 1 - at : at;
      x = step(x, need(ws[index]), need(gs[index]), need(shared), squared);
      rows[index] = tf.sigmoid(x);
    }
    return { last: x, rows: tf.stack(rows) };
  });

function run(backend: Backend, mode: JitMode, body: (i: Tensors) => Tensors): Record<string, HostArray> {
  const functions = { f: { inputs, body: (_: Tensors, i: Tensors) => ({ outputs: body(i) }) } };
  const module = jit({ backend, state: {}, functions, mode });
  const values = module.call(
    "f",
    Object.fromEntries(Object.entries(inputs).map(([name, { values }]) => [name, values])),
  );
  module.dispose();
  return values;
}

function expectSame(actual: Record<string, HostArray>, expected: Record<string, HostArray>): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const [name, values] of Object.entries(expected)) expectClose(need(actual[name]), values, 1e-5, 1e-6);
}

describe("the gradient of a scan", () => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  test.each([
    ["graph", "nothing", false],
    ["graph", "products", true],
    ["graph", "everything", false],
    ["xla", "nothing", true],
    ["xla", "products", false],
    ["eager", "nothing", false],
  ] as const)(
    "in mode %s, keeping %s, reverse %s, is that of the steps written out (JIT-SCAN-1, JIT-SCAN-2)",
    (mode, keep, reverse) => {
      expectSame(run(backend, mode, looped(keep, reverse)), run(backend, "eager", written(reverse)));
    },
  );

  test("of a loop in a loop is that of the steps written out", () => {
    const nested = (unrolled: boolean) => (i: Tensors) => {
      const loss = (start: tf.Tensor, weights: tf.Tensor): tf.Scalar => {
        const inner = (x: tf.Tensor): tf.Tensor => {
          if (unrolled) return tf.unstack(weights).reduce((y, w) => tf.tanh(tf.matMul(y, w)).add(x), x);
          return need(
            scan({
              carry: [x],
              xs: [weights],
              body: ([y], [w]) => ({ carry: [tf.tanh(tf.matMul(need(y), need(w))).add(x)] }),
            }).carry[0],
          );
        };
        if (unrolled) return inner(inner(start)).square().sum() as tf.Scalar;
        const { carry } = scan({
          carry: [start],
          xs: [tf.zeros([2])],
          body: ([x]) => ({ carry: [inner(need(x))] }),
        });
        return need(carry[0]).square().sum() as tf.Scalar;
      };
      const [dx, dw] = tf.grads((x, w) => loss(need(x), need(w)))([need(i["start"]), need(i["weights"])]);
      return { dx: need(dx), dw: need(dw) };
    };
    expectSame(run(backend, "graph", nested(false)), run(backend, "eager", nested(true)));
  });

  test("keeps what the policy says and makes nothing that is not asked for", () => {
    const count = (keep: Keep): number => {
      const functions = {
        f: { inputs, body: (_: Tensors, i: Tensors) => ({ outputs: looped(keep, false)(i) }) },
      };
      const module = jit({ backend, state: {}, functions, mode: "graph" });
      const { operations } = need(module.stats["f"]);
      module.dispose();
      return operations;
    };
    expect(count("everything")).toBeLessThan(count("products"));
    expect(count("products")).toBeLessThan(count("nothing"));
  });
});
