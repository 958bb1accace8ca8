import { basename } from "node:path";
import { type QuestionSource, readQuestionSource } from "@palimpsest/datasets";
import { longQaItems, qaScorer } from "@palimpsest/evals";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type EvalFlags, readEvalSettings, withEvalFlags } from "../eval/eval-flags.js";
import { runEvaluation } from "../eval/eval-run.js";
import { parseWhole } from "../key-values.js";

interface LongQaFlags extends EvalFlags {
  readonly input: readonly string[];
  readonly pool?: readonly string[];
  readonly corpus?: string;
  readonly lengths?: readonly number[];
  readonly minDistance?: number;
  readonly order: "any" | "forward" | "reverse";
  readonly answerFree?: boolean;
  readonly repeat?: boolean;
  readonly dataSeed: number;
}

export function addEvalLongQa(command: Command): void {
  const longQa = command
    .command("longqa")
    .description(
      "questions over long contexts of many documents: HotpotQA, 2WikiMultiHopQA, MuSiQue, or prepared ones",
    )
    .requiredOption(
      "--input <files...>",
      "questions as their publishers give them (JSON, JSONL, parquet), prepared tasks, or finished contexts",
    )
    .option(
      "--pool <files...>",
      "paragraphs that contexts are filled up from; default: those of the questions",
    )
    .option("--corpus <file.json>", "paragraphs that finished contexts are indices into")
    .option(
      "--lengths <list>",
      "documents of a context, such as 50,200,800; default: each question's own paragraphs",
      parseLengths,
    )
    .option(
      "--min-distance <n>",
      "only items whose gold documents stand at least n documents apart",
      parseWhole,
    )
    .addOption(
      new Option("--order <order>", "only items whose evidence stands in this order")
        .choices(["any", "forward", "reverse"])
        .default("any"),
    )
    .option("--answer-free", "no added paragraph holds an answer")
    .option("--repeat", "paragraphs are drawn again where there are too few")
    .option("--data-seed <n>", "of places and of added paragraphs", parseWhole, 0);
  withEvalFlags(longQa).action(async (flags: LongQaFlags) => {
    const settings = readEvalSettings(flags);
    const { input, pool, corpus, lengths, limit, minDistance, order, dataSeed } = flags;
    const source = await readQuestionSource({
      inputs: input,
      dataSource: "longqa",
      ...(pool ? { pool } : {}),
      ...(corpus === undefined ? {} : { corpus }),
    });
    const items = longQaItems({
      source,
      seed: dataSeed,
      order,
      answerFree: flags.answerFree ?? false,
      repeat: flags.repeat ?? false,
      ...(lengths ? { lengths } : {}),
      ...(minDistance === undefined ? {} : { minDistance }),
      ...(limit === undefined ? {} : { limit }),
    });
    await runEvaluation(
      {
        suite: "longqa",
        title: "Questions over long contexts",
        items,
        scorer: qaScorer(settings.answer),
        usual: [
          "memagent",
          "rememr1",
          "rememr1-no-recall",
          "full-context",
          "truncated",
          "rag-bm25",
          "rag-embedding",
        ],
        facts: {
          ...dataFacts(input, source),
          "data seed": dataSeed,
          ...(order === "any" ? {} : { "order of evidence": order }),
          ...(minDistance === undefined ? {} : { "least distance of evidence": minDistance }),
        },
      },
      flags,
      settings,
    );
  });
}

export function dataFacts(
  inputs: readonly string[],
  { badRows }: QuestionSource,
): Record<string, string | number> {
  const [first] = badRows;
  return {
    data: inputs.map((path) => basename(path)).join(", "),
    ...(first
      ? {
          "bad rows": `${badRows.length}, the first: ${first.source} row ${first.row}: ${first.reason}, ${first.detail}`,
        }
      : {}),
  };
}

export function parseLengths(text: string): number[] {
  const lengths = text.split(/[\s,]+/).filter((part) => part !== "");
  if (lengths.length === 0) throw new InvalidArgumentError(`"${text}" names no length; write 50,200,800`);
  return lengths.map(parseWhole);
}
