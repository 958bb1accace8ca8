/** Several copies of a state: on a CPU they share it, where a GPU each would have one; what is launched is the same. */
import { describe, expect, it } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { visibleGpus } from "../base/gpu-device.js";
import { roundToHalf } from "../base/half.js";
import { BFLOAT16 } from "../base/tensorflow-binding.js";
import type { tf } from "../base/tf.js";
import { buildProgram } from "../emit/program.js";
import { asType } from "../ops/as-type.js";
import { traceStages } from "../trace/traced-stages.js";
import { checkReplicas, jit } from "./module.js";

const backend = await loadBackend({ prefer: "tensorflow" });

const vector = { shape: [3], dtype: "float32" } as const;
const scalar = { shape: [], dtype: "float32" } as const;

function summing(mode: "eager" | "graph" | "xla", replicas: number) {
  const { tf: t } = backend;
  const of = (tensors: Readonly<Record<string, tf.Tensor>>, name: string) => tensors[name] as tf.Tensor;
  return jit({
    backend,
    mode,
    replicas,
    state: {
      weights: vector,
      sums: { ...vector, lazy: true },
      others: { shape: [], dtype: "float32" },
      half: { ...vector, stored: "bfloat16" },
      passed: { shape: [4], dtype: "float32", asHalf: "both" },
    },
    functions: {
      add: {
        inputs: { x: vector },
        body: (state, inputs) => {
          const sums = t.add(of(state, "sums"), t.mul(of(inputs, "x"), of(state, "weights")));
          return { outputs: { total: t.sum(sums) }, state: { sums, others: t.add(of(state, "others"), 1) } };
        },
      },
      apply: {
        inputs: { rate: scalar },
        body: (state, inputs) => ({
          outputs: {},
          state: {
            weights: t.sub(of(state, "weights"), t.mul(of(state, "sums"), of(inputs, "rate"))),
            sums: t.zerosLike(of(state, "sums")),
          },
        }),
      },
      // What `add`, a reduction and `apply` do, and a decision that is the same on all: nothing moves against the limit.
      step: {
        inputs: { x: vector, rate: scalar, limit: scalar },
        body: (state, inputs) => {
          const gradient = t.mul(of(inputs, "x"), of(state, "weights"));
          return { outputs: { gradient, own: t.sum(gradient) } };
        },
        next: {
          sums: ["gradient"],
          body: (_, sums) => ({ outputs: { share: t.div(t.sum(of(sums, "gradient")), replicas) } }),
          next: {
            sums: ["share"],
            body: (state, sums) => {
              const moves = t.lessEqual(of(sums, "share"), of(sums, "limit"));
              const weights = t.sub(of(state, "weights"), t.mul(of(sums, "gradient"), of(sums, "rate")));
              return {
                outputs: { total: of(sums, "share"), moves },
                state: { weights: t.where(moves, weights, of(state, "weights")) },
              };
            },
          },
        },
      },
      look: {
        inputs: {},
        body: (state) => ({ outputs: { weights: of(state, "weights"), half: of(state, "half") } }),
      },
    },
    reductions: { all: ["sums", "others"] },
  });
}

it("what is written to each replica is read from each, and the same entries are asked of all", () => {
  const module = summing("xla", 2);
  const others = [Float32Array.of(1), Float32Array.of(2)];
  module.writeEach(others.map((each) => ({ others: each })));
  expect(module.readEach(["others"]).map(({ others: each }) => each)).toEqual(others);
  expect(module.readState(["others"])["others"]).toEqual(others[0]);
  // One of them alone, in both types.
  module.writeState({ passed: Float32Array.of(1, 2, 3, 4) });
  module.writeState({ passed: Float32Array.of(5, 6, 7, 1.001) }, 1);
  const halvesOf = (replica: number) =>
    [...module.readHalf("passed", replica)].flatMap(({ bits }) => [...bits]);
  expect(halvesOf(0)).toEqual([...roundToHalf(Float32Array.of(1, 2, 3, 4))]);
  expect(halvesOf(1)).toEqual([...roundToHalf(Float32Array.of(5, 6, 7, 1))]);
  for (const _ of module.writeHalf("passed", [{ bits: roundToHalf(Float32Array.of(8, 9, 10, 11)) }], 0));
  expect(module.readEach(["passed"]).map(({ passed }) => passed)).toEqual([
    Float32Array.of(8, 9, 10, 11),
    Float32Array.of(5, 6, 7, 1.001),
  ]);
  expect(module.readState(["passed"], 1)["passed"]).toEqual(Float32Array.of(5, 6, 7, 1.001));
  expect(() => module.readState(["passed"], 2)).toThrow(/replica is 2, but the module has 2/);
  expect(() => module.writeEach([{ others: Float32Array.of(1) }])).toThrow(
    /1 replicas, but the module has 2/,
  );
  expect(() => module.writeEach([{ others: Float32Array.of(1) }, {}])).toThrow(
    /no entries for replica 1, but others for the first/,
  );
  expect(() => module.writeEach([0, 1].map(() => ({ others: new Float32Array(2) })))).toThrow(
    /SHAPE_MISMATCH/,
  );
  module.dispose();
});

