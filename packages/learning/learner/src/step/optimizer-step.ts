import { setImmediate } from "node:timers/promises";
import { entry, JitError, type JitModule } from "@palimpsest/jit";
import { placesOf } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { endsLearner } from "../memory/memory-exhausted.js";
import type { MicroBatch } from "../rows/dealt-row.js";
import { fillMicroBatch, type MicroBatchArrays, type PackableRow } from "../rows/micro-batches.js";
import { roundsOf } from "../rows/rounds.js";
import { packRows } from "../rows/row-packing.js";
import { adamwScalars } from "../state/optimizer.js";
import { shardCount } from "../state/shard-shape.js";
import { applyNames, CLEAR, GRADIENT_NORM, GRADIENTS } from "../state/sum-functions.js";
import { accumulateName } from "./compiled.js";
import { canStepAtOnce, isWithoutSums, stepAtOnce } from "./step-at-once.js";
import { inputsOf, notFinite, withReference } from "./step-inputs.js";
import type { Outputs, StepRequest, StepResult } from "./step-request.js";
import { spreadOutputs, type TrainedOutputs, trainedOutputs } from "./trained-outputs.js";

/**
 * One optimizer step: every micro-batch's gradients are accumulated, checked, and applied.
 *
 * OPTSTEP-1. The weights change once, at the end, or not at all: an error before that leaves them unchanged. They are applied
 *     in parts; a failure between two of these is APPLY_FAILED, after which the module must not be used.
 * OPTSTEP-2. The accumulators are zero before and after, also after a failure. If they cannot be cleared, because a launch destroyed
 *     them or clearing fails too, the error ends the learner (`endsLearner`).
 * OPTSTEP-3. The event loop runs between micro-batches; with several replicas between those that are computed concurrently.
 * OPTSTEP-4. Replicas have equal weights before and after a step: each applies the sum over all.
 *
 * @throws {LearnerError} NOT_FINITE, ABORTED, ROW_TOO_LONG, APPLY_FAILED, PEER_FAILED; {JitError} of the device
 */
