import { setImmediate } from "node:timers/promises";
import type { JitModule } from "@palimpsest/jit";
import { placesOf } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { fillMicroBatch, type MicroBatchArrays, type PackableRow } from "../rows/micro-batches.js";
import type { Round } from "../rows/rounds.js";
import { type FreshDifference, GATE_UPDATES } from "../state/fresh-checks.js";
import {
  APPLIED,
  AT_ONCE_SCALARS,
  DIFFERENCE_LIMIT,
  EARLIER_MEANS,
  EARLIER_TOKENS,
  FRESH,
  NORM_LIMIT,
  SQUARED_NORM,
} from "../state/gradient-use.js";
import { adamwScalars } from "../state/optimizer.js";
import { GRADIENT_NORM } from "../state/sum-functions.js";
import { atOnceName } from "./compiled.js";
import { inputsOf, notFinite } from "./step-inputs.js";
import type { AtOnce, StepRequest, StepResult } from "./step-request.js";

/** Returns whether one run may do the step of this one round: only mode xla has such functions. */
export function canStepAtOnce(
  module: JitModule,
  { objective, atOnce }: Pick<StepRequest<PackableRow>, "objective" | "atOnce">,
  { batches }: Round,
): boolean {
  const [first] = batches;
  return atOnce !== undefined && first !== undefined && atOnceName(objective, first.bucket) in module.stats;
}

/** Returns whether the module has no accumulators for several micro-batches. */
export function isWithoutSums(module: JitModule): boolean {
  return !(GRADIENT_NORM in module.stats);
}

/**
 * Does one optimizer step of one micro-batch per replica in one run: gradients, their sums over replicas, norm, clipping and
 * AdamW. Compared with the same step in several launches the clip is computed in float32, so that weights differ by its rounding.
 * The device reports whether the step was applied (AT-ONCE-1).
 * @throws {LearnerError} NOT_FINITE, ABORTED, what `beforeApply` throws; {JitError} of the device
 */
export async function stepAtOnce<Row extends PackableRow>(
  module: JitModule,
  config: ResolvedLearnerConfig,
  request: StepRequest<Row>,
  { batches, blanks }: Round,
): Promise<StepResult> {
  if (request.signal?.aborted)
    throw new LearnerError("ABORTED", "the update was aborted", { cause: request.signal.reason });
  const all = [...batches, ...blanks].map((batch) => {
    const arrays = fillMicroBatch(batch, request.rows, request.weights);
    const inputs = { ...inputsOf(batch, request, arrays, config), ...atOnceInputs(request, arrays, config) };
    return { batch, arrays, inputs };
  });
  const [{ batch: first }] = all as [(typeof all)[number]];
  const outputs = module.callEach(
    atOnceName(request.objective, first.bucket),
    all.map(({ inputs }) => inputs),
  );
  let loss = 0;
  for (const [replica, batch] of batches.entries()) {
    const own = outputs[replica]?.["loss"]?.[0] ?? Number.NaN;
    if (!Number.isFinite(own)) throw notFinite("loss", own, replica, batch, request);
    loss += own;
  }
  for (const [replica, { batch, arrays }] of all.slice(0, batches.length).entries())
    request.onMicroBatch?.(batch, arrays, outputs[replica] ?? {});
  await setImmediate();
  // These outputs are equal on every replica (AT-ONCE-2).
  const [{ [SQUARED_NORM]: squaredNorm, [APPLIED]: said } = {}] = outputs;
  const gradientNorm = Math.sqrt(squaredNorm?.[0] ?? Number.NaN);
  if (!Number.isFinite(gradientNorm))
    throw new LearnerError(
      "NOT_FINITE",
      `the gradient norm is ${gradientNorm}, so the step was not applied; examine the batch or lower the learning rate`,
      {
        details: { step: request.step, loss },
      },
    );
  const applied = said?.[0] === 1;
  // `beforeApply` reports why. Exactly at the limit, where the host's rounding may differ from the device's, the step
  // is skipped.
  if (!applied) request.beforeApply?.(gradientNorm);
  const computedTokens = all.length * placesOf(first.bucket);
  return { loss, gradientNorm, applied, microBatches: batches.length, computedTokens };
}

/** Returns the inputs of a step at once besides those of its micro-batch. */
export function atOnceInputs<Row extends PackableRow>(
  { objective, atOnce, step, learningRate }: StepRequest<Row>,
  arrays: MicroBatchArrays,
  config: ResolvedLearnerConfig,
): Readonly<Record<string, Float32Array>> {
  const { normLimit, differenceLimit, earlier = [], isFresh } = atOnce as AtOnce;
  // The norm is not known yet: the device computes what depends on it.
  const known = adamwScalars(step, learningRate, 0, config.optimizer);
  const inputs: Record<string, Float32Array> = { [NORM_LIMIT]: Float32Array.of(normLimit) };
  for (const name of AT_ONCE_SCALARS) inputs[name] = known[name];
  if (objective === "supervised") return inputs;
  const fresh = new Float32Array(arrays.rowOfToken.length);
  const { rowOfToken, lossMask } = arrays;
  let [last, isLastFresh] = [-1, false];
  for (let at = 0; at < fresh.length; at++) {
    const row = rowOfToken[at] as number;
    if (row < 0 || lossMask[at] === 0) continue;
    if (row !== last) [last, isLastFresh] = [row, isFresh(row)];
    if (isLastFresh) fresh[at] = 1;
  }
  const ofEarlier = (value: (update: FreshDifference) => number) =>
    Float32Array.from({ length: GATE_UPDATES - 1 }, (_, i) =>
      earlier[i] === undefined ? 0 : value(earlier[i]),
    );
  return {
    ...inputs,
    [DIFFERENCE_LIMIT]: Float32Array.of(differenceLimit),
    [EARLIER_TOKENS]: ofEarlier(({ tokens }) => tokens),
    [EARLIER_MEANS]: ofEarlier(({ mean }) => mean),
    [FRESH]: fresh,
    rolloutLogprobs: arrays.rolloutLogprobs,
  };
}
