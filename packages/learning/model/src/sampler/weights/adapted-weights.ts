/*
 * Responsibility: the matrices of a sampler whose policy is adapters over a base: the base is stored on the device, and one
 *   function merges adapters into it there and writes the matrices that the sampler multiplies with.
 * Not responsible for: weights without adapters (packed-weights.ts), deciding when new ones are applied (model-sampler.ts).
 *
 * Invariants:
 * - ADAPTED-1. Merged matrices are computed from the base as it was given, not from previously merged ones, so that
 *     adapters do not accumulate.
 * - ADAPTED-2. The base is copied from the host to the device once; after that only adapters are copied.
 * - ADAPTED-3. In bfloat16 the contribution of adapters is not lost by rounding, however small: see `ditherOf`.
 */
import {
  asType,
  entry,
  floatTypeOf,
  type JitFunction,
  type JitModule,
  type StateSpec,
  sizeOf,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import type { ModelConfig } from "../../base/config.js";
import { ModelError } from "../../base/error.js";
import { type LoraConfig, type LoraProjection, loraForm, loraScale, loraShapes } from "../../base/lora.js";
import { type HeldParameters, type Parameters, parameterShapes } from "../../base/parameters.js";
import { ditherOf } from "./dither.js";
import { named } from "./packed-layers.js";
import {
  floats,
  isStacked,
  layerName,
  type PackedTensor,
  packedShapes,
  packedWeights,
  queryScale,
  type WeightLayout,
} from "./packed-weights.js";
import { writeInParts } from "./write-weights.js";

const MERGE = "mergeAdapters";
const FINITE = "finite";
/** Values of merged matrices that exist in float32 at once: all layers of a small model, a few of a large one. */
const defaultMergedAtOnce = 2 ** 27;

/** How a packed tensor is made: projections side by side, and the gains that multiply its rows. */
interface Recipe {
  readonly projections: readonly LoraProjection[];
  readonly gains?: "attentionNorm" | "mlpNorm";
}

const recipes: Partial<Record<PackedTensor, Recipe>> = {
  attentionIn: { projections: ["query", "key", "value"], gains: "attentionNorm" },
  attentionOut: { projections: ["attentionOut"] },
  gates: { projections: ["gate", "up"], gains: "mlpNorm" },
  gate: { projections: ["gate"], gains: "mlpNorm" },
  up: { projections: ["up"], gains: "mlpNorm" },
  down: { projections: ["down"] },
};

export interface AdaptedOptions {
  readonly config: ModelConfig;
  readonly lora: LoraConfig;
  readonly layout: WeightLayout;
  /** The type in which matrices are stored, both the base and the merged ones. */
  readonly stored: "float32" | "bfloat16";
  /** Number of values that are merged at once, at least those of one layer. */
  readonly mergedAtOnce?: number;
}

/** The part of a sampler's module that merges adapters. */
export class AdaptedWeights {
  readonly #options: AdaptedOptions;
  readonly #recipes: readonly (readonly [PackedTensor, Recipe])[];
  readonly #adapters: Readonly<Record<string, readonly number[]>>;

  constructor(options: AdaptedOptions) {
    this.#options = options;
    const { config, lora, layout } = options;
    const form = loraForm(lora);
    this.#adapters = loraShapes(config, form);
    const packed = new Set(Object.keys(packedShapes(config, layout)).map((name) => name.split(".")[0]));
    this.#recipes = (Object.entries(recipes) as [PackedTensor, Recipe][]).filter(
      ([tensor, { projections }]) =>
        packed.has(tensor) && projections.some((projection) => form.targets.includes(projection)),
    );
  }

  /** The base of every matrix that has a part with adapters, in the model's layout. */
  get state(): Record<string, StateSpec> {
    const { config, stored } = this.#options;
    const shapes = parameterShapes(config);
    return Object.fromEntries(
      this.#baseNames().map((name) => {
        const kept = name.endsWith("Norm") ? "float32" : stored;
        return [baseName(name), { shape: shapes[`layers.${name}`] ?? [], dtype: "float32", stored: kept }];
      }),
    );
  }

  get functions(): Record<string, JitFunction> {
    const inputs = Object.fromEntries(
      Object.entries(this.#adapters).map(([name, shape]) => [name, { shape, dtype: "float32" as const }]),
    );
    return { [MERGE]: { inputs, body: (state, given) => this.#merge(state, given) } };
  }

  /** Writes the base and the packed weights of a policy without adapters, in steps. */
  *writeWeights(module: JitModule, parameters: HeldParameters): Generator<undefined> {
    const { config, layout } = this.#options;
    const merged = new Set(this.#recipes.map(([tensor]) => tensor));
    yield* writeInParts(module, packedWeights(config, parameters, layout, merged));
    yield* writeInParts(
      module,
      this.#baseNames().map((name) => ({
        name: baseName(name),
        values: floats(entry(parameters, `layers.${name}`)),
      })),
    );
    this.writeAdapters(
      module,
      Object.fromEntries(
        Object.entries(this.#adapters).map(([name, shape]) => [name, new Float32Array(sizeOf(shape))]),
      ),
    );
  }

  /** Merges the base and these adapters. @throws {ModelError} NOT_FINITE after they were written */
  writeAdapters(module: JitModule, adapters: Parameters): void {
    const { [FINITE]: finite } = module.call(MERGE, adapters);
    if (finite?.[0] !== 1)
      throw new ModelError("NOT_FINITE", "the sum of base and adapters exceeds the range of a float32");
  }

  #baseNames(): string[] {
    return this.#recipes
      .flatMap(([, { projections, gains }]) => [...projections, ...(gains === undefined ? [] : [gains])])
      .filter((name, index, all) => all.indexOf(name) === index);
  }

  #merge(state: Tensors, adapters: Tensors) {
    const { config, layout, mergedAtOnce = defaultMergedAtOnce } = this.#options;
    const { layers } = config;
    const next: Record<string, tf.Tensor> = {};
    const finite: tf.Tensor[] = [];
    for (const [tensor, recipe] of this.#recipes) {
      const values = recipe.projections.reduce(
        (sum, projection) => sum + sizeOf(parameterShapes(config)[`layers.${projection}`] ?? []),
        0,
      );
      const count = Math.max(1, Math.min(layers, Math.floor((mergedAtOnce * layers) / values)));
      const pieces: tf.Tensor[] = [];
      for (let first = 0; first < layers; first += count) {
        const piece = this.#merged(recipe, state, adapters, first, Math.min(count, layers - first));
        finite.push(tf.all(tf.isFinite(piece)));
        if (isStacked(layout)) pieces.push(piece);
        else
          tf.unstack(piece).forEach((layer, index) => {
            next[layerName(tensor, first + index)] = layer;
          });
      }
      if (isStacked(layout)) next[tensor] = pieces.length === 1 ? entry(pieces, 0) : tf.concat(pieces, 0);
    }
    return { outputs: { [FINITE]: finite.reduce((both, one) => tf.logicalAnd(both, one)) }, state: next };
  }

  /** Computes one packed tensor of some layers, float32 [count, in, out] or, in the layout "transposed", [count, out, in]. */
  #merged(
    { projections, gains }: Recipe,
    state: Tensors,
    adapters: Tensors,
    first: number,
    count: number,
  ): tf.Tensor {
    const { config, layout, lora, stored } = this.#options;
    const { targets } = loraForm(lora);
    const some = (from: Tensors, name: string): tf.Tensor => {
      const all = named(from, name);
      if (count === all.shape[0]) return all;
      const rest = all.shape.slice(1);
      return tf.slice(all, [first, ...rest.map(() => 0)], [count, ...rest]);
    };
    const added = (name: string): tf.Tensor =>
      tf.mul(tf.matMul(some(adapters, `${name}.loraA`), some(adapters, `${name}.loraB`)), loraScale(lora));
    const joined = (hasAdapters: boolean): tf.Tensor => {
      const parts = projections.map((projection) => {
        const base = some(state, baseName(projection));
        const isAdapted = hasAdapters && targets.includes(projection);
        const weights = isAdapted ? tf.add(base, added(`layers.${projection}`)) : base;
        const scale = projection === "query" ? queryScale(config) : 1;
        return scale === 1 ? weights : tf.mul(weights, scale);
      });
      const all = parts.length === 1 ? entry(parts, 0) : tf.concat(parts, 2);
      return gains === undefined ? all : tf.mul(all, tf.expandDims(some(state, baseName(gains)), 2));
    };
    const merged = joined(true);
    // Mode eager does not round, so dither would only add noise.
    const isRounded = stored === "bfloat16" && floatTypeOf(asType(merged, "bfloat16")) === "bfloat16";
    const whole = isRounded ? tf.add(merged, ditherOf(joined(false), first)) : merged;
    return layout === "transposed" ? tf.transpose(whole, [0, 2, 1]) : whole;
  }
}

/** Shapes of what a sampler keeps as the base of adapters, besides its matrices, under names of its own. */
export function adaptedBaseShapes(config: ModelConfig, lora: LoraConfig): Record<string, readonly number[]> {
  const adapted = new AdaptedWeights({ config, lora, layout: "table", stored: "float32" });
  return Object.fromEntries(Object.entries(adapted.state).map(([name, { shape }]) => [name, shape]));
}

function baseName(name: string): string {
  return `base.${name}`;
}
