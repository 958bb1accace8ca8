import type { SaveOptions } from "@palimpsest/model";
import { type Command, Option } from "commander";
import { parseAmount } from "./key-values.js";

/** How a command that writes a model folder is told to. */
export interface SaveFlags {
  readonly out: string;
  readonly dtype: "float32" | "bfloat16";
  readonly maxShardGb?: number;
}

export function withSaveOptions(command: Command): Command {
  return command
    .requiredOption("--out <folder>", "the model folder that is written; one that is there is replaced")
    .addOption(
      new Option("--dtype <dtype>", "what weights are written as")
        .choices(["float32", "bfloat16"])
        .default("float32"),
    )
    .option("--max-shard-gb <n>", "above this the weights go to several files; default 5", parseAmount);
}

export function saveOptions({ dtype, maxShardGb }: SaveFlags): SaveOptions {
  return { dtype, ...(maxShardGb === undefined ? {} : { maxShardBytes: maxShardGb * 1e9 }) };
}
