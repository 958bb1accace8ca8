import {
  asType,
  type JitBody,
  type JitShards,
  type JitStage,
  type TensorSpec,
  type Tensors,
  tf,
} from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { ALONE_TIMES, FEW_TOKENS, GATE_UPDATES } from "./fresh-checks.js";
import type { AdamScalars } from "./optimizer.js";
import { adamwStep } from "./optimizer.js";
import { shardRows } from "./optimizer-shards.js";
import { passedType, reduceTypeOf, type StateKind, stateName, tensor } from "./state.js";

/*
 * Responsibility: what a compiled training function does with the gradients of its micro-batch: adds them to those of others, or
 *   applies them in the same run if there are no others except those that other replicas compute at the same time.
 * Not responsible for: which of the two a step uses (optimizer-step.ts), the gradients (compiled.ts).
 *
 * Invariants:
 * - AT-ONCE-1. A step that is applied in the run of its gradients leaves weights and moments unchanged, bit for bit, if its loss
 *     or the norm of its gradients is not finite or exceeds the given limits; it reports whether it was applied.
 * - AT-ONCE-2. Replicas decide and clip alike, to the bit: everything that decides comes from sums over them, including the norm.
 */

interface Given {
  readonly state: Tensors;
  readonly inputs: Tensors;
  /** Keyed by the name of the parameter. */
  readonly gradients: Tensors;
  /** Includes `loss`; for a policy also `policyLogprobs`. */
  readonly outputs: Readonly<Record<string, tf.Tensor>>;
}

export interface GradientUse {
  /** Its inputs besides those that describe the micro-batch. */
  readonly inputs: Readonly<Record<string, TensorSpec>>;
  readonly use: (given: Given) => ReturnType<JitBody>;
  /** What is computed from sums over replicas, in the same run. */
  readonly next?: JitStage;
  readonly shards?: JitShards;
}

/** Adds to the accumulators. */
export const ACCUMULATED: GradientUse = {
  inputs: {},
  use: ({ state, gradients, outputs }) => ({
    outputs,
    state: Object.fromEntries(
      Object.entries(gradients).map(([name, gradient]) => {
        const key = stateName("gradient", name);
        return [key, tf.add(tensor(state, key), gradient)];
      }),
    ),
  }),
};

/** Adds to the accumulators that replicas share: each gets its shard of the sum over all. */
export function scattered(
  config: Pick<ResolvedLearnerConfig, "precision">,
  names: readonly string[],
  shards: number,
): GradientUse {
  return {
    inputs: {},
    use: ({ gradients, outputs }) => ({
      outputs: {
        ...outputs,
        ...Object.fromEntries(
          names.map((name) => {
            const own = asType(tensor(gradients, name), passedType(name, config));
            return [stateName("gradient", name), shardRows(own, shards)];
          }),
        ),
      },
    }),
    shards: { scatter: names.map((name) => stateName("gradient", name)) },
  };
}

/** Inputs of a step that is applied at once, each float32 []: the scalars of AdamW that are known before the norm. */
export const AT_ONCE_SCALARS = ["decay", "stepSize", "rootCorrection"] as const;
/** Input float32 []: a step with a larger norm is not applied. If it is infinite, every finite step is applied. */
export const NORM_LIMIT = "normLimit";
/**
 * Input float32 []: nothing is applied if the mean difference from the sampler, over fresh tokens of this step and the earlier
 * ones, exceeds the limit by more than chance, nats.
 */
export const DIFFERENCE_LIMIT = "differenceLimit";
/** Inputs float32 [GATE_UPDATES - 1]: fresh tokens of each earlier update and their mean difference, nats; 0 where there is none. */
export const EARLIER_TOKENS = "earlierTokens";
export const EARLIER_MEANS = "earlierMeans";
/** Input float32 [rows, length-1]: 1 for trained tokens that the current weights sampled. */
export const FRESH = "fresh";

/** Outputs besides those of a micro-batch. */
export const SQUARED_NORM = "squaredNorm";
export const APPLIED = "applied";

/** Outputs that are summed over replicas, besides the gradients; none is returned. */
const LOSS_SUM = "lossSum";
const DIFFERENCE_SUM = "differenceSum";
const FRESH_SUM = "freshSum";
/** A replica's share of the squared norm; all shares are equal. */
const NORM_SHARE = "normShare";

/**
 * Clips to the norm and applies. With one replica it is one launch; with several it is one launch for the gradients, one for the
 * norm of their sums and one that applies them, in one run.
 * @param names names of the trained parameters
 * @param perToken shape of a policy micro-batch's per-token arrays; absent: there is no sampler to compare with
 */
