import { type Recipe, rateRecipe, readRecipe } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { ratingOutput } from "../../data/data-outputs.js";
import { progressLine } from "../../display/progress-line.js";
import { parseCount, parseWhole } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";
import { identityOf, openAgentModel } from "../../models/agent-model.js";
import { type BackendChoice, backendOption } from "../../models/backend-option.js";

interface RateFlags {
  readonly out: string;
  readonly samples: number;
  readonly model?: string;
  readonly endpoint?: string;
  readonly tokenizer?: string;
  readonly backend: BackendChoice;
  readonly concurrency?: number;
  readonly seed: number;
  readonly json?: boolean;
}

export function addDataRate(data: Command): void {
  data
    .command("rate")
    .description(
      "measures how often a model solves each question of a recipe, for curriculum.passRates; resumes where it was stopped",
    )
    .argument("<recipe.yaml>", "recipe with the questions, the agent that answers and the reward that scores")
    .requiredOption("--out <file>", "file of rates, one line per question")
    .option("--samples <k>", "episodes per question", parseCount, 8)
    .option(
      "--model <name>",
      "folder, file, run, checkpoint, known name or hub id; default: the recipe's; with --endpoint the server's name for it",
    )
    .option(
      "--endpoint <url>",
      "URL of an OpenAI-compatible server to use instead; its key comes from OPENAI_API_KEY",
    )
    .option("--tokenizer <name>", "with --endpoint: the model whose tokenizer counts and truncates texts")
    .addOption(backendOption())
    .option(
      "--concurrency <n>",
      "episodes in progress at once; default: the recipe's rollout.concurrency",
      parseCount,
    )
    .option("--seed <n>", "seed of sampling", parseWhole, 0)
    .addOption(ratingOutput.option())
    .action((path: string, flags: RateFlags) => rate(path, flags));
}

async function rate(path: string, flags: RateFlags): Promise<void> {
  const { out, samples, seed, endpoint, tokenizer, backend } = flags;
  const { recipe } = readRecipe(path);
  const { rollout } = recipe;
  const concurrency = flags.concurrency ?? rollout.concurrency;
  const name = flags.model ?? (endpoint === undefined ? modelNameOf(recipe) : undefined);
  await untilStopped(async (signal) => {
    const model = await openAgentModel({
      ...(name === undefined ? {} : { model: name }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(tokenizer === undefined ? {} : { tokenizer }),
      backend,
      parallel: endpoint === undefined ? Math.min(concurrency, rollout.maxBatch) : concurrency,
      maxLength: rollout.maxTokens,
      signal,
    });
    const bar = progressLine("rating", "questions", process.stderr);
    try {
      const identity = identityOf(model, endpoint);
      const rating = await rateRecipe({
        recipe,
        model,
        identity,
        out,
        samples,
        concurrency,
        seed,
        signal,
        onProgress: ({ rated, questions, never, always, failed }) =>
          bar.show({
            done: rated,
            total: questions,
            note: `${never} never solved, ${always} always${failed === 0 ? "" : `, ${failed} episodes failed`}`,
          }),
      });
      bar.close();
      const { questions, resumed, never, always, mean, failed } = rating;
      if (flags.json) ratingOutput.print({ out, model: model.name, identity, samples, seed, ...rating });
      else
        process.stdout.write(
          `${out}  ${questions} questions, ${samples} episodes each, by ${model.name}: pass rate ${mean.toFixed(3)} on average\n` +
            `${never} never solved, ${always} always, ${questions - never - always} between` +
            `${failed === 0 ? "" : `; ${failed} episodes failed and do not count`}` +
            `${resumed === 0 ? "" : `; ${resumed} questions come from an earlier run`}\n`,
        );
    } finally {
      bar.close();
      await model.close();
    }
  });
}

/** Returns the model that a recipe starts from. @throws {PalimpsestError} CONFIG_INVALID */
function modelNameOf({ model, start }: Recipe): string | undefined {
  if (start !== undefined)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      "start: the recipe's run starts from a model that is first trained on demonstrations; name the model that answers with --model, such as that run's folder",
    );
  const { path, checkpoint, name, hub, revision } = model;
  return path ?? checkpoint ?? name ?? (revision === undefined ? hub : `${hub}@${revision}`);
}
