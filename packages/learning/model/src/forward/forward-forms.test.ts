import { type JitBody, jit, loadBackend, tf } from "@palimpsest/jit";
import { describe, expect, it } from "vitest";
import type { ModelConfig, ModelConfigInput } from "../base/config.js";
import { loraShapes } from "../base/lora.js";
import { initParameters, parameterShapes } from "../base/parameters.js";
import { normalGenerator } from "../base/random.js";
import { smallConfig } from "../testing/index.js";
import { forwardHidden, forwardRows } from "./forward.js";
import type { ForwardOptions } from "./forward-options.js";
import { tokenStatistics } from "./token-statistics.js";

const backend = await loadBackend();

const rows = 2;
const length = 9;
const ids = Int32Array.from({ length: rows * length }, (_, i) => (i * 7) % 20);

const configOf = (
  architecture: ModelConfig["architecture"],
  tieWordEmbeddings: boolean,
  changes: Partial<ModelConfigInput> = {},
): ModelConfig =>
  smallConfig({
    architecture,
    vocabSize: 20,
    hiddenSize: 8,
    layers: 7,
    heads: 4,
    kvHeads: 2,
    headDim: 4,
    intermediateSize: 12,
    tieWordEmbeddings,
    maxPositions: 16,
    ...changes,
  });

/** A model whose layers attend differently, and one in which all have a window. */
const mixed = configOf("gemma3", false, {
  ropeScaling: { type: "linear", factor: 3 },
  slidingWindow: { size: 3, layers: Array.from({ length: 7 }, (_, i) => i % 3 !== 2), ropeTheta: 50 },
  queryPreAttnScalar: 3,
});
const narrow = configOf("llama", false, { slidingWindow: { size: 2, layers: Array(7).fill(true) } });

type Mode = "auto" | "eager";
type Values = Readonly<Record<string, Float32Array>>;

/** Runs a body over a model's weights as state, and gives its outputs. */
function run(shapes: Record<string, readonly number[]>, values: Values, mode: Mode, body: JitBody) {
  const state = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, { shape, dtype: "float32" as const }]),
  );
  const inputs = { ids: { shape: [rows, length], dtype: "int32" as const } };
  const module = jit({ backend, mode, state, functions: { it: { inputs, body } } });
  try {
    module.writeState(values);
    return module.call("it", { ids });
  } finally {
    module.dispose();
  }
}

interface Form extends ForwardOptions {
  readonly chunk?: number;
  readonly headFrozen?: boolean;
  /** Places [B·T] that the loss reads; absent: all. */
  readonly places?: readonly number[];
  /** They are picked from all final states. */
  readonly pickedLast?: boolean;
}

/** A loss that uses every weight, of log-probabilities and entropies; its value and gradients in `names`. */
function lossAndGradients(config: ModelConfig, names: readonly string[], form: Form): JitBody {
  return (state, inputs) => {
    const tokens = inputs["ids"] as tf.Tensor;
    const loss = (...values: tf.Tensor[]): tf.Scalar => {
      const weights = {
        ...state,
        ...Object.fromEntries(names.map((name, i) => [name, values[i] as tf.Tensor])),
      };
      const places = tf.tensor1d([...(form.places ?? Array(rows * length).keys())], "int32");
      const all = () =>
        forwardHidden(weights, tokens, config, form).reshape([rows * length, config.hiddenSize]);
      const some = () => forwardRows(weights, tokens, places, config, form);
      const hidden =
        form.pickedLast === true ? tf.gather(all(), places) : form.places === undefined ? all() : some();
      const head = weights[config.tieWordEmbeddings ? "embedding" : "head"] as tf.Tensor;
      const { logprobs, entropy } = tokenStatistics(
        hidden,
        head,
        tf.gather(tokens.reshape([rows * length]), places),
        {
          entropy: "gradient",
          chunk: form.chunk,
          headFrozen: form.headFrozen,
        },
      );
      return logprobs.mean().add((entropy as tf.Tensor).square().mean()) as tf.Scalar;
    };
    const { value, grads } = tf.valueAndGrads(loss)(names.map((name) => state[name] as tf.Tensor));
    return {
      outputs: { value, ...Object.fromEntries(names.map((name, i) => [name, grads[i] as tf.Tensor])) },
    };
  };
}

