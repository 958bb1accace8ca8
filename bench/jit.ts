/**
 * Measures what a call and an operation cost on the host, and an update of a small decoder (gradients and AdamW) in
 * modes eager, graph and xla. Usage: tsx bench/jit.ts [--backend tensorflow|wasm|cpu] [--modes graph,xla] [--batch 64]
 * [--seconds 3] [--size tiny|small|0.5B] [--length 64] [--precision float32|bfloat16] [--json]; with --load-only it
 * only traces and loads the update, which allocates no state.
 */

import {
  type Backend,
  type HostArrays,
  type JitMode,
  jit,
  loadBackend,
  pickLogprob,
  scan,
  scatterRows,
  type TensorSpec,
  type Tensors,
} from "../packages/learning/jit/src/index.js";
import { benchFlags } from "./flags.js";
import { kernelCost } from "./kernel-cost.js";

type Tensor = Tensors[string];

const flags = benchFlags({
  backend: "auto",
  modes: undefined,
  batch: "64",
  length: "64",
  seconds: "3",
  size: "tiny",
  precision: "float32",
  "load-only": false,
  json: false,
});

const sizes = {
  tiny: { vocab: 256, width: 64, layers: 2, heads: 4, keys: 2, inner: 172 },
  small: { vocab: 1024, width: 256, layers: 4, heads: 4, keys: 4, inner: 688 },
  "0.5B": { vocab: 151_936, width: 896, layers: 24, heads: 14, keys: 2, inner: 4864 },
} as const;

const size = sizes[flags.size as keyof typeof sizes];
const batch = Number(flags.batch);
const length = Number(flags.length);
const seconds = Number(flags.seconds);

const backend = await loadBackend({ prefer: flags.backend as "auto" });
const { tf } = backend;
const modes = (flags.modes?.split(",") ??
  (backend.name === "tensorflow" ? ["eager", "graph", "xla"] : ["eager"])) as JitMode[];

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("missing");
  return value;
}

function shapes(): Record<string, readonly number[]> {
  const { vocab, width, layers, heads, keys, inner } = size;
  const head = width / heads;
  return {
    embedding: [vocab, width],
    finalNorm: [width],
    norm1: [layers, width],
    norm2: [layers, width],
    query: [layers, width, width],
    key: [layers, width, keys * head],
    value: [layers, width, keys * head],
    output: [layers, width, width],
    gate: [layers, width, inner],
    up: [layers, width, inner],
    down: [layers, inner, width],
  };
}

const LAYER = ["norm1", "norm2", "query", "key", "value", "output", "gate", "up", "down"] as const;

function normalized(x: Tensor, gain: Tensor): Tensor {
  const scale = tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), 1e-6));
  return tf.mul(tf.mul(x, scale), gain);
}

function rotaryTables(): { cos: Tensor; sin: Tensor } {
  const head = size.width / size.heads;
  const angles = Float32Array.from({ length: length * head }, (_, index) => {
    const [position, lane] = [Math.floor(index / head), index % head];
    return position / 1e4 ** ((2 * (lane % (head / 2))) / head);
  });
  const table = (f: (angle: number) => number) => tf.tensor(angles.map(f), [1, 1, length, head]);
  return { cos: table(Math.cos), sin: table(Math.sin) };
}