export function appliedAtOnce(
  config: Pick<ResolvedLearnerConfig, "optimizer" | "replicas" | "reduceType" | "precision" | "lora">,
  names: readonly string[],
  perToken: TensorSpec | undefined,
): GradientUse {
  const scalar: TensorSpec = { shape: [], dtype: "float32" };
  const earlier: TensorSpec = { shape: [GATE_UPDATES - 1], dtype: "float32" };
  const scalars = [...AT_ONCE_SCALARS, NORM_LIMIT].map((name) => [name, scalar] as const);
  const ofPolicy =
    perToken === undefined
      ? {}
      : {
          [DIFFERENCE_LIMIT]: scalar,
          [EARLIER_TOKENS]: earlier,
          [EARLIER_MEANS]: earlier,
          [FRESH]: perToken,
          rolloutLogprobs: perToken,
        };
  const gradientSums = names.map((name) => stateName("gradient", name));
  return {
    inputs: { ...Object.fromEntries(scalars), ...ofPolicy },
    use: ({ inputs, gradients, outputs }) => {
      // Each replica's are rounded, if at all, before they are added, which is done in float32.
      const own = names.map((name) => {
        const gradient = tensor(gradients, name);
        const type = config.replicas === 1 ? "float32" : reduceTypeOf(name, gradient.shape, config);
        return [stateName("gradient", name), asType(gradient, type)];
      });
      const summed = { ...Object.fromEntries(own), [LOSS_SUM]: tensor(outputs, "loss") };
      return { outputs: { ...outputs, ...summed, ...(perToken && differences(inputs, outputs)) } };
    },
    next: {
      sums: [...gradientSums, LOSS_SUM, ...(perToken === undefined ? [] : [DIFFERENCE_SUM, FRESH_SUM])],
      body: (_state, sums) => {
        const squares = gradientSums.map((name) => tf.sum(tf.square(tensor(sums, name))));
        const squared = squares.reduce((sum, square) => tf.add(sum, square));
        return {
          outputs: { [NORM_SHARE]: config.replicas === 1 ? squared : tf.div(squared, config.replicas) },
        };
      },
      next: { sums: [NORM_SHARE], body: appliedBody(config, names, perToken !== undefined) },
    },
  };
}

function appliedBody(
  { optimizer }: Pick<ResolvedLearnerConfig, "optimizer">,
  names: readonly string[],
  hasSampler: boolean,
): JitBody {
  return (state, sums) => {
    const squaredNorm = tensor(sums, NORM_SHARE);
    const norm = tf.sqrt(squaredNorm);
    const conditions = [
      tf.isFinite(tensor(sums, LOSS_SUM)),
      tf.isFinite(norm),
      tf.lessEqual(norm, tensor(sums, NORM_LIMIT)),
      ...(hasSampler ? [isNearSampler(sums)] : []),
    ];
    const applied = conditions.reduce((both, condition) => tf.logicalAnd(both, condition));
    const given = { ...sums, gradientScale: clipOf(norm, optimizer) } as Tensors & AdamScalars;
    const next: Record<string, tf.Tensor> = {};
    for (const name of names) {
      const entry = (kind: StateKind) => tensor(state, stateName(kind, name));
      const before = { weights: entry("weights"), moment1: entry("moment1"), moment2: entry("moment2") };
      const after = adamwStep(before, tensor(sums, stateName("gradient", name)), given, optimizer);
      for (const kind of ["weights", "moment1", "moment2"] as const)
        next[stateName(kind, name)] = tf.where(applied, after[kind], before[kind]);
    }
    return { outputs: { [SQUARED_NORM]: squaredNorm, [APPLIED]: applied }, state: next };
  };
}

/** Returns the factor that clips the gradients, as `adamwScalars` computes it on the host. */
function clipOf(norm: tf.Tensor, { maxGradNorm }: ResolvedLearnerConfig["optimizer"]): tf.Tensor {
  if (maxGradNorm === null) return tf.scalar(1);
  return tf.minimum(tf.scalar(1), tf.div(tf.scalar(maxGradNorm), tf.add(norm, 1e-6)));
}

/** Returns the sum of the fresh tokens' differences from the sampler, and the number of these tokens. */
function differences(inputs: Tensors, outputs: Tensors): Record<string, tf.Tensor> {
  const fresh = tensor(inputs, FRESH);
  const difference = tf.abs(tf.sub(tensor(outputs, "policyLogprobs"), tensor(inputs, "rolloutLogprobs")));
  // Other tokens are excluded with where, because their difference may not even be finite.
  const counted = tf.where(tf.greater(fresh, 0), difference, tf.zerosLike(difference));
  return { [DIFFERENCE_SUM]: tf.sum(counted), [FRESH_SUM]: tf.sum(fresh) };
}

/** Makes the same check as `checkFresh` on the host, whose gate is wider for few tokens; without fresh tokens it passes. */
function isNearSampler(sums: Tensors): tf.Tensor {
  const fresh = tensor(sums, FRESH_SUM);
  const own = tensor(sums, DIFFERENCE_SUM);
  const limit = tensor(sums, DIFFERENCE_LIMIT);
  const isWithin = (difference: tf.Tensor, tokens: tf.Tensor, most: tf.Tensor) => {
    // Zero tokens times an infinite limit would be NaN.
    const some = tf.maximum(tokens, tf.scalar(1));
    return tf.lessEqual(difference, tf.mul(most, tf.add(some, tf.mul(tf.sqrt(some), FEW_TOKENS))));
  };
  const earlier = tf.minimum(tensor(sums, EARLIER_TOKENS), fresh);
  const difference = tf.add(own, tf.sum(tf.mul(earlier, tensor(sums, EARLIER_MEANS))));
  const isNear = tf.logicalAnd(
    isWithin(difference, tf.add(fresh, tf.sum(earlier)), limit),
    isWithin(own, fresh, tf.mul(limit, ALONE_TIMES)),
  );
  return tf.logicalOr(isNear, tf.equal(fresh, 0));
}
