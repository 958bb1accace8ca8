import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { need } from "../modules/need.fixture.js";
import { floats, intsOf } from "../testing/case.js";
import { expectClose } from "../testing/compare.js";
import { traceFunction } from "../trace/traced-function.js";
import type { Scope } from "../trace/value.js";
import { attention, usesFusedAttention } from "./attention.js";
import type { AttentionOptions } from "./attention-options.js";
import { packedSegments } from "./segments.js";

const [B, T, H, G, d, P, Lp] = [2, 6, 4, 2, 8, 1, 3];
const inputs = {
  q: floats([B, T, H, d]),
  k: floats([B, T, G, d]),
  v: floats([B, T, G, d]),
  prefixK: floats([P, Lp, G, d]),
  prefixV: floats([P, Lp, G, d]),
  gradient: floats([B, T, H, d]),
  keys: intsOf([B], [6, 4]),
  ids: intsOf([B, T], [1, 1, 2, 2, 2, 0, 3, 3, 3, 3, 3, 3]),
  prefixLengths: intsOf([P], [2]),
};

type Tensors = Readonly<Record<string, tf.Tensor>>;

interface Form {
  readonly options: (i: Tensors) => AttentionOptions;
  /** Whether query t of row b sees key u; keys of the prefix have numbers below 0, the last is −1. */
  readonly sees: (b: number, t: number, u: number) => boolean;
  /** Positions whose results mean something. */
  readonly counts: (b: number, t: number) => boolean;
}

const ids = inputs.ids.values;
const forms: Readonly<Record<string, Form>> = {
  causal: { options: () => ({ causal: true }), sees: (_, t, u) => u >= 0 && u <= t, counts: () => true },
  "every key": { options: () => ({ scale: 0.2 }), sees: (_, __, u) => u >= 0, counts: () => true },
  lengths: {
    options: (i) => ({ causal: true, lengths: { queries: need(i["keys"]), keys: need(i["keys"]) } }),
    sees: (b, t, u) => u >= 0 && u <= t && u < need(inputs.keys.values[b]),
    counts: (b, t) => t < need(inputs.keys.values[b]),
  },
  segments: {
    options: (i) => ({ causal: true, segments: packedSegments(need(i["ids"]), 3) }),
    sees: (b, t, u) => u >= 0 && u <= t && ids[b * T + t] === ids[b * T + u],
    counts: (b, t) => ids[b * T + t] !== 0,
  },
  prefix: {
    options: (i) => ({ causal: true, prefix: { keys: need(i["prefixK"]), values: need(i["prefixV"]) } }),
    sees: (_, t, u) => u <= t,
    counts: () => true,
  },
  "prefix with lengths": {
    options: (i) => ({
      causal: true,
      prefix: {
        keys: need(i["prefixK"]),
        values: need(i["prefixV"]),
        lengths: need(i["prefixLengths"]),
      },
    }),
    sees: (_, t, u) => (u < 0 ? u + Lp < 2 : u <= t),
    counts: () => true,
  },
};

