import type { Command } from "commander";
import { refuseOwnModel, type SaveFlags, saveOptions, withSaveOptions } from "../../input/save-options.js";
import { type ModelInputOptions, modelArgument, withIgnoreConfig } from "../../models/model-input.js";
import { writtenModelOutput } from "../../models/written-model.js";

export function addModelConvert(model: Command): void {
  withSaveOptions(
    withIgnoreConfig(model.command("convert"))
      .description(
        "writes a model as a folder in the Hugging Face layout: config.json, safetensors, tokenizer.json",
      )
      .argument("<model>", modelArgument),
    writtenModelOutput.option(),
  ).action(async (name: string, options: SaveFlags & ModelInputOptions) => {
    refuseOwnModel(name, options);
    const { readModelInput } = await import("../../models/model-input.js");
    const { parameterCount, saveModel } = await import("@palimpsest/model");
    const read = await readModelInput(name, options);
    await saveModel(options.out, read, saveOptions(options));
    const tokenizer = read.tokenizer === undefined ? "no tokenizer" : "with its tokenizer";
    const parameters = parameterCount(read.config);
    if (options.json)
      return writtenModelOutput.print({ folder: options.out, parameters, dtype: options.dtype });
    process.stdout.write(`${options.out}: ${parameters} parameters as ${options.dtype}, ${tokenizer}\n`);
  });
}
