import { basename } from "node:path";
import { type CountTokens, type RulerTaskName, readRulerSources, rulerTaskNames } from "@palimpsest/datasets";
import { rulerItems, rulerScorer, rulerSection } from "@palimpsest/evals";
import { ModelError } from "@palimpsest/model";
import { type Command, Option } from "commander";
import { tokenCounter } from "../../data/count-tokens.js";
import { type EvalFlags, readEvalSettings, withEvalFlags } from "../../eval/eval-flags.js";
import { runEvaluation } from "../../eval/eval-run.js";
import { parseLengths, parseWhole } from "../../input/key-values.js";
import { defaultAgentModel } from "../../models/agent-model.js";

interface RulerFlags extends EvalFlags {
  readonly tasks?: readonly RulerTaskName[];
  readonly lengths: readonly number[];
  readonly count: number;
  readonly essay?: string;
  readonly squad?: string;
  readonly hotpotqa?: string;
  readonly countWith?: string;
  readonly dataSeed: number;
}

export function addEvalRuler(command: Command): void {
  const ruler = command
    .command("ruler")
    .description("RULER: 13 synthetic tasks at any length, scored by RULER's rules")
    .addOption(
      new Option(
        "--tasks <names...>",
        "default: all that need no file, and qa_1 and qa_2 with --squad and --hotpotqa",
      ).choices([...rulerTaskNames]),
    )
    .option(
      "--lengths <list>",
      "tokens of document, question and reply, such as 4096,131072",
      parseLengths,
      [4096],
    )
    .option("--count <n>", "questions per task and length", parseWhole, 100)
    .option("--essay <file>", "plain text in which needles are hidden; default: generated prose")
    .option("--squad <file>", "file of questions for qa_1, in SQuAD's format")
    .option("--hotpotqa <file>", "file of questions for qa_2, in HotpotQA's format")
    .option(
      "--count-with <model>",
      "model whose tokenizer counts lengths; default: that of --tokenizer or of a local model, else an estimate from the letters",
    )
    .option("--data-seed <n>", "seed of the tasks", parseWhole, 0);
  withEvalFlags(ruler)
    .addHelpText(
      "after",
      "\nIf --tasks names qa_1, --squad is required; if it names qa_2, --hotpotqa is. --limit counts per task and length, as --count does.",
    )
    .action(async (flags: RulerFlags) => {
      const settings = readEvalSettings(flags);
      const { essay, squad, hotpotqa, lengths, count, dataSeed, limit = count } = flags;
      const sources = await readRulerSources({ essay, squad, hotpotqa });
      const tasks =
        flags.tasks ??
        rulerTaskNames.filter((name) => (name === "qa_1" ? squad : name === "qa_2" ? hotpotqa : name));
      const counted = await countingTokenizer(flags);
      const items = rulerItems(
        { tasks: [...tasks], lengths: [...lengths], count: Math.min(count, limit), seed: dataSeed },
        { ...sources, ...(counted ? { countTokens: counted.countTokens } : {}) },
      );
      await runEvaluation(
        {
          suite: "ruler",
          title: "RULER",
          items,
          scorer: rulerScorer,
          usual: ["memagent", "full-context", "truncated", "rag-bm25"],
          facts: {
            tasks: tasks.join(", "),
            "data seed": dataSeed,
            "lengths counted with": counted
              ? basename(counted.name)
              : "an estimate of 4 characters per token",
            essay: essay === undefined ? "generated prose" : basename(essay),
            ...(sources.badRows.length === 0 ? {} : { "bad rows": sources.badRows.length }),
          },
          sections: (run) => [rulerSection(run)],
        },
        flags,
        settings,
      );
    });
}

/**
 * Opens the tokenizer that measures lengths. Undefined if no tokenizer is named and the answering model has no
 * tokenizer file that can be read separately.
 */
async function countingTokenizer({
  countWith,
  tokenizer,
  endpoint,
  model,
}: RulerFlags): Promise<{ readonly name: string; readonly countTokens: CountTokens } | undefined> {
  if (countWith !== undefined) return { name: countWith, countTokens: await tokenCounter(countWith) };
  const own = tokenizer ?? (endpoint === undefined ? (model ?? defaultAgentModel) : undefined);
  if (own === undefined) return undefined;
  try {
    return { name: own, countTokens: await tokenCounter(own) };
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}
