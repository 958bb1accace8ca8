import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { existingFile } from "../../input/existing-path.js";
import { parseAmount, parseCount, parseWhole } from "../../input/key-values.js";
import { stopSignal } from "../../input/signals.js";
import { withIgnoreConfig } from "../../models/model-input.js";
import { sftOutput } from "../../training/run-output.js";
import type { DemonstrationFlags } from "../../training/train-demonstrations.js";

interface SftOptions extends Partial<DemonstrationFlags> {
  readonly out?: string;
  readonly seed?: number;
  readonly json?: boolean;
}

export function addTrainSft(train: Command): void {
  withIgnoreConfig(train.command("sft"))
    .description(
      "supervised training in this process: fine-tunes a model on demonstrations (--model, --data), or trains a base model from scratch (base recipe)",
    )
    .argument("[base-recipe.yaml]", "recipe of a base model to train from scratch, such as base-recipe.yaml")
    .option("--out <folder>", "model folder to write")
    .option(
      "--seed <n>",
      "seed of the order of demonstrations; for a base recipe: replaces its seed",
      parseWhole,
    )
    .option("--model <name>", "the model to fine-tune: folder, known name, or ORGANIZATION/NAME on the hub")
    .option("--data <file.jsonl>", "demonstrations: lines with messages, or with prompt and completion")
    .option("--epochs <n>", "passes over the demonstrations (3)", parseCount)
    .option("--batch <n>", "demonstrations per optimizer step (16)", parseCount)
    .option("--max-tokens <n>", "maximum tokens of prompt and answer together (1024)", parseCount)
    .addOption(
      new Option("--too-long <way>", "what to do with demonstrations above --max-tokens").choices([
        "refuse",
        "skip",
      ]),
    )
    .option("--learning-rate <x>", "peak learning rate (1e-5; with adapters start with 1e-4)", parseAmount)
    .option("--lora <rank>", "trains adapters of this rank and merges them at the end", parseCount)
    .option("--threads <n>", "compute threads (2)", parseCount)
    .option(
      "--teacher <url>",
      "URL of an OpenAI-compatible server that first answers --prompts, whose answers are written to --data; its key comes from OPENAI_API_KEY",
    )
    .option("--teacher-model <name>", "the server's name for the teacher")
    .option("--prompts <file.jsonl>", "with --teacher: lines with prompt or messages")
    .option("--samples <n>", "with --teacher: answers per prompt (1)", parseCount)
    .option("--temperature <x>", "with --teacher: temperature of its sampling (0.7)", parseAmount)
    .option(
      "--answer-tokens <n>",
      "with --teacher: maximum tokens of an answer; longer answers are left out (1024)",
      parseCount,
    )
    .addOption(sftOutput.option())
    .action(async (recipePath: string | undefined, _own: SftOptions, command: Command) => {
      // `train` has a --seed, too, and takes it wherever it stands.
      const options = command.optsWithGlobals<SftOptions>();
      const { out, seed, model, data, prompts } = options;
      if (recipePath !== undefined && out !== undefined && model === undefined && data === undefined) {
        const { makeBaseWithProgress } = await import("../../training/make-base.js");
        const seeded = seed === undefined ? {} : { seed };
        const stream = options.json ? process.stderr : process.stdout;
        const made = { recipePath, outDir: out, signal: stopSignal(), stream, ...seeded };
        const { outDir: folder, weightsHash } = await makeBaseWithProgress(made);
        if (options.json) sftOutput.print({ model: { folder, weightsHash } });
        return;
      }
      if (recipePath !== undefined || data === undefined || (model === undefined) !== (out === undefined))
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          "give a base recipe and --out; or --model, --data and --out; or --teacher, --prompts and --data",
        );
      if (prompts !== undefined) existingFile(prompts, `--prompts ${prompts}`, "give a file of prompts");
      else existingFile(data, `--data ${data}`, "give a file of demonstrations");
      const { trainDemonstrations } = await import("../../training/train-demonstrations.js");
      await trainDemonstrations({ ...options, data }, stopSignal());
    });
}