function decoderBlock(): (x: Tensor, weights: readonly Tensor[]) => Tensor {
  const { width, heads, keys } = size;
  const head = width / heads;
  const group = heads / keys;
  const { cos, sin } = rotaryTables();
  const positions = Int32Array.from({ length }, (_, index) => index);
  const later = tf.greater(tf.tensor(positions, [1, 1, 1, length]), tf.tensor(positions, [1, 1, length, 1]));
  const mask = tf.mul(tf.cast(later, "float32"), -1e9);
  const rotated = (x: Tensor): Tensor => {
    const [a, b] = tf.split(x, 2, -1);
    return tf.add(tf.mul(x, cos), tf.mul(tf.concat([tf.neg(need(b)), need(a)], -1), sin));
  };
  const split = (x: Tensor, count: number): Tensor =>
    tf.transpose(tf.reshape(x, [batch, length, count, head]), [0, 2, 1, 3]);
  return (x, weights) => {
    const [norm1, norm2, query, key, value, output, gate, up, down] = weights.map(need);
    const h = normalized(x, need(norm1));
    const q = tf.reshape(rotated(split(tf.matMul(h, need(query)), heads)), [
      batch * keys,
      group * length,
      head,
    ]);
    const k = tf.reshape(rotated(split(tf.matMul(h, need(key)), keys)), [batch * keys, length, head]);
    const v = tf.reshape(split(tf.matMul(h, need(value)), keys), [batch * keys, length, head]);
    const scores = tf.reshape(tf.mul(tf.matMul(q, k, false, true), head ** -0.5), [
      batch * keys,
      group,
      length,
      length,
    ]);
    const weightsOf = tf.reshape(tf.softmax(tf.add(scores, mask), -1), [
      batch * keys,
      group * length,
      length,
    ]);
    const mixed = tf.transpose(
      tf.reshape(tf.matMul(weightsOf, v), [batch, heads, length, head]),
      [0, 2, 1, 3],
    );
    const y = tf.add(x, tf.matMul(tf.reshape(mixed, [batch * length, width]), need(output)));
    const h2 = normalized(y, need(norm2));
    const gated = tf.matMul(h2, need(gate));
    const inner = tf.mul(tf.mul(gated, tf.sigmoid(gated)), tf.matMul(h2, need(up)));
    return tf.add(y, tf.matMul(inner, need(down)));
  };
}

/** Makes one AdamW step on next-token loss. The layers are a scan, and their gradients a second, reversed scan. */
function update(state: Tensors, inputs: Tensors): { outputs: Tensors; state: Tensors } {
  const block = decoderBlock();
  const at = (prefix: string, name: string): Tensor => need(state[`${prefix}_${name}`]);
  const ids = tf.reshape(need(inputs["ids"]), [batch * length]);
  const targets = tf.reshape(need(inputs["targets"]), [batch * length]);
  const layers = LAYER.map((name) => at("w", name));
  const embedding = at("w", "embedding");
  const forward = scan({
    carry: [tf.gather(embedding, ids)],
    xs: layers,
    body: ([x], weights) => ({ carry: [block(need(x), weights)], ys: [need(x)] }),
  });
  const loss = (x: Tensor, table: Tensor, gain: Tensor) =>
    tf.neg(tf.mean(pickLogprob(tf.matMul(normalized(x, gain), table, false, true), targets))) as ReturnType<
      typeof tf.scalar
    >;
  const top = tf.valueAndGrads(loss)([need(forward.carry[0]), embedding, at("w", "finalNorm")]);
  const [dx, dEmbedding, dNorm] = top.grads;
  const backward = scan({
    carry: [need(dx)],
    xs: [need(forward.ys[0]), ...layers],
    reverse: true,
    body: ([dy], [x, ...weights]) => {
      const step = (y: Tensor, ...parts: Tensor[]) => block(y, parts);
      const [carry, ...ys] = tf.grads(step)([need(x), ...weights], need(dy));
      return { carry: [need(carry)], ys };
    },
  });
  const dLookup = tf.grad((table: Tensor) => tf.gather(table, ids))(embedding, need(backward.carry[0]));
  const gradients: Record<string, Tensor> = {
    embedding: tf.add(dLookup, need(dEmbedding)),
    finalNorm: need(dNorm),
  };
  LAYER.forEach((name, index) => {
    gradients[name] = need(backward.ys[index]);
  });
  const next: Record<string, Tensor> = {};
  for (const [name, gradient] of Object.entries(gradients)) {
    const first = tf.add(tf.mul(at("m", name), 0.9), tf.mul(gradient, 0.1));
    const second = tf.add(tf.mul(at("v", name), 0.95), tf.mul(tf.square(gradient), 0.05));
    const step = tf.add(tf.div(first, tf.add(tf.sqrt(second), 1e-8)), tf.mul(at("w", name), 0.01));
    next[`m_${name}`] = first;
    next[`v_${name}`] = second;
    next[`w_${name}`] = tf.sub(at("w", name), tf.mul(step, 1e-3));
  }
  return { outputs: { loss: top.value }, state: next };
}

function updateState(): Record<string, TensorSpec> {
  const entries = Object.entries(shapes()).flatMap(([name, shape]) =>
    ["w", "m", "v"].map((prefix) => [`${prefix}_${name}`, { shape, dtype: "float32" }] as const),
  );
  return Object.fromEntries(entries);
}

