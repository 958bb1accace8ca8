import type { Command } from "commander";
import { parseWhole } from "../key-values.js";
import { stopSignal } from "../signals.js";

interface SftOptions {
  readonly out: string;
  readonly seed?: number;
}

export function addTrainSft(train: Command): void {
  train
    .command("sft")
    .description(
      "makes a base model from nothing: tokenizer, random weights, supervised stages; in this process",
    )
    .argument("<base-recipe.yaml>", "how, such as recipes/quickstart-base.yaml")
    .requiredOption("--out <folder>", "the model folder that is written; one that is there is replaced")
    .option("--seed <n>", "replaces the recipe's seed", parseWhole)
    .action(async (recipePath: string, { out, seed }: SftOptions) => {
      const { makeBaseWithProgress } = await import("../make-base.js");
      await makeBaseWithProgress({
        recipePath,
        outDir: out,
        signal: stopSignal(),
        ...(seed === undefined ? {} : { seed }),
      });
    });
}
