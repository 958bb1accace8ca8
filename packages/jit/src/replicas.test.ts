/** Several copies of a state: on a CPU they share it, where a GPU each would have one; what is launched is the same. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Backend, loadBackend } from "./backend.js";
import { visibleGpus } from "./gpu-device.js";
import { jit } from "./module.js";
import { checkReplicas } from "./replica-checks.js";
import type { tf } from "./tf.js";

let backend: Backend;
beforeAll(async () => {
  backend = await loadBackend({ prefer: "tensorflow" });
});

const vector = { shape: [3], dtype: "float32" } as const;

function summing(mode: "eager" | "xla", replicas: number) {
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
        inputs: { rate: { shape: [], dtype: "float32" } },
        body: (state, inputs) => ({
          outputs: {},
          state: {
            weights: t.sub(of(state, "weights"), t.mul(of(state, "sums"), of(inputs, "rate"))),
            sums: t.zerosLike(of(state, "sums")),
          },
        }),
      },
      look: {
        inputs: {},
        body: (state) => ({ outputs: { weights: of(state, "weights"), half: of(state, "half") } }),
      },
    },
    reductions: { all: ["sums", "others"] },
  });
}

describe.each([2, 3])("%i replicas", (count) => {
  it("compute side by side, are summed, and stay one model", () => {
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
    expect(() => module.callEach("look", [{}])).toThrow(/inputs of 1 replicas, and the module has/);
    module.dispose();
  });
});

it("one replica is its own sum, in every mode", () => {
  for (const mode of ["eager", "xla"] as const) {
    const module = summing(mode, 1);
    module.writeState({ weights: Float32Array.of(1, 1, 1) });
    module.callEach("add", [{ x: Float32Array.of(1, 2, 3) }]);
    module.reduce("all");
    expect(module.readState(["sums"])["sums"]).toEqual(Float32Array.of(1, 2, 3));
    expect(() => module.reduce("some")).toThrow(/UNKNOWN_FUNCTION/);
    module.dispose();
  }
});

it("refuses replicas that there are no devices for, and sums of what is not float32", () => {
  expect(() => checkReplicas(2, "graph", { gpu: false })).toThrow(
    /replicas is 2 in mode graph.*use mode xla/,
  );
  expect(() => checkReplicas(4, "xla", { gpu: true, gpus: 2 })).toThrow(
    /replicas is 4, a GPU each, and this process sees 2/,
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
