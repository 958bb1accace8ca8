import type { Backend } from "../backend/backend.js";
import { entry } from "../base/entry.js";
import { JitError } from "../base/error.js";
import type { StateSpec } from "../base/spec.js";
import { tf as tensors } from "../base/tf.js";
import type { JitModule, JitPrecision } from "./jit-module.js";
import { jit } from "./module.js";

/** A matrix of `rows` × `inner` times one of `inner` × `columns`, as in a model's products. */
export interface ProductShape {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** The precision in which products are faster on this machine, and how that is known. */
export interface ProbedPrecision {
  readonly precision: JitPrecision;
  /** A clause for logs and status. */
  readonly reason: string;
  /** Milliseconds of one round of the products; absent if nothing was measured. */
  readonly float32Ms?: number;
  readonly bfloat16Ms?: number;
}

/** The variable that makes the probe answer as on a CPU without bfloat16. */
const SWITCH = "PALIMPSEST_CPU_BFLOAT16";
/** How long products are timed, both ways together. */
const PROBE_MS = 100;
const LEAST_ROUNDS = 3;
/** Casts around products reduce the gain: below this factor bfloat16 would only cost precision. */
const LEAST_GAIN = 1.25;

const probed = new Map<string, ProbedPrecision>();

/**
 * Times products of these shapes in float32 and in bfloat16 for a tenth of a second, alternately, and chooses the faster;
 * equal shapes are timed once per process. The minimum of each counts, because a busy machine affects it least.
 * `PALIMPSEST_CPU_BFLOAT16=off` skips the trial: float32, as on a CPU without bfloat16.
 * @param environment default: the process's
 * @throws {JitError} INVALID_OPTIONS for another value of that variable
 */
export function probePrecision(
  backend: Backend,
  products: readonly ProductShape[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ProbedPrecision {
  if (backend.name !== "tensorflow") return float32(`the backend ${backend.name} computes only in float32`);
  if (backend.gpu) return float32("precision is tried out only on CPUs; on a GPU set it by name");
  const given = environment[SWITCH] ?? "";
  if (given === "off") return float32(`${SWITCH} is off`);
  if (given !== "")
    throw new JitError(
      "INVALID_OPTIONS",
      `${SWITCH} is ${given}, but only off is known; set it to off, or unset it`,
    );
  const key = products.map(({ rows, inner, columns }) => `${rows}x${inner}x${columns}`).join();
  const known = probed.get(key) ?? measured(backend, products);
  probed.set(key, known);
  return known;
}

function float32(reason: string): ProbedPrecision {
  return { precision: "float32", reason };
}

function measured(backend: Backend, products: readonly ProductShape[]): ProbedPrecision {
  const modules = (["float32", "bfloat16"] as const).map((precision) =>
    productModule(backend, products, precision),
  ) as [JitModule, JitModule];
  try {
    const times: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // The first calls of a session include its preparation.
    for (const module of modules) module.call("products", {});
    const from = performance.now();
    for (let round = 0; round < LEAST_ROUNDS || performance.now() - from < PROBE_MS; round++) {
      modules.forEach((module, i) => {
        const started = performance.now();
        module.call("products", {});
        times[i] = Math.min(times[i] as number, performance.now() - started);
      });
    }
    const [float32Ms, bfloat16Ms] = times;
    const gain = float32Ms / bfloat16Ms;
    const isFaster = gain >= LEAST_GAIN;
    return {
      precision: isFaster ? "bfloat16" : "float32",
      reason: `on this CPU the model's products are ${gain.toFixed(2)} times as fast in bfloat16 as in float32${isFaster ? "" : `, but bfloat16 is chosen only from ${LEAST_GAIN} on`}`,
      float32Ms,
      bfloat16Ms,
    };
  } finally {
    for (const module of modules) module.dispose();
  }
}

/** Weights are stored as in a sampler; zeros are multiplied as fast as other numbers. */
function productModule(
  backend: Backend,
  products: readonly ProductShape[],
  precision: JitPrecision,
): JitModule {
  const weights = products.map(({ inner, columns }, i): [string, StateSpec] => [
    `weights${i}`,
    { shape: [inner, columns], dtype: "float32", stored: precision },
  ]);
  const factors = products.map(({ rows, inner }, i): [string, StateSpec] => [
    `factor${i}`,
    { shape: [rows, inner], dtype: "float32" },
  ]);
  return jit({
    backend,
    mode: "graph",
    precision,
    state: Object.fromEntries([...weights, ...factors]),
    functions: {
      products: {
        inputs: {},
        body: (state) => {
          const sums = products.map((_, i) =>
            tensors.matMul(entry(state, `factor${i}`), entry(state, `weights${i}`)).max(),
          );
          return { outputs: { largest: tensors.stack(sums).max() } };
        },
      },
    },
  });
}
