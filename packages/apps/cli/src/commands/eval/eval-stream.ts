import { basename } from "node:path";
import { streamItems, streamScorer, streamScriptSystems, streamUtility } from "@palimpsest/evals";
import { readRecipe } from "@palimpsest/trainer";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { type EvalFlags, readEvalSettings, withEvalFlags } from "../../eval/eval-flags.js";
import { runEvaluation } from "../../eval/eval-run.js";
import { parseCount, parseLengths, parseWhole } from "../../input/key-values.js";

interface StreamFlags extends EvalFlags {
  readonly turns: readonly number[];
  readonly streams: number;
  readonly recipe?: string;
  readonly dataSeed: number;
}

export function addEvalStream(command: Command): void {
  const stream = command
    .command("stream")
    .description("writers of streams: what their store is worth to a reader after more and more turns")
    .option("--turns <list>", "turns of the streams, such as 1,10,100", parseLengths, [1, 10, 100, 1000])
    .option("--streams <n>", "streams of each length", parseCount, 32)
    .option("--recipe <file>", "recipe with the words of the streams; default: things and rooms, for tests")
    .option("--data-seed <n>", "seed of the streams", parseWhole, 0);
  withEvalFlags(stream)
    .addHelpText(
      "after",
      "\nRaw episodes, no memory, an oracle and cheats stand beside the systems. Without --model they stand alone.",
    )
    .action(async (flags: StreamFlags) => {
      const settings = readEvalSettings(flags);
      const { turns, dataSeed, streams, limit = streams } = flags;
      const items = await streamItems({
        turns,
        streams: Math.min(streams, limit),
        settings: { split: "test", ...wordsOf(flags.recipe), seed: `eval/${dataSeed}` },
      });
      const reward = streamUtility();
      const isAsked = flags.model !== undefined || flags.endpoint !== undefined;
      await runEvaluation(
        {
          suite: "stream",
          title: "Streams",
          items,
          scorer: streamScorer,
          scripts: streamScriptSystems(reward),
          reward,
          usual: isAsked ? ["trained"] : [],
          facts: {
            turns: turns.join(", "),
            "data seed": dataSeed,
            ...(flags.recipe === undefined ? {} : { words: basename(flags.recipe) }),
          },
        },
        flags,
        settings,
      );
    });
}

/** @throws {PalimpsestError} CONFIG_INVALID for a recipe of other data */
function wordsOf(recipe: string | undefined) {
  if (recipe === undefined) return {};
  const { data } = readRecipe(recipe).recipe;
  if (data.source === "stream") return data.stream;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `--recipe: ${recipe} has data.source ${data.source ?? "module"}, which tells no stream; give a recipe with data.source stream`,
  );
}
