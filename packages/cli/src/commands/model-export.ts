import type { Command } from "commander";
import { modelCache } from "../model-cache.js";
import { type SaveFlags, saveOptions, withSaveOptions } from "../save-options.js";

export function addModelExport(model: Command): void {
  withSaveOptions(
    model
      .command("export")
      .description(
        "writes what a run has trained as a model folder that transformers loads; adapters are merged",
      )
      .argument("<from>", "folder of a run (its newest checkpoint), of one checkpoint, or of a model")
      .option(
        "--tokenizer <folder>",
        "model folder to take the tokenizer from; default: what the run began with",
      ),
  ).action(async (from: string, options: SaveFlags & { readonly tokenizer?: string }) => {
    const { holdsRunModel, readRunModel } = await import("@palimpsest/trainer");
    const { loadModel, parameterCount, saveModel } = await import("@palimpsest/model");
    const { tokenizer } = options;
    const exported = holdsRunModel(from)
      ? await readRunModel(from, {
          ...modelCache(),
          ...(tokenizer === undefined ? {} : { tokenizerFrom: tokenizer }),
        })
      : await loadModel(from);
    await saveModel(options.out, exported, saveOptions(options));
    process.stdout.write(
      `${options.out}: ${parameterCount(exported.config)} parameters as ${options.dtype}\n`,
    );
  });
}