/** Attention in float64, number by number, and its gradients by its definition. */
function reference({ sees, counts, options }: Form): Record<string, Float32Array> {
  const scale =
    options({
      keys: tf.scalar(0),
      ids: tf.zeros([B, T], "int32"),
      prefixK: tf.scalar(0),
      prefixV: tf.scalar(0),
      prefixLengths: tf.scalar(0),
    }).scale ?? 1 / Math.sqrt(d);
  const at = (x: { readonly values: ArrayLike<number> }, index: number): number => need(x.values[index]);
  const out: Record<string, Float64Array> = {};
  for (const name of ["o", "dq", "dk", "dv", "dpk", "dpv"])
    out[name] = new Float64Array(
      name === "o" || name === "dq" ? B * T * H * d : name.startsWith("dp") ? P * Lp * G * d : B * T * G * d,
    );
  const add = (name: string, index: number, value: number): void => {
    const array = need(out[name]);
    array[index] = need(array[index]) + value;
  };
  for (let b = 0; b < B; b++)
    for (let t = 0; t < T; t++)
      for (let h = 0; h < H; h++) {
        const query = ((b * T + t) * H + h) * d;
        if (!counts(b, t)) continue;
        const g = Math.floor(h / (H / G));
        const seen: { readonly own: boolean; readonly base: number }[] = [];
        for (let u = -Lp; u < T; u++) {
          if (!sees(b, t, u)) continue;
          seen.push({ own: u >= 0, base: ((u < 0 ? u + Lp : b * T + u) * G + g) * d });
        }
        const keyOf = (own: boolean) => (own ? inputs.k : inputs.prefixK);
        const tableOf = (own: boolean) => (own ? inputs.v : inputs.prefixV);
        const sum = (f: (j: number) => number): number =>
          Array.from({ length: d }, (_, j) => f(j)).reduce((a, x) => a + x, 0);
        const scores = seen.map(
          ({ own, base }) => scale * sum((j) => at(inputs.q, query + j) * at(keyOf(own), base + j)),
        );
        const most = Math.max(...scores);
        const all = scores.map((score) => Math.exp(score - most));
        const total = all.reduce((a, x) => a + x, 0);
        const weights = all.map((x) => x / total);
        const gradients = seen.map(({ own, base }) =>
          sum((j) => at(inputs.gradient, query + j) * at(tableOf(own), base + j)),
        );
        const center = weights.reduce((a, w, i) => a + w * need(gradients[i]), 0);
        seen.forEach(({ own, base }, i) => {
          const w = need(weights[i]);
          const ofScore = scale * w * (need(gradients[i]) - center);
          for (let j = 0; j < d; j++) {
            add("o", query + j, w * at(tableOf(own), base + j));
            add("dq", query + j, ofScore * at(keyOf(own), base + j));
            add(own ? "dk" : "dpk", base + j, ofScore * at(inputs.q, query + j));
            add(own ? "dv" : "dpv", base + j, w * at(inputs.gradient, query + j));
          }
        });
      }
  return Object.fromEntries(Object.entries(out).map(([name, values]) => [name, Float32Array.from(values)]));
}

/** Results and gradients of `attention`, those of padding being zero. */
function computed({ options, counts }: Form): (i: Tensors) => Tensors {
  return (i) => {
    const mask = tf.tensor(
      Float32Array.from({ length: B * T }, (_, p) => (counts(Math.floor(p / T), p % T) ? 1 : 0)),
      [B, T, 1, 1],
    );
    const hasPrefix = options(i).prefix !== undefined;
    const wanted = ["q", "k", "v", ...(hasPrefix ? ["prefixK", "prefixV"] : [])].map((name) => need(i[name]));
    const f = (...[q, k, v, prefixK, prefixV]: tf.Tensor[]): tf.Tensor => {
      const given = { ...i, ...(hasPrefix ? { prefixK: need(prefixK), prefixV: need(prefixV) } : {}) };
      return attention(need(q), need(k), need(v), options(given)).mul(mask);
    };
    const [dq, dk, dv, dpk, dpv] = tf.grads(f)(wanted, need(i["gradient"]));
    const own = { o: f(...wanted), dq: need(dq), dk: need(dk), dv: need(dv) };
    return hasPrefix ? { ...own, dpk: need(dpk), dpv: need(dpv) } : own;
  };
}

describe.each(["graph", "xla", "eager"] as const)("attention in mode %s", (mode) => {
  let backend: Backend;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
  });

  test("has the values and gradients of its definition, in every form", () => {
    const functions = Object.fromEntries(
      Object.entries(forms).map(([name, form]) => [
        name,
        { inputs, body: (_: Tensors, i: Tensors) => ({ outputs: computed(form)(i) }) },
      ]),
    );
    const module = jit({ backend, state: {}, functions, mode });
    const arrays = Object.fromEntries(Object.entries(inputs).map(([name, { values }]) => [name, values]));
    for (const [name, form] of Object.entries(forms)) {
      const expected = reference(form);
      for (const [output, values] of Object.entries(module.call(name, arrays)))
        expectClose(values, need(expected[output]), 1e-5, 1e-6);
    }
    module.dispose();
  });
});

