import type { HostArray } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { MicroBatch } from "../rows/dealt-row.js";
import { layoutInputs } from "../rows/layout.js";
import type { MicroBatchArrays, PackableRow } from "../rows/micro-batches.js";
import { inputNames, KL_COEFFICIENT, type Objective } from "./compiled.js";

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
