import type { HostArray, JitModule } from "@palimpsest/jit";
import type { Bucket } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { fillMicroBatch } from "../rows/micro-batches.js";
import { adamwScalars } from "../state/optimizer.js";
import { applyNames, CLEAR, GRADIENT_NORM } from "../state/sum-functions.js";
import { accumulateName, atOnceName } from "./compiled.js";
import { atOnceInputs, isWithoutSums } from "./step-at-once.js";
import { inputsOf, withReference } from "./step-inputs.js";
import type { StepRequest } from "./step-request.js";

/**
 * Responsibility: has XLA compile what updates of the policy run, before there are episodes to train.
 * Not responsible for: functions that only some updates run, which are compiled when they are first used.
 *
 * PREPARE-1. Weights, moments and accumulators have the same bits before and after each of these calls: micro-batches have no rows,
 *     a step at once has a limit that no norm keeps, and the optimizer runs only while its moments are zero.
 */
export function* preparations(
  module: JitModule,
  config: ResolvedLearnerConfig,
  untouched: boolean,
): Generator<() => void> {
  // Other modes compile nothing, and their first calls cost no more than later ones.
  if (module.mode !== "xla") return;
  const request: StepRequest<never> = {
    objective: "policy",
    rows: [],
    weights: new Float64Array(0),
    learningRate: 0,
    step: 0,
    // No norm is below 0, so that the device computes a step and applies none.
    atOnce: { normLimit: -1, differenceLimit: Number.POSITIVE_INFINITY, isFresh: () => false },
  };
  const empty = (bucket: Bucket) =>
    fillMicroBatch({ bucket, rowIndices: [], places: [] }, [], request.weights);
  const onEach = (name: string, inputs: Readonly<Record<string, HostArray>>) =>
    module.callEach(
      name,
      Array.from({ length: module.replicas }, () => inputs),
    );
  for (const bucket of config.buckets) {
    const name = atOnceName("policy", bucket);
    if (!(name in module.stats)) continue;
    const arrays = empty(bucket);
    const inputs = inputsOf({ bucket }, request, arrays, config);
    yield () => onEach(name, { ...inputs, ...atOnceInputs(request, arrays, config) });
  }
  if (isWithoutSums(module)) return;
  for (const bucket of config.buckets)
    yield () => {
      const arrays = empty(bucket);
      const all = Array.from({ length: module.replicas }, () => ({
        arrays,
        inputs: inputsOf({ bucket }, request, arrays, config),
      }));
      module.callEach(accumulateName("policy", bucket), withReference(module, config, request, bucket, all));
      module.call(CLEAR, {});
    };
  yield () => module.call(GRADIENT_NORM, {});
  if (!untouched) return;
  // Zero moments and gradients stay zero, and a rate of 0 leaves the weights.
  const scalars = adamwScalars(0, 0, 0, config.optimizer);
  for (const name of applyNames(module)) yield () => module.call(name, scalars);
}