describe("attention", () => {
  beforeAll(async () => {
    await loadBackend({ prefer: "tensorflow" });
  });

  const operations = (scope: Scope): string[] => scope.operations.map(({ name }) => name);

  test.each(Object.entries(forms))("for a GPU is calls of cuDNN and no product: %s", (name, form) => {
    const body = (_: Tensors, i: Tensors) => {
      expect([usesFusedAttention(d), usesFusedAttention(136), usesFusedAttention(12)]).toEqual([
        true,
        false,
        false,
      ]);
      return { outputs: computed(form)(i) };
    };
    const { root, outputs } = traceFunction("f", {}, inputs, body, { fusedAttention: true, calls: false });
    const names = operations(root);
    expect(names).not.toContain("BatchMatMulV2");
    // Padding is chosen away: what the kernels leave there may be no number.
    const choices: Readonly<Record<string, number>> = { lengths: 6, segments: 9 };
    expect(names.filter((given) => given === "Select").length).toBe(choices[name] ?? 0);
    // Forward twice, here and in the gradient, and backward; over a prefix each is two calls.
    expect(names.filter((given) => given === "XlaCallModule")).toHaveLength(
      name.startsWith("prefix") ? 6 : 3,
    );
    expect([...outputs.values()].map(({ shape }) => shape)).toEqual(
      [inputs.q, inputs.q, inputs.k, inputs.v, inputs.prefixK, inputs.prefixV]
        .slice(0, outputs.size)
        .map(({ shape }) => shape),
    );
  });

  test("of one query a row over a cache is one call on a GPU: no statistics, nothing chosen away", () => {
    const [queries, cache] = [
      { shape: [3, 1, 4, 8], dtype: "float32" as const },
      { shape: [3, 64, 2, 8], dtype: "float32" as const },
    ];
    const lengths = { shape: [3], dtype: "int32" as const };
    const body = (_: Tensors, i: Tensors) => {
      const [q, k, v] = [need(i["q"]), need(i["k"]), need(i["v"])];
      return { outputs: { o: attention(q, k, v, { lengths: { keys: need(i["lengths"]) } }) } };
    };
    const given = { q: queries, k: cache, v: cache, lengths };
    const { root } = traceFunction("f", {}, given, body, { fusedAttention: true, calls: false });
    expect(operations(root)).not.toContain("Select");
    const calls = root.operations.filter(({ name }) => name === "XlaCallModule");
    expect(calls.map(({ outputs }) => outputs.map(({ shape }) => shape))).toEqual([[[3, 1, 4, 8], [0]]]);
  });

  test("over some rows of a table is one call for all rows on a GPU, and what it is over those rows alone", () => {
    const values = (...shape: number[]) =>
      tf.tensor(
        Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * 1.1)),
        shape,
      );
    const [q, k, v] = [values(2, 1, 4, 8), values(5, 6, 2, 8), values(5, 6, 2, 8).mul(2)];
    const fresh = values(2, 1, 2, 8).mul(0.3);
    const rows = () => tf.tensor1d([3, 0], "int32");
    const lengths = () => tf.tensor1d([6, 2], "int32");
    const table = () => ({ rows: rows(), sequences: tf.tensor1d([1, -1, -1, 0, -1], "int32") });
    const decoded = () => attention(q, k, v, { lengths: { keys: lengths() }, table: table() });
    const prefix = () => ({ keys: k, values: v, lengths: lengths() });
    const checked = () =>
      attention(q, fresh, fresh, { causal: true, prefix: { ...prefix(), table: table() } });
    const body = () => ({ outputs: { decoded: decoded(), checked: checked() } });
    const { root, outputs } = traceFunction("f", {}, {}, body, { fusedAttention: true, calls: false });
    expect(operations(root)).not.toContain("BatchMatMulV2");
    const calls = root.operations.filter(({ name }) => name === "XlaCallModule");
    expect(calls.map(({ inputs: [query, key] }) => [query?.shape, key?.shape])).toEqual([
      [
        [5, 1, 4, 8],
        [5, 6, 2, 8],
      ],
      [
        [5, 1, 4, 8],
        [5, 6, 2, 8],
      ],
      [
        [2, 1, 4, 8],
        [2, 1, 2, 8],
      ],
    ]);
    expect([...outputs.values()].map(({ shape }) => shape)).toEqual([q.shape, q.shape]);
    const [keys, held] = [k, v].map((whole) => tf.gather(whole, rows()));
    const own = { keys: need(keys), values: need(held), lengths: lengths() };
    const alone = [
      attention(q, own.keys, own.values, { lengths: { keys: own.lengths } }),
      attention(q, fresh, fresh, { causal: true, prefix: own }),
    ];
    for (const [i, got] of [decoded(), checked()].entries())
      expect([...got.dataSync()]).toEqual([...need(alone[i]).dataSync()]);
    expect(() => attention(q, k, v, { table: table() })).toThrow(/INVALID_OPTIONS.*table.*lengths of keys/);
  });

  test("over keys of given lengths is what it is over those keys alone", () => {
    const values = (...shape: number[]) =>
      tf.tensor(
        Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * 1.7)),
        shape,
      );
    const [q, k, v] = [values(2, 1, 4, 8), values(2, 6, 2, 8), values(2, 6, 2, 8).mul(2)];
    const o = attention(q, k, v, { lengths: { keys: tf.tensor1d([6, 2], "int32") } });
    const [first, second] = [6, 2].map((length, row) => {
      const part = (x: tf.Tensor, count: number) => x.slice([row], [1]).slice([0, 0], [1, count]);
      return attention(part(q, 1), part(k, length), part(v, length)).dataSync();
    });
    expectClose(
      Float32Array.from(o.dataSync()),
      Float32Array.of(...need(first), ...need(second)),
      1e-5,
      1e-6,
    );
  });

  describe("of packed segments over the beginnings of a table's rows", () => {
    const values = (...shape: number[]) =>
      tf.tensor(
        Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * 1.3)),
        shape,
      );
    const pieces = [
      { tokens: 3, row: 2, past: 5 },
      { tokens: 2, row: 0, past: 0 },
      { tokens: 1, row: 3, past: 1 },
    ];
    const length = 8;
    const given = () => ({
      query: values(1, length, 4, 8),
      own: { keys: values(1, length, 2, 8).mul(0.7), values: values(1, length, 2, 8).mul(2) },
      table: { keys: values(4, 6, 2, 8).add(0.1), values: values(4, 6, 2, 8).sub(0.2) },
      segments: packedSegments(tf.tensor2d([[1, 1, 1, 2, 2, 3, 0, 0]], undefined, "int32"), 4),
    });
    const ints = (of: (piece: (typeof pieces)[number]) => number) =>
      tf.tensor1d([...pieces.map(of), 0], "int32");
    const whole = () => {
      const { query, own, table, segments } = given();
      const past = { ...table, rows: ints(({ row }) => row), lengths: ints((piece) => piece.past) };
      return attention(query, own.keys, own.values, { causal: true, segments, past });
    };

    test("is what it is over each past and segment alone", () => {
      const { query, own, table } = given();
      let at = 0;
      const expected = pieces.flatMap(({ tokens, row, past }) => {
        const cut = (x: tf.Tensor) => x.slice([0, at], [1, tokens]);
        const before = (x: tf.Tensor) => x.slice([row], [1]).slice([0, 0], [1, past]);
        const prefix = { keys: before(table.keys), values: before(table.values) };
        const options = past === 0 ? { causal: true } : { causal: true, prefix };
        const o = attention(cut(query), cut(own.keys), cut(own.values), options);
        at += tokens;
        return [...o.dataSync()];
      });
      const got = Float32Array.from(whole().dataSync().slice(0, expected.length));
      expectClose(got, Float32Array.from(expected), 1e-5, 1e-6);
    });

    test("is two calls on a GPU, of which one reads the table where it is", () => {
      const body = () => ({ outputs: { o: whole() } });
      const { root } = traceFunction("f", {}, {}, body, { fusedAttention: true, calls: false });
      expect(operations(root)).not.toContain("BatchMatMulV2");
      const calls = root.operations.filter(({ name }) => name === "XlaCallModule");
      expect(calls.map(({ inputs: [, key] }) => key?.shape)).toEqual([
        [1, length, 2, 8],
        [1, 24, 2, 8],
      ]);
    });
  });

  test("refuses shapes and options that do not go together", () => {
    const ones = (...shape: number[]) => tf.ones(shape);
    const wrong = () => attention(ones(1, 2, 3, 4), ones(1, 2, 2, 4), ones(1, 2, 2, 4));
    expect(wrong).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
    const uneven = () => attention(ones(1, 2, 2, 4), ones(1, 3, 2, 4), ones(1, 3, 2, 4), { causal: true });
    expect(uneven).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
    const prefix = { keys: ones(1, 2, 2, 4), values: ones(1, 2, 2, 4) };
    const open = () => attention(ones(1, 2, 2, 4), ones(1, 2, 2, 4), ones(1, 2, 2, 4), { prefix });
    expect(open).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
    const rows = tf.tensor1d([0], "int32");
    const past = { keys: ones(1, 2, 2, 4), values: ones(1, 2, 2, 4), rows, lengths: rows };
    const apart = () =>
      attention(ones(1, 2, 2, 4), ones(1, 2, 2, 4), ones(1, 2, 2, 4), { causal: true, past });
    expect(apart).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
  });
});