export async function optimizerStep<Row extends PackableRow>(
  module: JitModule,
  config: ResolvedLearnerConfig,
  request: StepRequest<Row>,
): Promise<StepResult> {
  const batches = packRows(request.rows, config.buckets);
  const rounds = roundsOf(batches, module.replicas);
  const [only, ...others] = rounds;
  const { together } = request;
  const isAlone = together === undefined;
  if (isAlone && only !== undefined && others.length === 0 && canStepAtOnce(module, request, only))
    return await stepAtOnce(module, config, request, only);
  if (isWithoutSums(module))
    throw new LearnerError(
      "CONFIG_INVALID",
      `a step has ${batches.length} micro-batches, but memory.accumulators is "none", which allows one per replica${module.replicas === 1 ? "" : ` (${module.replicas} in total)`}; use larger buckets, or set accumulators to "auto"`,
      { details: { step: request.step } },
    );
  let touched = false;
  try {
    let loss = 0;
    let computedTokens = 0;
    const indexOf = new Map(batches.map((batch, index) => [batch, index]));
    const look = (batch: MicroBatch, arrays: MicroBatchArrays, outputs: Outputs) => {
      const microLoss = outputs["loss"]?.[0] ?? Number.NaN;
      if (!Number.isFinite(microLoss))
        throw notFinite("loss", microLoss, indexOf.get(batch) ?? -1, batch, request);
      loss += microLoss;
      request.onMicroBatch?.(batch, arrays, outputs);
    };
    const isOwn = together?.isOwn(rounds);
    const computed = new Map<number, TrainedOutputs>();
    for (const [round, { batches: some, blanks }] of rounds.entries()) {
      if (isOwn?.[round] === false) continue;
      if (request.signal?.aborted)
        throw new LearnerError("ABORTED", "the update was aborted", { cause: request.signal.reason });
      const all = [...some, ...blanks].map((batch) => {
        const arrays = fillMicroBatch(batch, request.rows, request.weights);
        return { batch, arrays, inputs: inputsOf(batch, request, arrays, config) };
      });
      const { bucket } = entry(all, 0).batch;
      const inputs = withReference(module, config, request, bucket, all);
      touched = true;
      const outputs = module.callEach(accumulateName(request.objective, bucket), inputs);
      for (const [replica, { batch, arrays }] of all.entries()) {
        computedTokens += placesOf(batch.bucket);
        if (replica >= some.length) continue;
        const own = outputs[replica] ?? {};
        if (isAlone) look(batch, arrays, own);
        else computed.set(indexOf.get(batch) ?? -1, trainedOutputs(own, arrays.lossMask));
      }
      await setImmediate();
    }
    const isSharded = shardCount(config) > 1;
    // A rank may have no micro-batch of its own, and then no accumulators yet.
    if (!isAlone && computed.size === 0) {
      touched = true;
      module.call(CLEAR, {});
    }
    if (module.replicas > 1 && !isSharded) module.reduce(GRADIENTS);
    if (together !== undefined) {
      const all = await together.outputsOf(computed, batches.length);
      const places = rounds.flatMap((round) => [...round.batches, ...round.blanks]);
      computedTokens = places.reduce((sum, { bucket }) => sum + placesOf(bucket), 0);
      for (const [index, batch] of batches.entries()) {
        const arrays = fillMicroBatch(batch, request.rows, request.weights);
        look(batch, arrays, spreadOutputs(entry(all, index), arrays.lossMask));
      }
      await together.sumGradients(module);
    }
    const squares = module.callEach(
      GRADIENT_NORM,
      Array.from({ length: module.replicas }, () => ({})),
    );
    const shares = isSharded ? squares : squares.slice(0, 1);
    const ownNorm = Math.sqrt(
      shares.reduce((sum, { squaredNorm }) => sum + (squaredNorm?.[0] ?? Number.NaN), 0),
    );
    const gradientNorm = together === undefined ? ownNorm : await together.agreedNorm(ownNorm);
    if (!Number.isFinite(gradientNorm))
      throw new LearnerError(
        "NOT_FINITE",
        `the gradient norm is ${gradientNorm}, so the step was not applied; examine the batch or lower the learning rate`,
        {
          details: { step: request.step, loss },
        },
      );
    const applied = request.beforeApply?.(gradientNorm) !== "skip";
    if (applied) {
      const scalars = adamwScalars(request.step, request.learningRate, gradientNorm, config.optimizer);
      applyParts(module, scalars, request.step);
    } else module.call(CLEAR, {});
    return { loss, gradientNorm, applied, microBatches: batches.length, computedTokens };
  } catch (error) {
    if (touched && !endsLearner(error)) clearAfter(error, module, request.step);
    throw error;
  }
}

/** Restores OPTSTEP-2 after a failure. If that fails too, what is left of the step would be added to the next one. */
function clearAfter(error: unknown, module: JitModule, step: number): void {
  try {
    module.call(CLEAR, {});
  } catch (cause) {
    const reasons = [error, cause].map((reason) =>
      reason instanceof Error ? reason.message : String(reason),
    );
    throw new LearnerError(
      "APPLY_FAILED",
      `the step failed (${reasons[0]}) and its gradients could not be cleared (${reasons[1]}), so the learner is closed; create another one from the last checkpoint`,
      { details: { step }, cause: error },
    );
  }
}

function applyParts(module: JitModule, scalars: ReturnType<typeof adamwScalars>, step: number): void {
  const names = applyNames(module);
  names.forEach((name, done) => {
    try {
      module.call(name, scalars);
    } catch (cause) {
      throw new LearnerError(
        "APPLY_FAILED",
        `applying the step failed in part ${done + 1} of ${names.length}: ${cause instanceof Error ? cause.message : String(cause)}; the weights may be of two versions, so the learner is closed; create another one from the last checkpoint${hintOf(cause, names.length)}`,
        { details: { step, part: done, parts: names.length }, cause },
      );
    }
  });
}

/** Returns advice for memory that ran out while weights were applied. */
function hintOf(cause: unknown, parts: number): string {
  if (!(cause instanceof JitError) || cause.code !== "MEMORY_EXHAUSTED") return "";
  return parts > 1
    ? ", with a smaller memory.applyMb"
    : ", with lora, fewer rows in buckets, or less for a sampler on the same device";
}
