/**
 * Compares what jit does on a GPU with the same in float32: attention by cuDNN in every form, updates of a small
 * learner, and state that is updated in place.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/fused.ts CASE [--json FILE] with CASE attention, learner, models
 * FOLDER… or donation. Set NVIDIA_TF32_OVERRIDE=0 for all but the last: float32 is TF32 without it.
 */
import { parseArgs } from "node:util";
import {
  type AttentionOptions,
  attention,
  type JitPrecision,
  jit,
  loadBackend,
  packedSegments,
  type TensorSpec,
  type Tensors,
} from "../../packages/learning/jit/src/index.js";
import { createLearner } from "../../packages/learning/learner/src/index.js";
import {
  forwardHidden,
  loadModel,
  parameterShapes,
  parseModelConfig,
  tokenStatistics,
} from "../../packages/learning/model/src/index.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { writeResult } from "../result-file.js";
import { usedMiB } from "./memory-watch.js";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" } },
});
const backend = await loadBackend({ prefer: "tensorflow", threads: 8 });
const { tf } = backend;
type Tensor = Tensors[string];
type Scalar = ReturnType<typeof tf.scalar>;
const results: object[] = [];

function report(result: object): void {
  results.push(result);
  console.log(JSON.stringify(result));
}

/** Returns roughly normally distributed numbers that bfloat16 represents exactly. */
function numbers(size: number, seed: number): Float32Array {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const words = new Uint32Array(
    Float32Array.from({ length: size }, () => 1.7 * (next() + next() + next() + next())).buffer,
  );
  return new Float32Array(words.map((word) => word & 0xffff0000).buffer);
}

function need(tensors: Tensors, name: string): Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new Error(`no tensor ${name}`);
  return tensor;
}

interface AttentionCase {
  readonly B: number;
  readonly T: number;
  readonly H: number;
  readonly G: number;
  readonly d: number;
  readonly causal?: boolean;
  readonly lengths?: readonly number[];
  /** The number of tokens of each segment of each sequence. */
  readonly segments?: readonly (readonly number[])[];
  readonly prefix?: { readonly P: number; readonly Lp: number; readonly lengths?: readonly number[] };
}

const small = { B: 2, T: 256, H: 4, G: 2, d: 64 };
const attentionCases: Readonly<Record<string, AttentionCase>> = {
  causal: small,
  "every key": { ...small, causal: false },
  "width 128, 100 positions": { ...small, T: 100, d: 128 },
  "14 heads on 2, 2047 positions": { B: 1, T: 2047, H: 14, G: 2, d: 64 },
  lengths: { ...small, lengths: [256, 130] },
  "segments, full": { ...small, segments: [[100, 90, 66], [256]] },
  "segments with gaps": {
    ...small,
    segments: [
      [100, 50],
      [30, 40, 17],
    ],
  },
  prefix: { ...small, B: 6, T: 96, prefix: { P: 2, Lp: 192 } },
  "prefix with lengths": { ...small, B: 6, T: 96, prefix: { P: 2, Lp: 192, lengths: [192, 75] } },
};

