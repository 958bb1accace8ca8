import type { SamplerConfigInput } from "@palimpsest/model";
import { Option } from "commander";

/** The weight format for a request that runs alone on a CPU. */
export type SingleWeights = NonNullable<SamplerConfigInput["singleWeights"]>;

const choices: readonly SingleWeights[] = ["auto", "off", "float32", "bfloat16", "int8"];

/** Creates the flag for commands that sample for one user at a time. */
export function singleWeightsOption(): Option {
  return new Option(
    "--single-weights <type>",
    "weight format of a local model of more than 8 layers on a CPU, for a request that runs alone: int8 is the fastest and changes log-probs by about 0.02 nats; auto is as precise as batches",
  )
    .choices(choices)
    .default("auto");
}
