/** Entries of which each replica has one shard: scattered sums, joined entries, whole values for one launch. On a CPU replicas share it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { loadBackend } from "../backend/backend.js";
import type { tf } from "../base/tf.js";
import { jit } from "../modules/module.js";
import { asType } from "../ops/as-type.js";
import type { JitFunction } from "../trace/jit-function.js";
import { traceStages } from "../trace/traced-stages.js";
import { buildProgram } from "./program.js";

const backend = await loadBackend({ prefer: "tensorflow" });
const { tf: t } = backend;

const matrix = { shape: [2, 5], dtype: "float32" } as const;
const of = (tensors: Readonly<Record<string, tf.Tensor>>, name: string) => tensors[name] as tf.Tensor;

/** A model of ten weights: each replica owns a run of them, and has all of them rounded. */
function sharing(replicas: number, replaced: Readonly<Record<string, JitFunction>> = {}) {
  const length = Math.ceil(10 / replicas);
  const shard = { shape: [length], dtype: "float32" } as const;
  const rows = (x: tf.Tensor) =>
    t.pad(t.reshape(x, [10]), [[0, replicas * length - 10]]).reshape([replicas, length]);
  const module = jit({
    backend,
    mode: "xla",
    replicas,
    state: {
      weights: { ...matrix, stored: "bfloat16" },
      own: shard,
      sums: { ...shard, lazy: true },
      halves: shard,
      reference: { ...shard, stored: "bfloat16" },
    },
    functions: {
      add: {
        inputs: { x: matrix },
        body: (state, inputs) => {
          const gradient = t.mul(of(inputs, "x"), of(state, "weights"));
          const halves = asType(rows(of(inputs, "x")), "bfloat16");
          return { outputs: { total: t.sum(gradient), sums: rows(gradient), halves } };
        },
        shards: { scatter: ["sums", "halves"] },
      },
      apply: {
        inputs: {},
        body: (state) => {
          const own = t.add(of(state, "own"), of(state, "sums"));
          return {
            outputs: { weights: asType(own, "bfloat16") },
            state: { own, sums: t.zerosLike(of(state, "sums")) },
          };
        },
        shards: { gather: ["weights"] },
      },
      look: {
        inputs: {},
        body: (state) => ({
          outputs: {
            weights: of(state, "weights"),
            reference: of(state, "reference"),
            own: of(state, "own"),
          },
        }),
        shards: { whole: ["reference"] },
      },
      ...replaced,
    },
  });
  onTestFinished(() => module.dispose());
  return { module, length };
}

describe.each([2, 3])("%i replicas", (count) => {
  it("own their shards of sums over all and get all of what others own (JIT-SHARD-1)", () => {
    const { module, length } = sharing(count);
    const all = Float32Array.from({ length: 10 }, (_, at) => at + 1);
    const shards = Array.from({ length: count }, (_, replica) => {
      const own = new Float32Array(length);
      own.set(all.subarray(replica * length, (replica + 1) * length));
      return own;
    });
    module.writeState({ weights: all });
    module.writeEach(shards.map((own) => ({ own, reference: own })));
    const xs = Array.from({ length: count }, (_, replica) => all.map((_value, at) => (at + replica) / 8));
    const ofX = (at: number) => xs.reduce((sum, x) => sum + (x[at] as number), 0);
    for (const round of [1, 2]) {
      const given = xs.map((x) => ({ x }));
      for (const [replica, { total, ...others }] of module.callEach("add", given).entries()) {
        const own = xs[replica] as Float32Array;
        expect(total?.[0]).toBeCloseTo(
          own.reduce((sum, x, at) => sum + x * (at + 1), 0),
          4,
        );
        expect(others).toEqual({});
      }
      const halves = module.readEach(["halves"]).flatMap(({ halves: own }) => [...(own ?? [])]);
      expect(halves.slice(0, 10)).toEqual(Array.from(all, (_value, at) => round * ofX(at)));
      expect(halves.slice(10).every((value) => value === 0)).toBe(true);
    }
    module.call("apply", {});
    const expected = Float32Array.from(all, (weight, at) => weight + 2 * ofX(at) * weight);
    const seen = module.callEach(
      "look",
      Array.from({ length: count }, () => ({})),
    );
    expect(seen.flatMap(({ own }) => [...(own ?? [])]).slice(0, 10)).toEqual([...expected]);
    for (const { weights, reference } of seen) {
      expect([...(reference ?? [])].slice(0, 10)).toEqual([...all]);
      weights?.forEach((weight, at) => {
        expect(weight / (expected[at] as number)).toBeCloseTo(1, 2);
      });
      expect(weights).toEqual(seen[0]?.["weights"]);
    }
    expect(module.readState(["weights"])["weights"]).toEqual(seen[0]?.["weights"]);
    // The sums were cleared, and a replica's memory is its own.
    expect(module.readEach(["sums"]).every(({ sums }) => sums?.every((value) => value === 0))).toBe(true);
  });
});

