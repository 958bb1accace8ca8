import { setImmediate } from "node:timers/promises";
import type { JitModule } from "@palimpsest/jit";
import { entry } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { layoutInputs } from "../rows/layout.js";
import { fillMicroBatch, type MicroBatchArrays, type PackableRow } from "../rows/micro-batches.js";
import { roundsOf } from "../rows/rounds.js";
import { packRows } from "../rows/row-packing.js";
import type { Together } from "../together/together.js";
import { scoreName } from "./compiled.js";
import type { Outputs } from "./step-request.js";
import { spreadOutputs, type TrainedOutputs, trainedOutputs } from "./trained-outputs.js";

/** Log-probabilities of rows by their index, one entry per token, nats; only trained positions are filled. */
export interface RowScores {
  readonly policy: Map<number, Float32Array>;
  readonly reference: Map<number, Float32Array>;
}

/**
 * Computes the learner's own log-probabilities of the given rows under the current weights, without gradients, into
 * `into`; the reference's too if the reward needs them. The event loop runs between micro-batches.
 * @throws {LearnerError} ABORTED, ROW_TOO_LONG, PEER_FAILED
 */
export async function scoreRows(
  module: JitModule,
  config: ResolvedLearnerConfig,
  rows: readonly PackableRow[],
  indices: readonly number[],
  into: RowScores,
  signal: AbortSignal | undefined,
  together?: Together,
): Promise<void> {
  if (indices.length === 0) return;
  const chosen = indices.map((index) => entry(rows, index));
  const weights = new Float64Array(chosen.length);
  const packed = packRows(chosen, config.buckets);
  const rounds = roundsOf(packed, module.replicas);
  const isOwn = together?.isOwn(rounds);
  const indexOf = new Map(packed.map((batch, index) => [batch, index]));
  const computed = new Map<number, TrainedOutputs>();
  const keepAll = (arrays: MicroBatchArrays, outputs: Outputs | undefined) => {
    keep(arrays, outputs?.["policyLogprobs"], into.policy);
    keep(arrays, outputs?.["refLogprobs"], into.reference);
  };
  const keep = (
    arrays: MicroBatchArrays,
    logprobs: ArrayLike<number> | undefined,
    kept: Map<number, Float32Array>,
  ) => {
    if (logprobs === undefined) return;
    arrays.rowOfToken.forEach((row, at) => {
      if (row < 0 || arrays.lossMask[at] === 0) return;
      const index = indices[row] as number;
      let values = kept.get(index);
      if (values === undefined) {
        values = new Float32Array(chosen[row]?.tokenIds.length ?? 0);
        kept.set(index, values);
      }
      values[arrays.placeInRow[at] ?? 0] = logprobs[at] ?? Number.NaN;
    });
  };
  for (const [round, { batches, blanks }] of rounds.entries()) {
    if (isOwn?.[round] === false) continue;
    if (signal?.aborted)
      throw new LearnerError("ABORTED", "the update was aborted", { cause: signal.reason });
    const all = [...batches, ...blanks].map(({ bucket, ...rest }) => {
      const arrays = fillMicroBatch({ bucket, ...rest }, chosen, weights);
      return { bucket, arrays, inputs: layoutInputs(bucket, arrays.layout) };
    });
    const name = scoreName(entry(all, 0).bucket);
    const outputs = module.callEach(
      name,
      all.map(({ inputs }) => inputs),
    );
    if (together === undefined)
      for (const [replica, scored] of all.entries()) keepAll(scored.arrays, outputs[replica]);
    else
      for (const [replica, batch] of batches.entries()) {
        const { lossMask } = entry(all, replica).arrays;
        computed.set(indexOf.get(batch) ?? -1, trainedOutputs(outputs[replica] ?? {}, lossMask));
      }
    await setImmediate();
  }
  if (together === undefined) return;
  const everyones = await together.outputsOf(computed, packed.length);
  for (const [index, batch] of packed.entries()) {
    const arrays = fillMicroBatch(batch, chosen, weights);
    keepAll(arrays, spreadOutputs(entry(everyones, index), arrays.lossMask));
  }
}