function attentionForm({ B, T, H, G, d, causal = true, lengths, segments, prefix }: AttentionCase) {
  const specs: Record<string, TensorSpec> = {};
  const values: Record<string, Float32Array | Int32Array> = {};
  const give = (name: string, shape: number[], array: Float32Array | Int32Array): void => {
    specs[name] = { shape, dtype: array instanceof Float32Array ? "float32" : "int32" };
    values[name] = array;
  };
  give("q", [B, T, H, d], numbers(B * T * H * d, 1));
  give("k", [B, T, G, d], numbers(B * T * G * d, 2));
  give("v", [B, T, G, d], numbers(B * T * G * d, 3));
  give("above", [B, T, H, d], numbers(B * T * H * d, 4));
  const counts = new Float32Array(B * T).fill(1);
  if (lengths !== undefined) {
    give("lengths", [B], Int32Array.from(lengths));
    counts.forEach((_, at) => {
      counts[at] = at % T < (lengths[Math.floor(at / T)] ?? 0) ? 1 : 0;
    });
  }
  const ids = new Int32Array(B * T);
  let number = 0;
  segments?.forEach((row, sequence) => {
    let at = sequence * T;
    for (const length of row) {
      number += 1;
      ids.fill(number, at, at + length);
      at += length;
    }
  });
  if (segments !== undefined) {
    give("ids", [B, T], ids);
    counts.forEach((_, at) => {
      counts[at] = (ids[at] ?? 0) > 0 ? 1 : 0;
    });
  }
  give("counts", [B, T, 1, 1], counts);
  if (prefix !== undefined) {
    const { P, Lp } = prefix;
    give("pk", [P, Lp, G, d], numbers(P * Lp * G * d, 5));
    give("pv", [P, Lp, G, d], numbers(P * Lp * G * d, 6));
    if (prefix.lengths !== undefined) give("plengths", [P], Int32Array.from(prefix.lengths));
  }
  const options = (i: Tensors, pk?: Tensor, pv?: Tensor): AttentionOptions => ({
    causal,
    ...(lengths === undefined ? {} : { lengths: { queries: need(i, "lengths"), keys: need(i, "lengths") } }),
    ...(segments === undefined ? {} : { segments: packedSegments(need(i, "ids"), number) }),
    ...(pk === undefined || pv === undefined
      ? {}
      : {
          prefix: {
            keys: pk,
            values: pv,
            ...(prefix?.lengths === undefined ? {} : { lengths: need(i, "plengths") }),
          },
        }),
  });
  const names = ["q", "k", "v", ...(prefix === undefined ? [] : ["pk", "pv"])];
  const body = (_: Tensors, i: Tensors) => {
    const f = (...all: Tensor[]): Tensor => {
      const [q, k, v, pk, pv] = all as [Tensor, Tensor, Tensor, Tensor?, Tensor?];
      // Padding may hold any value, even NaN, so it is left out instead of multiplied by zero.
      const output = attention(q, k, v, options(i, pk, pv));
      const isCounted = tf.tile(need(i, "counts").greater(0.5), [1, 1, H, d]);
      return tf.where(isCounted, output, tf.zerosLike(need(i, "above")));
    };
    const given = names.map((name) => need(i, name));
    const { value, grads } = tf.valueAndGrads(
      (...all: Tensor[]) =>
        f(...all)
          .mul(need(i, "above"))
          .sum() as Scalar,
    )(given);
    const gradients = Object.fromEntries(names.map((name, at) => [`d${name}`, grads[at] as Tensor]));
    return { outputs: { o: f(...given), sum: value, ...gradients } };
  };
  return { specs, values, body };
}

/** ‖a − b‖ / ‖b‖ */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [difference, size] = [0, 0];
  for (let at = 0; at < b.length; at++) {
    difference += ((a[at] ?? Number.NaN) - (b[at] ?? 0)) ** 2;
    size += (b[at] ?? 0) ** 2;
  }
  return Math.sqrt(difference / size);
}

function checkAttention(): void {
  for (const [name, given] of Object.entries(attentionCases)) {
    try {
      const { specs, values, body } = attentionForm(given);
      const run = (precision: JitPrecision) => {
        const module = jit({
          backend,
          state: {},
          functions: { f: { inputs: specs, body } },
          mode: "xla",
          precision,
        });
        const outputs = module.call("f", values);
        module.dispose();
        return outputs;
      };
      const [fused, plain] = [run("bfloat16"), run("float32")];
      const rms = Object.fromEntries(
        Object.entries(plain)
          .filter(([output]) => output !== "sum")
          .map(([output, array]) => [output, Number(distance(fused[output] ?? [], array).toExponential(2))]),
      );
      report({ what: "attention", name, rms });
    } catch (error) {
      report({ what: "attention", name, error: String(error).slice(0, 600) });
    }
  }
}

