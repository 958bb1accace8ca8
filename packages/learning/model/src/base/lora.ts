import { entry, sizeOf } from "@palimpsest/jit";
import { z } from "zod";
import type { ModelConfig } from "./config.js";
import { type Parameters, parameterShapes } from "./parameters.js";
import { normalGenerator } from "./random.js";

/** Projections of a layer that can have adapters, keyed by their Hugging Face names. */
export const LORA_PROJECTIONS = {
  q_proj: "query",
  k_proj: "key",
  v_proj: "value",
  o_proj: "attentionOut",
  gate_proj: "gate",
  up_proj: "up",
  down_proj: "down",
} as const;

export type LoraProjection = (typeof LORA_PROJECTIONS)[keyof typeof LORA_PROJECTIONS];

export const projectionNames = Object.keys(LORA_PROJECTIONS) as (keyof typeof LORA_PROJECTIONS)[];

/** Low-rank adapters: x·W becomes x·W + alpha / rank · (x·A)·B, and only A and B are trained. */
export const loraConfigSchema = z.strictObject({
  rank: z.int().min(1).max(1024).default(16).describe("Rank of the adapters: columns of A and rows of B."),
  alpha: z
    .number()
    .positive()
    .default(32)
    .describe("Scale of the adapters: their product is multiplied by alpha / rank."),
  targets: z
    .union([z.literal("all-linear"), z.array(z.enum(projectionNames)).min(1)])
    .default("all-linear")
    .describe("Projections that get adapters, by their Hugging Face names; all-linear: all seven."),
});
export type LoraConfig = z.infer<typeof loraConfigSchema>;

/** Which adapters a model has. */
export interface LoraForm {
  readonly rank: number;
  readonly targets: readonly LoraProjection[];
}

/** @returns the projections in the order of the layer, without duplicates */
export function loraForm({ rank, targets }: LoraConfig): LoraForm {
  const wanted = targets === "all-linear" ? projectionNames : targets;
  return {
    rank,
    targets: projectionNames.filter((name) => wanted.includes(name)).map((name) => LORA_PROJECTIONS[name]),
  };
}

export function loraScale({ rank, alpha }: LoraConfig): number {
  return alpha / rank;
}

/** `layers.<projection>.loraA` [L, in, rank] and `layers.<projection>.loraB` [L, rank, out]. */
export function loraShapes(config: ModelConfig, form: LoraForm): Record<string, readonly number[]> {
  const shapes = parameterShapes(config);
  return Object.fromEntries(
    form.targets.flatMap((projection) => {
      const [layers = 0, inWidth = 0, outWidth = 0] = entry(shapes, `layers.${projection}`);
      return [
        [`layers.${projection}.loraA`, [layers, inWidth, form.rank]],
        [`layers.${projection}.loraB`, [layers, form.rank, outWidth]],
      ];
    }),
  );
}

/** Initializes A uniformly in ±√(3 / in), which has variance 1 / in, and B with zeros, so that fresh adapters change nothing. */
export function initLora(config: ModelConfig, form: LoraForm, seed: number): Parameters {
  return Object.fromEntries(
    Object.entries(loraShapes(config, form)).map(([name, shape]) => {
      const values = new Float32Array(sizeOf(shape));
      if (name.endsWith(".loraA")) {
        const nextNormal = normalGenerator(seed, name);
        const std = 1 / Math.sqrt(shape[1] ?? 0);
        for (let i = 0; i < values.length; i++) values[i] = nextNormal() * std;
      }
      return [name, values];
    }),
  );
}

/**
 * Returns the weights of the model with its adapters: W + alpha / rank · A·B. Weights without adapters are the base's
 * own arrays; the others are new.
 * @param options.inPlace the others are the base's own arrays too, modified, so that no second copy is needed
 */
export function mergeLora(
  config: ModelConfig,
  base: Readonly<Record<string, Float32Array>>,
  adapters: Readonly<Record<string, Float32Array>>,
  lora: LoraConfig,
  options: { readonly inPlace?: boolean } = {},
): Parameters {
  const merged: Parameters = { ...base };
  const factors = new Float64Array(ranksAtOnce);
  const { rank, targets } = loraForm(lora);
  const shapes = parameterShapes(config);
  for (const projection of targets) {
    const name = `layers.${projection}`;
    const [layers = 0, inWidth = 0, outWidth = 0] = entry(shapes, name);
    const own = entry(base, name);
    const weights = options.inPlace === true ? own : own.slice();
    const [a, b] = [entry(adapters, `${name}.loraA`), entry(adapters, `${name}.loraB`)];
    const scale = loraScale(lora);
    for (let layer = 0; layer < layers; layer++) {
      for (let i = 0; i < inWidth; i++) {
        const at = layer * inWidth + i;
        const row = weights.subarray(at * outWidth, (at + 1) * outWidth);
        for (let r = 0; r < rank; r += ranksAtOnce) {
          for (let k = 0; k < ranksAtOnce; k++)
            factors[k] = r + k < rank ? scale * (a[at * rank + r + k] as number) : 0;
          addRows(row, b, (layer * rank + r) * outWidth, rank - r, factors);
        }
      }
    }
    merged[name] = weights;
  }
  return merged;
}

/** Ranks per pass over a row of weights: enough to make the pass compute-bound. */
const ranksAtOnce = 4;

/** Adds four rows of `b` times their factors to `row`, with one rounding; rows after the last `left` have the factor 0. */
function addRows(
  row: Float32Array,
  b: Float32Array,
  from: number,
  left: number,
  factors: Float64Array,
): void {
  const width = row.length;
  const [f0, f1, f2, f3] = factors as unknown as [number, number, number, number];
  // A missing row is replaced by an existing one, whose factor is 0.
  const [b1, b2, b3] = [1, 2, 3].map((k) => from + (k < left ? k * width : 0)) as [number, number, number];
  for (let j = 0; j < width; j++)
    row[j] =
      (row[j] as number) +
      f0 * (b[from + j] as number) +
      f1 * (b[b1 + j] as number) +
      f2 * (b[b2 + j] as number) +
      f3 * (b[b3 + j] as number);
}