function weights(): HostArrays {
  const entries = Object.entries(shapes()).map(([name, shape]) => {
    const count = shape.reduce((product, dimension) => product * dimension, 1);
    const value = (index: number) => (name.includes("orm") ? 1 : 0.05 * Math.sin(12.9898 * (index + 1)));
    return [`w_${name}`, Float32Array.from({ length: count }, (_, index) => value(index))] as const;
  });
  return Object.fromEntries(entries);
}

interface Timing {
  readonly wallMs: number;
  /** Processor time of all threads, which is steadier than wall time on a shared machine. */
  readonly cpuMs: number;
}

/**
 * Runs `step` for the given time, after one run that does not count.
 * @returns milliseconds per run
 */
function timed(step: () => void, limitSeconds = seconds): Timing {
  step();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let runs = 0;
  while (performance.now() - started < limitSeconds * 1000) {
    step();
    runs += 1;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: (performance.now() - started) / runs, cpuMs: (user + system) / 1000 / runs };
}

function benchUpdate(mode: JitMode): Record<string, unknown> {
  const module = jit({
    backend,
    state: updateState(),
    functions: {
      update: {
        inputs: {
          ids: { shape: [batch, length], dtype: "int32" },
          targets: { shape: [batch, length], dtype: "int32" },
        },
        body: update,
      },
    },
    mode,
    precision: flags.precision as "float32",
  });
  if (flags["load-only"]) {
    const { traceMs, loadMs, operations } = need(module.stats["update"]);
    module.dispose();
    return { what: `update ${batch}x${length}`, mode, traceMs, loadMs, operations };
  }
  for (const [name, values] of Object.entries(weights())) module.writeState({ [name]: values });
  const ids = Int32Array.from(
    { length: batch * length },
    (_, index) => (index * 31 + (index >> 3)) % size.vocab,
  );
  const targets = ids.map((id) => (id * 7 + 3) % size.vocab);
  let loss = 0;
  const { wallMs, cpuMs } = timed(() => {
    loss = module.call("update", { ids, targets })["loss"]?.[0] ?? Number.NaN;
  });
  const stats = need(module.stats["update"]);
  module.dispose();
  return {
    what: `update ${batch}x${length}`,
    mode,
    msPerCall: wallMs.toFixed(2),
    cpuMsPerCall: cpuMs.toFixed(2),
    tokensPerSecond: Math.round((batch * length) / (wallMs / 1000)),
    traceMs: Math.round(stats.traceMs),
    loadMs: Math.round(stats.loadMs),
    firstCallMs: Math.round(stats.firstCallMs),
    operations: stats.operations,
    loss: loss.toFixed(4),
  };
}

function benchOverhead(mode: JitMode): Record<string, unknown>[] {
  const cache: TensorSpec = { shape: [64, 512, 2, 16], dtype: "float32" };
  const module = jit({
    backend,
    state: { cache },
    functions: {
      rows: {
        inputs: { at: { shape: [64, 2], dtype: "int32" }, values: { shape: [64, 2, 16], dtype: "float32" } },
        body: (state, inputs) => {
          const written = scatterRows(need(state["cache"]), need(inputs["at"]), need(inputs["values"]));
          return {
            outputs: { first: tf.slice(written, [0, 0, 0, 0], [1, 1, 1, 1]) },
            state: { cache: written },
          };
        },
      },
    },
    mode,
  });
  const at = Int32Array.from({ length: 128 }, (_, index) => (index % 2 === 0 ? index / 2 : 7));
  const values = new Float32Array(64 * 32);
  const { callUs, kernelUs } = kernelCost(backend, mode, (seconds * 2) / 3);
  const rows = timed(() => module.call("rows", { at, values }), seconds / 3);
  module.dispose();
  return [
    { what: "call with one operation", mode, usPerCall: callUs.toFixed(1) },
    { what: "one operation more", mode, usPerCall: kernelUs.toFixed(2) },
    { what: "64 rows into a cache of 4 MiB", mode, usPerCall: (rows.wallMs * 1000).toFixed(1) },
  ];
}

function describe(loaded: Backend): string {
  return `${loaded.name} ${loaded.tensorflowVersion ?? ""} ${loaded.gpu ? "GPU" : "CPU"}`;
}

const overhead = flags["load-only"] ? [] : modes.flatMap(benchOverhead);
const updates = modes.map(benchUpdate);
if (flags.json) {
  console.log(JSON.stringify({ backend: describe(backend), overhead, updates }));
} else {
  console.log(describe(backend));
  console.table(overhead);
  console.table(updates);
}