describe.each([2, 3])("%i replicas", (count) => {
  it("compute side by side, are summed, and stay one model (JIT-REDUCE-3, JIT-STAGE-3)", () => {
    const module = summing("xla", count);
    expect(module.replicas).toBe(count);
    const weights = Float32Array.of(1, 2, 3);
    module.writeState({ weights, half: Float32Array.of(1, 2, 3), others: Float32Array.of(0) });
    for (let round = 0; round < 3; round++) {
      const xs = Array.from({ length: count }, (_, i) => ({ x: Float32Array.of(i, 1, round) }));
      const before = weights.slice();
      const totals = module.callEach("add", xs).map(({ total }) => total?.[0]);
      xs.forEach(({ x }, i) => {
        expect(totals[i]).toBeCloseTo(
          x.reduce((sum, value, at) => sum + value * (before[at] as number), 0),
          4,
        );
      });
      module.reduce("all");
      const sums = weights.map((value, at) => xs.reduce((sum, { x }) => sum + (x[at] as number) * value, 0));
      expect(module.readState(["sums"])["sums"]).toEqual(sums);
      module.call("apply", { rate: Float32Array.of(0.5) });
      weights.forEach((value, at) => {
        weights[at] = value - 0.5 * (sums[at] as number);
      });
      const seen = module.callEach(
        "look",
        xs.map(() => ({})),
      );
      for (const { weights: own, half } of seen) {
        expect(own).toEqual(weights);
        expect(half).toEqual(Float32Array.of(1, 2, 3));
      }
    }
    // Summed thrice, each time over what every replica had counted.
    expect(module.readState(["others"])["others"]?.[0]).toBe(((1 * count + 1) * count + 1) * count);
    for (const [limit, moves] of [
      [-1e9, 0],
      [1e9, 1],
    ] as const) {
      const xs = Array.from({ length: count }, (_, i) => Float32Array.of(i, 1, -1));
      const given = xs.map((x) => ({ x, rate: Float32Array.of(0.25), limit: Float32Array.of(limit) }));
      const gradients = xs.map((x) => weights.map((value, at) => value * (x[at] as number)));
      const gradient = weights.map((_, at) => gradients.reduce((sum, own) => sum + (own[at] as number), 0));
      const said = module.callEach("step", given);
      const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);
      for (const [replica, { own, total, moves: did, ...others }] of said.entries()) {
        expect(own?.[0]).toBeCloseTo(sum(gradients[replica] as Float32Array), 3);
        expect(total?.[0]).toBeCloseTo(sum(gradient), 3);
        expect(total).toEqual(said[0]?.["total"]);
        expect([...(did ?? [])]).toEqual([moves]);
        expect(others).toEqual({});
      }
      weights.forEach((value, at) => {
        weights[at] = value - 0.25 * moves * (gradient[at] as number);
      });
      for (const { weights: own } of module.callEach(
        "look",
        xs.map(() => ({})),
      ))
        expect(own).toEqual(weights);
    }
    expect(() => module.callEach("look", [{}])).toThrow(/inputs of 1 replicas, but the module has/);
    module.dispose();
  });
});

