import type { SamplerConfigInput } from "@palimpsest/model";
import { Option } from "commander";

/** What a request that runs alone on a CPU multiplies by. */
export type SingleWeights = NonNullable<SamplerConfigInput["singleWeights"]>;

const choices: readonly SingleWeights[] = ["auto", "off", "float32", "bfloat16", "int8"];

/** The flag of the commands that sample for one person at a time. */
export function singleWeightsOption(): Option {
  return new Option(
    "--single-weights <type>",
    "of a local model on a CPU, for a request that runs alone: int8 is the fastest and moves log-probs by about 0.02 nats; auto: as precise as batches",
  )
    .choices(choices)
    .default("auto");
}
