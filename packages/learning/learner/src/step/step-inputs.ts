import type { HostArray, JitModule } from "@palimpsest/jit";
import type { Bucket } from "../config/bucket.js";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { MicroBatch } from "../rows/dealt-row.js";
import { layoutInputs } from "../rows/layout.js";
import type { MicroBatchArrays, PackableRow } from "../rows/micro-batches.js";
import { sharesReference } from "../state/state.js";
import { inputNames, KL_COEFFICIENT, type Objective, referenceName } from "./compiled.js";

/** Selects the inputs that the compiled function declares. */
export function inputsOf(
  { bucket }: Pick<MicroBatch, "bucket">,
  request: { readonly objective: Objective; readonly klCoefficient?: number },
  arrays: MicroBatchArrays,
  config: ResolvedLearnerConfig,
): Readonly<Record<string, HostArray>> {
  const inputs: Record<string, HostArray> = { ...layoutInputs(bucket, arrays.layout) };
  for (const name of inputNames(request.objective, config)) inputs[name] = arrays[name];
  if (request.objective === "policy")
    inputs[KL_COEFFICIENT] = Float32Array.of(request.klCoefficient ?? config.kl.coefficient);
  return inputs;
}

/**
 * Returns each replica's inputs; where replicas share the reference, with its log-probabilities, which are computed here: joined, its
 * weights must be gone before there are gradients.
 */
export function withReference(
  module: JitModule,
  config: ResolvedLearnerConfig,
  { objective }: { readonly objective: Objective },
  bucket: Bucket,
  all: readonly {
    readonly arrays: MicroBatchArrays;
    readonly inputs: Readonly<Record<string, HostArray>>;
  }[],
): readonly Readonly<Record<string, HostArray>>[] {
  if (objective !== "policy" || !sharesReference(config)) return all.map(({ inputs }) => inputs);
  const scored = module.callEach(
    referenceName(bucket),
    all.map(({ arrays }) => layoutInputs(bucket, arrays.layout)),
  );
  return all.map(({ inputs }, replica) => ({ ...inputs, ...scored[replica] }));
}

export function notFinite(
  what: string,
  value: number,
  index: number,
  batch: MicroBatch,
  request: { readonly rows: readonly PackableRow[]; readonly step: number },
): LearnerError {
  const rows = batch.rowIndices.map((rowIndex) => request.rows[rowIndex]);
  return new LearnerError(
    "NOT_FINITE",
    `the ${what} of micro-batch ${index} is ${value}, so the step was not applied; the error's details have its rows`,
    { details: { step: request.step, microBatch: index, rows } },
  );
}
