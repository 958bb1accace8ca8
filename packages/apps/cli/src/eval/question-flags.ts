import { basename } from "node:path";
import { readQuestionSource } from "@palimpsest/datasets";
import { type EvalItem, longQaItems } from "@palimpsest/evals";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { parseCount, parseLengths, parseWhole } from "../input/key-values.js";

/** Options of evaluations over contexts of many documents. */
export interface QuestionFlags {
  readonly input: readonly string[];
  readonly pool?: readonly string[];
  readonly corpus?: string;
  readonly lengths?: readonly number[];
  readonly minDistance?: number;
  readonly order: "any" | "forward" | "reverse";
  readonly answerFree?: boolean;
  readonly repeat?: boolean;
  readonly dataSeed: number;
  readonly limit?: number;
}

export function withQuestionFlags(command: Command): Command {
  return command
    .requiredOption(
      "--input <files...>",
      "questions in their publishers' formats (JSON, JSONL, parquet), prepared tasks, or complete contexts",
    )
    .option(
      "--pool <files...>",
      "paragraphs with which contexts are filled up; default: those of the questions",
    )
    .option("--corpus <file.json>", "paragraphs to which the indices of complete contexts refer")
    .option(
      "--lengths <list>",
      "number of documents per context, such as 50,200,800; default: each question's own paragraphs, or the unchanged context",
      parseLengths,
    )
    .option(
      "--min-distance <n>",
      "only items whose gold documents are at least n documents apart",
      parseCount,
    )
    .addOption(
      new Option("--order <order>", "only items whose evidence occurs in this order")
        .choices(["any", "forward", "reverse"])
        .default("any"),
    )
    .option("--answer-free", "adds no paragraphs that contain an answer")
    .option("--repeat", "draws paragraphs repeatedly if there are too few")
    .option("--data-seed <n>", "seed of positions and of added paragraphs", parseWhole, 0);
}

/** Loads the items that the flags select, and lines about them for the report. */
export async function readQuestionItems(
  flags: QuestionFlags,
  dataSource: string,
): Promise<{ readonly items: EvalItem[]; readonly facts: Readonly<Record<string, string | number>> }> {
  const { input, pool, corpus, lengths, limit, minDistance, order, dataSeed } = flags;
  const source = await readQuestionSource({
    inputs: input,
    dataSource,
    ...(pool ? { pool } : {}),
    ...(corpus === undefined ? {} : { corpus }),
  });
  const [bad] = source.badRows;
  if (bad !== undefined && source.questions.length + source.finished.length === 0)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `--input: no row is a question; the first bad one is row ${bad.row} of ${bad.source}: ${bad.reason}, ${bad.detail}`,
    );
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
  return {
    items,
    facts: {
      data: input.map((path) => basename(path)).join(", "),
      "data seed": dataSeed,
      ...(order === "any" ? {} : { "order of evidence": order }),
      ...(minDistance === undefined ? {} : { "least distance of evidence": minDistance }),
      ...(bad
        ? {
            "bad rows": `${source.badRows.length}, the first: ${bad.source} row ${bad.row}: ${bad.reason}, ${bad.detail}`,
          }
        : {}),
    },
  };
}
