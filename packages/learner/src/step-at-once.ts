import { setImmediate } from "node:timers/promises";
import type { JitModule } from "@palimpsest/jit";
import { placesOf } from "./bucket.js";
import { atOnceName, GRADIENT_NORM } from "./compiled.js";
import type { ResolvedLearnerConfig } from "./config.js";
import type { MicroBatch } from "./dealt-row.js";
import { LearnerError } from "./error.js";
import {
  APPLIED,
  AT_ONCE_SCALARS,
  DIFFERENCE_LIMIT,
  FRESH,
  NORM_LIMIT,
  SQUARED_NORM,
} from "./gradient-use.js";
import { fillMicroBatch, type MicroBatchArrays, type PackableRow } from "./micro-batches.js";
import { adamwScalars } from "./optimizer.js";
import { inputsOf, notFinite } from "./step-inputs.js";
import type { AtOnce, StepRequest, StepResult } from "./step-request.js";

/** Whether one launch may do the step of this one micro-batch: only mode xla has such functions. */
export function canStepAtOnce(
  module: JitModule,
  { objective, atOnce }: Pick<StepRequest<PackableRow>, "objective" | "atOnce">,
  batch: MicroBatch,
): boolean {
  return atOnce !== undefined && atOnceName(objective, batch.bucket) in module.stats;
}

/** Whether the module has no sums of several micro-batches. */
export function isWithoutSums(module: JitModule): boolean {
  return !(GRADIENT_NORM in module.stats);
}

/**
 * One optimiser step of one micro-batch in one launch: gradients, norm, clip and AdamW. Against the same step in two launches
 * the clip is in float32, so that weights differ by its rounding; whether it was applied, the device says (AT-ONCE-1).
 * @throws {LearnerError} NOT_FINITE, ABORTED, what `beforeApply` throws; {JitError} of the device
 */
export async function stepAtOnce<Row extends PackableRow>(
  module: JitModule,
  config: ResolvedLearnerConfig,
  request: StepRequest<Row>,
  batch: MicroBatch,
): Promise<StepResult> {
  if (request.signal?.aborted)
    throw new LearnerError("ABORTED", "the update was aborted", { cause: request.signal.reason });
  const arrays = fillMicroBatch(batch, request.rows, request.weights);
  const outputs = module.call(atOnceName(request.objective, batch.bucket), {
    ...inputsOf(batch, request, arrays, config),
    ...atOnceInputs(request, arrays, config),
  });
  const loss = outputs["loss"]?.[0] ?? Number.NaN;
  if (!Number.isFinite(loss)) throw notFinite("loss", loss, 0, batch, request);
  request.onMicroBatch?.(batch, arrays, outputs);
  await setImmediate();
  const gradientNorm = Math.sqrt(outputs[SQUARED_NORM]?.[0] ?? Number.NaN);
  if (!Number.isFinite(gradientNorm))
    throw new LearnerError("NOT_FINITE", `the gradient norm is ${gradientNorm}; the step was not applied`, {
      details: { step: request.step, loss },
    });
  const applied = outputs[APPLIED]?.[0] === 1;
  // It says why. At the very limit, where its rounding and the device's part, the step is left out.
  if (!applied) request.beforeApply?.(gradientNorm);
  return { loss, gradientNorm, applied, microBatches: 1, computedTokens: placesOf(batch.bucket) };
}

function atOnceInputs<Row extends PackableRow>(
  { objective, atOnce, step, learningRate }: StepRequest<Row>,
  arrays: MicroBatchArrays,
  config: ResolvedLearnerConfig,
): Readonly<Record<string, Float32Array>> {
  const { normLimit, differenceLimit, isFresh } = atOnce as AtOnce;
  // The norm is not known yet: what depends on it the device computes.
  const known = adamwScalars(step, learningRate, 0, config.optimizer);
  const inputs: Record<string, Float32Array> = { [NORM_LIMIT]: Float32Array.of(normLimit) };
  for (const name of AT_ONCE_SCALARS) inputs[name] = known[name];
  if (objective === "supervised") return inputs;
  const fresh = arrays.rowOfToken.map((row, at) =>
    row >= 0 && arrays.lossMask[at] !== 0 && isFresh(row) ? 1 : 0,
  );
  return {
    ...inputs,
    [DIFFERENCE_LIMIT]: Float32Array.of(differenceLimit),
    [FRESH]: Float32Array.from(fresh),
    rolloutLogprobs: arrays.rolloutLogprobs,
  };
}
