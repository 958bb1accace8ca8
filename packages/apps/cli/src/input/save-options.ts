import { realpathSync } from "node:fs";
import type { SaveOptions } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { parseAmount } from "./key-values.js";

/** Options of commands that write a model folder. */
export interface SaveFlags {
  readonly out: string;
  readonly dtype: "float32" | "bfloat16";
  readonly maxShardGb?: number;
  readonly json?: boolean;
}

/** @param json the flag of the command's own output */
export function withSaveOptions(command: Command, json: Option): Command {
  return command
    .requiredOption("--out <folder>", "model folder to write; an existing one is replaced")
    .addOption(
      new Option("--dtype <dtype>", "data type of the written weights")
        .choices(["float32", "bfloat16"])
        .default("float32"),
    )
    .option(
      "--max-shard-gb <n>",
      "size above which the weights are split into several files; default 5",
      parseAmount,
    )
    .addOption(json);
}

export function saveOptions({ dtype, maxShardGb }: SaveFlags): SaveOptions {
  return { dtype, ...(maxShardGb === undefined ? {} : { maxShardBytes: maxShardGb * 1e9 }) };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT where the model that is read would be replaced by what is written */
export function refuseOwnModel(model: string, { out }: SaveFlags): void {
  const [from, to] = [model, out].map((path) => {
    try {
      return realpathSync(path);
    } catch {
      // A name of the hub, or a folder to be made.
      return undefined;
    }
  });
  if (from === undefined || from !== to) return;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--out ${out}: is the model that is read, which would be lost; give another folder`,
  );
}