it("one replica is its own sum, in every mode", () => {
  for (const mode of ["eager", "graph", "xla"] as const) {
    const module = summing(mode, 1);
    module.writeState({ weights: Float32Array.of(1, 1, 1) });
    module.callEach("add", [{ x: Float32Array.of(1, 2, 3) }]);
    module.reduce("all");
    expect(module.readState(["sums"])["sums"]).toEqual(Float32Array.of(1, 2, 3));
    expect(() => module.reduce("some")).toThrow(/UNKNOWN_FUNCTION/);
    const step = { x: Float32Array.of(1, 2, 3), rate: Float32Array.of(0.5), limit: Float32Array.of(9) };
    const { total, own, ...others } = module.call("step", step);
    expect([total?.[0], own?.[0], others["moves"]?.[0], Object.keys(others)]).toEqual([6, 6, 1, ["moves"]]);
    expect(module.readState(["weights"])["weights"]).toEqual(Float32Array.of(0.5, 0, -0.5));
    module.dispose();
  }
});

it("between GPUs a sum begins when every replica has been launched (JIT-STAGE-2, JIT-STAGE-1)", () => {
  const { tf: t } = backend;
  const of = (tensors: Readonly<Record<string, tf.Tensor>>) => Object.values(tensors)[0] as tf.Tensor;
  const staged = {
    inputs: { x: vector },
    body: (_: unknown, inputs: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: { twice: t.mul(of(inputs), 2), half: t.mul(of(inputs), 0.5) },
    }),
    next: {
      sums: ["twice", "half"],
      body: (_: unknown, { twice, half }: Readonly<Record<string, tf.Tensor>>) => ({
        outputs: {},
        state: { held: t.add(twice as tf.Tensor, half as tf.Tensor) },
      }),
    },
  };
  const traced = traceStages("f", { held: vector }, staged, { fusedAttention: false, calls: true });
  const options = { xla: true, gpu: true, halfProducts: false, replicas: 2 };
  const { nodes } = buildProgram({ held: vector }, [traced], options);
  const find = (op: string) => nodes.filter((node) => node.op === op);
  const launches = find("StatefulPartitionedCall").filter(
    ({ input }) => !input.some((name) => /Nccl/.test(name)),
  );
  expect(launches.map(({ device }) => device)).toEqual(["/device:GPU:0", "/device:GPU:1"]);
  const sums = find("NcclAllReduce");
  expect(new Set(sums.map(({ attr }) => String(attr["shared_name"]?.s))).size).toBe(2);
  expect(sums).toHaveLength(4);
  for (const { input, device } of sums) {
    const summed = nodes.find(({ name }) => name === input[0]?.split(":")[0]);
    expect(summed).toMatchObject({ op: "StatefulPartitionedCall", device });
    const meeting = nodes.find(({ name }) => `^${name}` === input[1]);
    expect(meeting).toMatchObject({ op: "NoOp", device, input: launches.map(({ name }) => `^${name}`) });
  }
});

it("two GPUs are given each other's parts in their own type, and add them in one order (JIT-STAGE-1)", () => {
  const { tf: t } = backend;
  const staged = {
    inputs: { x: vector },
    body: (_: unknown, { x }: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: { half: asType(t.mul(x as tf.Tensor, 2), "bfloat16"), whole: t.mul(x as tf.Tensor, 0.5) },
    }),
    next: {
      sums: ["half", "whole"],
      body: (_: unknown, { half, whole }: Readonly<Record<string, tf.Tensor>>) => ({
        outputs: { share: t.sum(t.add(half as tf.Tensor, whole as tf.Tensor)) },
      }),
      next: {
        sums: ["share"],
        body: (_: unknown, { half, share }: Readonly<Record<string, tf.Tensor>>) => ({
          outputs: {},
          state: { held: t.mul(half as tf.Tensor, share as tf.Tensor) },
        }),
      },
    },
  };
  const traced = traceStages("f", { held: vector }, staged, { fusedAttention: false, calls: true }, 2);
  const options = { xla: true, gpu: true, halfProducts: true, replicas: 2 };
  const { nodes } = buildProgram({ held: vector }, [traced], options);
  expect(nodes.filter(({ op }) => /Nccl|AddN/.test(op))).toEqual([]);
  const launches = nodes.filter(({ op }) => op === "StatefulPartitionedCall");
  const [first, second, ...later] = launches;
  const passed = [`${first?.name}:1`, `${second?.name}:1`, first?.name, second?.name];
  expect(later.map(({ device }) => device)).toEqual([0, 1, 0, 1].map((gpu) => `/device:GPU:${gpu}`));
  for (const { input, attr } of later.slice(0, 2)) {
    expect(input.slice(0, 4)).toEqual(passed);
    expect(attr["Tin"]?.list?.type?.slice(0, 4)).toEqual([1, 1, BFLOAT16, BFLOAT16]);
  }
});