/** Packed pieces over what a table of slots holds of them: pieces with and without a past, an unused one, and padding. */
function checkPast(): void {
  const [T, H, G, d, slots, L] = [512, 14, 2, 128, 6, 1024];
  const pieces = [
    { tokens: 200, slot: 4, past: 900 },
    { tokens: 1, slot: 0, past: 1 },
    { tokens: 130, slot: 5, past: 0 },
    { tokens: 97, slot: 2, past: 513 },
  ];
  const ids = new Int32Array(T);
  let at = 0;
  pieces.forEach(({ tokens }, i) => {
    ids.fill(i + 1, at, at + tokens);
    at += tokens;
  });
  const table = { keys: numbers(slots * L * G * d, 5), values: numbers(slots * L * G * d, 6) };
  // What lies behind the pasts may be anything.
  for (const { slot, past } of pieces)
    table.values.fill(1e30, (slot * L + past) * G * d, (slot + 1) * L * G * d);
  const ints = (of: (piece: (typeof pieces)[number]) => number): Int32Array =>
    Int32Array.from({ length: pieces.length + 1 }, (_, i) => (pieces[i] === undefined ? 0 : of(pieces[i])));
  const values = {
    q: numbers(T * H * d, 1),
    k: numbers(T * G * d, 2),
    v: numbers(T * G * d, 3),
    ...table,
    ids,
    rows: ints(({ slot }) => slot),
    lengths: ints(({ past }) => past),
  };
  const shapes = { q: [1, T, H, d], k: [1, T, G, d], v: [1, T, G, d], ids: [1, T] };
  const whole = { keys: [slots, L, G, d], values: [slots, L, G, d], rows: [5], lengths: [5] };
  const inputs = Object.fromEntries(
    Object.entries({ ...shapes, ...whole }).map(([name, shape]) => {
      const isInt = values[name as keyof typeof values] instanceof Int32Array;
      return [name, { shape, dtype: isInt ? ("int32" as const) : ("float32" as const) }];
    }),
  );
  const body = (_: Tensors, i: Tensors) => {
    const past = {
      keys: need(i, "keys"),
      values: need(i, "values"),
      rows: need(i, "rows"),
      lengths: need(i, "lengths"),
    };
    const segments = packedSegments(need(i, "ids"), pieces.length + 1);
    const o = attention(need(i, "q"), need(i, "k"), need(i, "v"), { causal: true, segments, past });
    const isCounted = need(i, "ids").greater(tf.scalar(0, "int32")).reshape([1, T, 1, 1]);
    return { outputs: { o: tf.where(isCounted, o, tf.zerosLike(o)) } };
  };
  const run = (precision: JitPrecision) => {
    const module = jit({ backend, state: {}, functions: { f: { inputs, body } }, mode: "xla", precision });
    const { o } = module.call("f", values);
    module.dispose();
    return o ?? [];
  };
  report({
    what: "attention",
    name: "past",
    rms: Number(distance(run("bfloat16"), run("float32")).toExponential(2)),
  });
}

const learnerBuckets = {
  plain: { rows: 8, length: 128 },
  packed: { rows: 4, length: 256, packedRows: 8 },
  shared: { rows: 8, length: 128, sharedPrompts: { length: 64, replies: 8 } },
} as const;

async function checkLearner(): Promise<void> {
  const model = parseModelConfig({
    architecture: "qwen2",
    vocabSize: 1024,
    hiddenSize: 256,
    layers: 6,
    heads: 4,
    kvHeads: 2,
    headDim: 64,
    intermediateSize: 688,
    tieWordEmbeddings: true,
    maxPositions: 256,
  });
  for (const [name, bucket] of Object.entries(learnerBuckets)) {
    const train = async (precision: JitPrecision, keep: "nothing" | "products") => {
      const learner = createLearner({
        backend,
        mode: "xla",
        model,
        parameters: quickParameters(model),
        objectives: ["policy"],
        config: {
          preset: "memagent",
          reference: "none",
          kl: { coefficient: 0 },
          schedule: { learningRate: 1e-3, warmupSteps: 0 },
          buckets: [bucket],
          memory: { keep, logitsMb: 1 },
          precision,
        },
      });
      // Rows have 112 of 128 tokens, so that there is padding.
      const groups = fullRowGroups({ rows: 8, length: 112, vocabSize: model.vocabSize, groupSize: 8 });
      const steps: { loss: number; gradientNorm: number; entropy?: unknown }[] = [];
      for (let step = 0; step < 3; step++) {
        const { loss, gradientNorm } = await learner.update(groups);
        steps.push({ loss, gradientNorm });
      }
      learner.close();
      return steps;
    };
    try {
      report({
        what: "learner",
        name,
        float32: await train("float32", "nothing"),
        bfloat16: await train("bfloat16", "nothing"),
        kept: await train("bfloat16", "products"),
      });
    } catch (error) {
      report({ what: "learner", name, error: String(error).slice(0, 900) });
    }
  }
}

/**
 * Compares log-probabilities of tokens and the gradients of their sum in bfloat16 with float32, on the weights of model
 * folders.
 */