function expectEqual(actual: ReturnType<typeof run>, expected: ReturnType<typeof run>): void {
  expect(Object.keys(actual).toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [name, wanted] of Object.entries(expected)) {
    const largest = Math.max(...Array.from(wanted, Math.abs));
    const given = actual[name] ?? [];
    const worst = Math.max(...Array.from(wanted, (value, i) => Math.abs(value - (given[i] as number))));
    // A loss of several nats is exact to 1e-6 in float32, and some processors round its gradients (Gemma's most) to a few times that.
    expect(worst, name).toBeLessThan(2e-5 * largest + 4e-6);
    expect(largest, name).toBeGreaterThan(1e-5);
  }
}

/** What the forms of a pass are held against: loss and gradients of the plain one, computed once a mode and model. */
const plainPasses = new Map<string, ReturnType<typeof run>>();

function plainPass(config: ModelConfig, mode: Mode): ReturnType<typeof run> {
  const key = JSON.stringify([config, mode]);
  const known = plainPasses.get(key);
  if (known !== undefined) return known;
  const shapes = parameterShapes(config);
  const plain = run(shapes, weightsOf(config), mode, lossAndGradients(config, Object.keys(shapes), {}));
  plainPasses.set(key, plain);
  return plain;
}

function weightsOf(config: ModelConfig): Values {
  return initParameters(config, 5, { projectionStd: 0.2, residualStd: 0.2 });
}

const forms: readonly [string, Form][] = [
  ["layers as a loop", { layers: "scan" }],
  ["layers as a loop that keeps products", { layers: "scan", keep: "products" }],
  ["the head in chunks", { chunk: 5 }],
  ["attention in blocks", { attentionBlock: 2 }],
  ["attention in a loop's blocks, the head in chunks", { layers: "scan", attentionBlock: 4, chunk: 7 }],
];