it("JIT-LAUNCH-3: the names of a function's graph are the same whatever was traced before it", () => {
  const { tf: t } = backend;
  const held = { held: vector };
  const traced = (name: string, factor: number) =>
    traceStages(
      name,
      held,
      { inputs: { x: vector }, body: (_, { x }) => ({ outputs: { y: t.mul(x as tf.Tensor, factor) } }) },
      { fusedAttention: false, calls: true },
    );
  const options = { xla: true, gpu: true, halfProducts: false, replicas: 1 };
  const first = buildProgram(held, [traced("f", 2)], options);
  traced("g", 3);
  expect(buildProgram(held, [traced("f", 2)], options)).toEqual(first);
});

it("refuses stages whose sums cannot be, in every mode", () => {
  const { tf: t } = backend;
  const of = (tensors: Readonly<Record<string, tf.Tensor>>, name: string) => tensors[name] as tf.Tensor;
  const make = (mode: "eager" | "xla", replicas: number, sums: string[], changes = false) => {
    const module = jit({
      backend,
      mode,
      replicas,
      state: { held: vector },
      functions: {
        f: {
          inputs: { x: vector },
          body: (_, inputs) => ({
            outputs: {
              x: of(inputs, "x"),
              y: t.mul(of(inputs, "x"), 2),
              sign: t.greater(of(inputs, "x"), 0),
            },
            ...(changes ? { state: { held: t.mul(of(inputs, "x"), 3) } } : {}),
          }),
          next: { sums, body: () => ({ outputs: {} }) },
        },
      },
    });
    if (mode === "eager") module.call("f", { x: Float32Array.of(1, 2, 3) });
    module.dispose();
  };
  for (const [mode, replicas] of [
    ["eager", 1],
    ["xla", 1],
    ["xla", 2],
  ] as const) {
    expect(() => make(mode, replicas, ["z"])).toThrow(/sums z, which the previous stage does not return/);
    expect(() => make(mode, replicas, ["x"])).toThrow(/sums x, which is also the name of an input/);
    expect(() => make(mode, replicas, ["y"], true)).toThrow(/changes state held before its last stage/);
  }
  expect(() => make("xla", 2, ["sign"])).toThrow(/sums sign, which is bool; only float32/);
});

it("refuses replicas that there are no devices for, and sums of what is not float32", () => {
  expect(() => checkReplicas(2, "graph", { gpu: false })).toThrow(
    /replicas is 2, but mode graph.*use mode xla/,
  );
  expect(() => checkReplicas(4, "xla", { gpu: true, gpus: 2 })).toThrow(
    /replicas is 4, which need a GPU each, but this process sees 2/,
  );
  expect(() => checkReplicas(0, "xla", { gpu: false })).toThrow(/whole number > 0/);
  expect(() => checkReplicas(2, "xla", { gpu: true, gpus: 2 })).not.toThrow();
  const options = {
    backend,
    mode: "xla" as const,
    functions: {},
    state: { half: { ...vector, stored: "bfloat16" as const } },
  };
  expect(() => jit({ ...options, reductions: { all: ["half"] } })).toThrow(
    /half, which is stored as bfloat16/,
  );
  expect(() => jit({ ...options, reductions: { all: ["none"] } })).toThrow(/none, which is not in the state/);
});

it("counts the GPUs that CUDA shows a process", () => {
  const { gpus: there } = visibleGpus(undefined);
  const among = (named: number) => ({ gpus: there === undefined ? named : Math.min(named, there) });
  expect(visibleGpus("0,1")).toEqual(among(2));
  expect(visibleGpus("GPU-3a, GPU-3b,-1,2")).toEqual(among(2));
  expect(visibleGpus("")).toEqual(among(0));
});