async function checkModels(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      const { config, parameters } = await loadModel(folder);
      const names = Object.keys(parameters);
      const shapes = parameterShapes(config);
      const [rows, length] = [4, 48];
      const ids = Int32Array.from({ length: rows * length }, (_, at) => (at * 7919 + 13) % config.vocabSize);
      const run = (precision: JitPrecision) => {
        const body = (state: Tensors, inputs: Tensors) => {
          const tokenIds = need(inputs, "ids");
          let kept: Tensor = tf.scalar(0);
          const { grads } = tf.valueAndGrads((...all: Tensor[]) => {
            const weights = Object.fromEntries(names.map((name, at) => [name, all[at] as Tensor]));
            const hidden = forwardHidden(weights, tokenIds, config, { layers: "scan", keep: "products" });
            const head = need(weights, config.tieWordEmbeddings ? "embedding" : "head");
            const flat = hidden.reshape([rows * length, config.hiddenSize]);
            const { logprobs } = tokenStatistics(flat, head, tokenIds.reshape([rows * length]), {});
            kept = tf.keep(logprobs);
            return logprobs.mean() as Scalar;
          })(names.map((name) => need(state, name)));
          return {
            outputs: { kept, ...Object.fromEntries(names.map((name, at) => [name, grads[at] as Tensor])) },
          };
        };
        const module = jit({
          backend,
          mode: "xla",
          precision,
          state: Object.fromEntries(
            names.map((name) => [name, { shape: shapes[name] ?? [], dtype: "float32" as const }]),
          ),
          functions: { f: { inputs: { ids: { shape: [rows, length], dtype: "int32" } }, body } },
        });
        module.writeState(parameters);
        const outputs = module.call("f", { ids });
        module.dispose();
        return outputs;
      };
      const [half, whole] = [run("bfloat16"), run("float32")];
      let [dot, a, b, worst, sum] = [0, 0, 0, 0, 0];
      for (const name of names)
        whole[name]?.forEach((value, at) => {
          const other = half[name]?.[at] ?? Number.NaN;
          dot += value * other;
          a += value * value;
          b += other * other;
        });
      whole["kept"]?.forEach((value, at) => {
        const difference = Math.abs(value - (half["kept"]?.[at] ?? Number.NaN));
        worst = Math.max(worst, difference);
        sum += difference;
      });
      const headDim = config.headDim;
      report({
        what: "model",
        folder,
        headDim,
        logprobMax: worst,
        logprobMean: sum / (rows * length),
        cosine: dot / Math.sqrt(a * b),
      });
    } catch (error) {
      report({ what: "model", folder, error: String(error).slice(0, 600) });
    }
  }
}

/** Checks that 24 GB of float32 in 8 entries are updated in place: first one row of each, then all of it. */
function checkDonation(): void {
  const [entries, rows, columns] = [8, 1024, 732_000];
  const shape = [rows, 1, columns];
  const names = Array.from({ length: entries }, (_, at) => `s${at}`);
  const module = jit({
    backend,
    mode: "xla",
    state: Object.fromEntries(names.map((name) => [name, { shape, dtype: "float32" as const }])),
    functions: {
      row: {
        inputs: { at: { shape: [1, 2], dtype: "int32" } },
        body: (state, inputs) => ({
          outputs: { y: tf.scalar(0) },
          state: Object.fromEntries(
            names.map((name) => {
              const table = need(state, name);
              const row = tf.fill([1, columns], 3);
              return [name, tf.tensorScatterUpdate(table, need(inputs, "at"), row)];
            }),
          ),
        }),
      },
      all: {
        inputs: { x: { shape: [], dtype: "float32" } },
        body: (state, inputs) => ({
          outputs: { y: tf.scalar(0) },
          state: Object.fromEntries(
            names.map((name) => [name, need(state, name).mul(0.5).add(need(inputs, "x"))]),
          ),
        }),
      },
    },
  });
  const time = (name: string, inputs: Record<string, Float32Array | Int32Array>): number => {
    for (let call = 0; call < 2; call++) module.call(name, inputs);
    const from = performance.now();
    for (let call = 0; call < 20; call++) module.call(name, inputs);
    return Number(((performance.now() - from) / 20).toFixed(2));
  };
  const rowMs = time("row", { at: Int32Array.of(5, 0) });
  const afterRow = usedMiB();
  const allMs = time("all", { x: Float32Array.of(1) });
  report({ what: "donation", stateGb: 24, rowMs, allMs, usedMiB: [afterRow, usedMiB()] });
  module.dispose();
}

const [wanted, ...folders] = positionals;
if (wanted === "attention") {
  checkAttention();
  checkPast();
} else if (wanted === "learner") await checkLearner();
else if (wanted === "models") await checkModels(folders);
else if (wanted === "donation") checkDonation();
else throw new Error(`${wanted} is no case; give attention, learner, models or donation`);
if (flags.json !== undefined) writeResult(flags.json, results);
