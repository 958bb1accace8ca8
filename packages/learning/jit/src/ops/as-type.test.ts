import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { floats } from "../testing/case.js";
import { asType, floatTypeOf } from "./as-type.js";
import { scan } from "./scan.js";

type Tensors = Readonly<Record<string, tf.Tensor>>;

const inputs = { x: floats([3, 4]), w: floats([2, 4, 4], -0.5, 0.5) };

/** To 8 bits of mantissa, nearest, ties to even. */
function rounded(values: ArrayLike<number>): Float32Array {
  const words = new Uint32Array(Float32Array.from(values).buffer);
  return new Float32Array(words.map((word) => (word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000).buffer);
}

describe.each(["graph", "xla"] as const)("bfloat16 in mode %s", (mode) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  function run(body: (i: Tensors) => Tensors): Record<string, ArrayLike<number>> {
    const functions = { f: { inputs, body: (_: Tensors, i: Tensors) => ({ outputs: body(i) }) } };
    const module = jit({ backend, state: {}, functions, mode });
    const results = module.call("f", { x: inputs.x.values, w: inputs.w.values });
    module.dispose();
    return results;
  }

  test("rounds, and casts the gradient back", () => {
    const types: string[] = [];
    const { y, dx } = run((i) => {
      const x = need(i["x"]);
      const half = asType(x, "bfloat16");
      types.push(floatTypeOf(half), floatTypeOf(asType(half, "float32")));
      const dx = tf.grad((input) => asType(asType(input, "bfloat16").square(), "float32"))(x);
      types.push(floatTypeOf(dx));
      return { y: half, dx };
    });
    const expected = rounded(inputs.x.values);
    expect(y).toEqual(expected);
    expect(dx).toEqual(expected.map((value) => 2 * value));
    expect(types).toEqual(["bfloat16", "float32", "float32"]);
  });

  test("meets float32 as JAX has it: constants follow, products are bfloat16, the rest float32", () => {
    const types: string[] = [];
    run((i) => {
      const x = need(i["x"]);
      const half = asType(x, "bfloat16");
      const w = tf.slice(need(i["w"]), [0, 0, 0], [1, 4, 4]).reshape([4, 4]);
      const all = [half.mul(2), half.add(x), tf.matMul(half, w), tf.concat([half, x]), half.sum()];
      types.push(...all.map(floatTypeOf));
      return { y: x };
    });
    expect(types).toEqual(["bfloat16", "float32", "bfloat16", "float32", "bfloat16"]);
  });

  test("goes through a scan and its gradient", () => {
    const layers = (kept: "nothing" | "products" | undefined) => (i: Tensors) => {
      const loss = (x: tf.Tensor, w: tf.Tensor): tf.Tensor => {
        const half = asType(w, "bfloat16");
        const layer = (y: tf.Tensor, matrix: tf.Tensor): tf.Tensor => {
          const wide = asType(tf.matMul(y, matrix), "float32");
          return asType(wide.tanh(), "bfloat16").add(y);
        };
        const first = asType(x, "bfloat16");
        const last =
          kept === undefined
            ? tf.unstack(half).reduce(layer, first)
            : need(
                scan({
                  carry: [first],
                  xs: [half],
                  keep: kept,
                  body: ([y], [matrix]) => ({ carry: [layer(need(y), need(matrix))] }),
                }).carry[0],
              );
        return asType(last, "float32").square().sum();
      };
      const { value, grads } = tf.valueAndGrads((x, w) => loss(need(x), need(w)) as tf.Scalar)([
        need(i["x"]),
        need(i["w"]),
      ]);
      return { value, dx: need(grads[0]), dw: need(grads[1]) };
    };
    const expected = run(layers(undefined));
    for (const kept of ["nothing", "products"] as const) {
      for (const [name, values] of Object.entries(run(layers(kept)))) {
        const wanted = Array.from(need(expected[name]));
        const largest = Math.max(...wanted.map(Math.abs));
        Array.from(values).forEach((value, index) => {
          expect(Math.abs(value - need(wanted[index])), `${name} ${kept}`).toBeLessThan(2 ** -6 * largest);
        });
      }
    }
  });
});