describe.each(["auto", "eager"] as const)("a pass in mode %s", (mode) => {
  it.each([{}, { layers: "scan" as const }])(
    "%o gives the states of some places, and what flows back from them",
    (form) => {
      const config = configOf("llama", true);
      const shapes = parameterShapes(config);
      const weights = weightsOf(config);
      const names = Object.keys(shapes);
      const places = [3, 4, 11, 3, 17];
      const gathered = lossAndGradients(config, names, { places, pickedLast: true });
      const plain = run(shapes, weights, mode, gathered);
      expectEqual(run(shapes, weights, mode, lossAndGradients(config, names, { ...form, places })), plain);
    },
  );

  describe.each(forms)("with %s", (_name, form) => {
    // What differs between the architectures is one body in both modes.
    const all = [
      ["qwen3", configOf("qwen3", false)],
      ["gemma3 with windows", mixed],
      ["llama", configOf("llama", true)],
      ["llama with windows", narrow],
      ["qwen2", configOf("qwen2", false)],
    ] as const;
    it.each(mode === "eager" ? all.slice(0, 2) : all)(
      "gives the loss and gradients of the plain %s",
      (_model, config) => {
        const shapes = parameterShapes(config);
        const formed = lossAndGradients(config, Object.keys(shapes), form);
        expectEqual(run(shapes, weightsOf(config), mode, formed), plainPass(config, mode));
      },
    );
  });

  it.each(["unrolled", "scan"] as const)("of %s layers trains adapters as their product asks", (layers) => {
    const config = configOf("llama", true);
    const base = weightsOf(config);
    const adapters = loraShapes(config, { rank: 2, targets: ["query", "down"] });
    const nextNormal = normalGenerator(3, "adapters");
    const values = Object.fromEntries(
      Object.entries(adapters).map(([name, shape]) => [
        name,
        Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => 0.3 * nextNormal()),
      ]),
    );
    const scale = 0.7;
    const shapes = { ...parameterShapes(config), ...adapters };
    const names = Object.keys(adapters);
    const form: Form = {
      layers,
      loraScale: scale,
      headFrozen: true,
      chunk: 5,
    };
    const own = run(shapes, { ...base, ...values }, mode, lossAndGradients(config, names, form));
    // W + s·A·B in place of W: then dA = s · dW · Bᵀ and dB = s · Aᵀ · dW.
    const merged = { ...base };
    for (const name of ["layers.query", "layers.down"]) {
      const [L, inWidth, outWidth] = parameterShapes(config)[name] as [number, number, number];
      const product = (a: string, b: string, layer: number, i: number, j: number): number =>
        [0, 1].reduce(
          (sum, r) =>
            sum +
            ((values[a] as Float32Array)[(layer * inWidth + i) * 2 + r] as number) *
              ((values[b] as Float32Array)[(layer * 2 + r) * outWidth + j] as number),
          0,
        );
      merged[name] = (base[name] as Float32Array).map((w, at) => {
        const layer = Math.floor(at / (inWidth * outWidth));
        const within = at % (inWidth * outWidth);
        const added = product(
          `${name}.loraA`,
          `${name}.loraB`,
          layer,
          Math.floor(within / outWidth),
          within % outWidth,
        );
        expect(layer).toBeLessThan(L);
        return w + scale * added;
      });
    }
    const full = run(
      parameterShapes(config),
      merged,
      mode,
      lossAndGradients(config, ["layers.query", "layers.down"], {}),
    );
    const wanted: Record<string, Float32Array> = { value: full["value"] as Float32Array };
    for (const name of ["layers.query", "layers.down"]) {
      const [L, inWidth, outWidth] = parameterShapes(config)[name] as [number, number, number];
      const slope = full[name] as Float32Array;
      const [a, b] = [values[`${name}.loraA`] as Float32Array, values[`${name}.loraB`] as Float32Array];
      const ofA = new Float32Array(a.length);
      const ofB = new Float32Array(b.length);
      for (let layer = 0; layer < L; layer++)
        for (let i = 0; i < inWidth; i++)
          for (let j = 0; j < outWidth; j++)
            for (let r = 0; r < 2; r++) {
              const g = scale * (slope[(layer * inWidth + i) * outWidth + j] as number);
              const [atA, atB] = [(layer * inWidth + i) * 2 + r, (layer * 2 + r) * outWidth + j];
              ofA[atA] = (ofA[atA] as number) + g * (b[atB] as number);
              ofB[atB] = (ofB[atB] as number) + g * (a[atA] as number);
            }
      wanted[`${name}.loraA`] = ofA;
      wanted[`${name}.loraB`] = ofB;
    }
    expectEqual(own, wanted);
  });

  it.each([
    ["dense", {}, configOf("qwen3", false)],
    ["blocked", { attentionBlock: 3, layers: "scan" }, configOf("qwen3", false)],
    ["dense, with windows", {}, mixed],
    ["blocked, with windows", { attentionBlock: 3, layers: "scan" }, mixed],
    ["blocked, with windows in all layers", { attentionBlock: 3 }, narrow],
  ] as const)("gives rows packed into one sequence (%s) what they have alone", (_name, form, config) => {
    const weights = weightsOf(config);
    const segments = [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 1, 1, 1, 1, 2];
    const positions = [0, 1, 2, 3, 0, 1, 2, 0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 0];
    const hidden = (tokens: tf.Tensor, state: Readonly<Record<string, tf.Tensor>>, options: ForwardOptions) =>
      forwardHidden(state, tokens, config, options);
    const out = run(parameterShapes(config), weights, mode, (state, inputs) => {
      const tokens = inputs["ids"] as tf.Tensor;
      const packing = {
        segments: tf.tensor2d(segments, [rows, length], "int32"),
        positions: tf.tensor2d(positions, [rows, length], "int32"),
      };
      return {
        outputs: {
          packed: hidden(tokens, state, { ...form, packing }),
          second: hidden(tokens.slice([0, 4], [1, 3]), state, {}),
          long: hidden(tokens.slice([1, 1], [1, 7]), state, {}),
        },
      };
    });
    const D = config.hiddenSize;
    const worst = (name: string, from: number): number =>
      Math.max(
        ...Array.from(out[name] ?? [], (value, i) => Math.abs(value - (out["packed"]?.[from * D + i] ?? 9))),
      );
    expect(worst("second", 4)).toBeLessThan(1e-5);
    expect(worst("long", length + 1)).toBeLessThan(1e-5);
  });
});
