import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { parseAmount, parseCount, parseWhole } from "../key-values.js";
import { stopSignal } from "../signals.js";
import type { DemonstrationFlags } from "../train-demonstrations.js";

interface SftOptions extends Partial<DemonstrationFlags> {
  readonly out?: string;
  readonly seed?: number;
}

export function addTrainSft(train: Command): void {
  train
    .command("sft")
    .description(
      "supervised training in this process: a model learns demonstrations (--model, --data), or a base recipe makes a model from nothing",
    )
    .argument("[base-recipe.yaml]", "makes a base from nothing, such as recipes/quickstart-base.yaml")
    .option("--out <folder>", "the model folder that is written")
    .option("--seed <n>", "of the order of demonstrations; of a base recipe: replaces its seed", parseWhole)
    .option("--model <name>", "the model that learns: folder, known name, or ORGANIZATION/NAME on the hub")
    .option("--data <file.jsonl>", "demonstrations: lines with messages, or with prompt and completion")
    .option("--epochs <n>", "passes over the demonstrations (3)", parseCount)
    .option("--batch <n>", "answers that one optimizer step learns (16)", parseCount)
    .option("--max-tokens <n>", "longest prompt and answer together (1024)", parseCount)
    .addOption(
      new Option("--too-long <way>", "of a demonstration above --max-tokens").choices(["refuse", "skip"]),
    )
    .option("--learning-rate <x>", "peak (1e-5; with adapters 1e-4 is a beginning)", parseAmount)
    .option("--lora <rank>", "trains adapters of this rank and merges them at the end", parseCount)
    .option("--threads <n>", "compute threads (2)", parseCount)
    .option(
      "--teacher <url>",
      "an OpenAI-compatible server that answers --prompts into --data first; its key comes from OPENAI_API_KEY",
    )
    .option("--teacher-model <name>", "the server's name for the teacher")
    .option("--prompts <file.jsonl>", "with --teacher: lines with prompt or messages")
    .option("--samples <n>", "with --teacher: answers to each prompt (1)", parseCount)
    .option("--temperature <x>", "with --teacher: of its sampling (0.7)", parseAmount)
    .option(
      "--answer-tokens <n>",
      "with --teacher: longest answer; longer ones are left out (1024)",
      parseCount,
    )
    .action(async (recipePath: string | undefined, options: SftOptions) => {
      const { out, seed, model, data } = options;
      if (recipePath !== undefined && out !== undefined && model === undefined && data === undefined) {
        const { makeBaseWithProgress } = await import("../make-base.js");
        const seeded = seed === undefined ? {} : { seed };
        await makeBaseWithProgress({ recipePath, outDir: out, signal: stopSignal(), ...seeded });
        return;
      }
      if (recipePath !== undefined || data === undefined || (model === undefined) !== (out === undefined))
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          "give a base recipe and --out; or --model, --data and --out; or --teacher, --prompts and --data",
        );
      const { trainDemonstrations } = await import("../train-demonstrations.js");
      await trainDemonstrations({ ...options, data }, stopSignal());
    });
}