it("what does not fit an entry is refused, and so are shards of one replica", () => {
  const returning = (outputs: () => Readonly<Record<string, tf.Tensor>>, shards: JitFunction["shards"]) => ({
    apply: { inputs: {}, body: () => ({ outputs: outputs() }), ...(shards === undefined ? {} : { shards }) },
  });
  const ones = () => t.ones([4]);
  expect(() =>
    sharing(
      2,
      returning(() => ({ sums: ones() }), { scatter: ["sums"] }),
    ),
  ).toThrow(/"apply" exchanges sums as \[4\], which does not fit its entry of the state, \[5\]/);
  expect(() =>
    sharing(
      2,
      returning(() => ({ weights: t.ones([5]) }), { gather: ["weights"] }),
    ),
  ).toThrow(/exchanges weights as \[5\] in float32.*stored in bfloat16/);
  expect(() =>
    sharing(
      2,
      returning(() => ({}), { scatter: ["sums"] }),
    ),
  ).toThrow(/exchanges sums, which it does not return/);
  expect(() => sharing(1)).toThrow(/"add" has shards, but there is one replica/);
});

it("an entry larger than the window is passed on after all before it are written on every replica (JIT-SHARD-2)", () => {
  const large = { shape: [2 ** 28], dtype: "float32" } as const;
  const rows = { shape: [2, 2 ** 28], dtype: "float32" } as const;
  const fn: JitFunction = {
    inputs: { x: rows },
    body: (_state, inputs) => {
      const x = of(inputs, "x");
      return { outputs: { first: t.mul(x, 2), second: t.mul(x, 3), third: t.sum(x, 0) } };
    },
    shards: { scatter: ["first", "second"], gather: ["third"] },
  };
  const state = { first: large, second: large, third: { shape: [2 ** 29], dtype: "float32" } } as const;
  const traced = traceStages("f", state, fn, { fusedAttention: false, calls: true }, 2);
  const { nodes } = buildProgram(state, [traced], { xla: true, gpu: true, halfProducts: false, replicas: 2 });
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const before = (name: string, found = new Set<string>()): Set<string> => {
    for (const input of byName.get(name)?.input ?? []) {
      const from = input.replace(/^\^|:\d+$/g, "");
      if (found.has(from)) continue;
      found.add(from);
      before(from, found);
    }
    return found;
  };
  const writes = nodes.filter(({ op, name }) => op === "AssignAddVariableOp" && name.startsWith("f_f"));
  const counts = (op: string) =>
    nodes
      .filter((node) => node.op === op && node.name.startsWith("f_f"))
      .map(({ name }) => writes.filter((write) => before(name).has(write.name)).length);
  // Each of two replicas adds two rows to each of two entries.
  expect(writes).toHaveLength(8);
  expect(counts("Split")).toEqual([0, 0, 4, 4]);
  expect(counts("ConcatV2")).toEqual([8, 8]);
  expect([...new Set(nodes.map(({ device }) => device))]).toContain("/device:GPU:1");
});
