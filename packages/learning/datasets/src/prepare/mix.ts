import { createRandom } from "@palimpsest/std/random";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { readEvaluationQuestions } from "../overlap/find-overlap.js";
import { ParagraphPool, paragraphText } from "../paragraphs/paragraph-pool.js";
import { readPool } from "../paragraphs/read-pool.js";
import { hotpotQuestion } from "../questions/hotpot-question.js";
import { musiqueQuestion } from "../questions/musique-question.js";
import type { Paragraph, QuestionProblem, SourceQuestion } from "../questions/source-question.js";
import { squadQuestions } from "../questions/squad-question.js";
import { PassRates } from "../rates/pass-rates.js";
import { idKey } from "../tasks/id-key.js";
import { aliasesOption, readAliases, withAliases } from "./answer-aliases.js";
import { contextOptions } from "./paragraph-options.js";
import { definePreparer, type PrepareContext, type SourceRow } from "./preparer.js";
import { itemTask } from "./question-preparer.js";
import { QuestionSpool } from "./question-spool.js";

const { corpus: _, ...ownContextOptions } = contextOptions;

const mixOptions = z.strictObject({
  minDocs: z.int().min(1).default(2).describe("fewest documents of a context"),
  maxDocs: z.int().min(1).default(40).describe("most documents of a context"),
  lengths: z
    .enum(["log-uniform", "uniform"])
    .default("log-uniform")
    .describe(
      "distribution of the number of documents. log-uniform: each doubling is equally likely; uniform: each number",
    ),
  most: z
    .int()
    .min(1)
    .optional()
    .describe("most questions of each data set, drawn by the seed; absent: all of them"),
  curriculum: z
    .enum(["shuffled", "short-first", "easy-first", "hard-first"])
    .default("shuffled")
    .describe(
      "order of the tasks. short-first: by documents, then by rates; easy-first, hard-first: by rates, then by documents, and questions without a rate at the end",
    ),
  rates: z
    .string()
    .min(1)
    .optional()
    .describe("file of pass rates that `palimpsest data rate` wrote; only ids are compared"),
  evaluation: z
    .array(z.string().min(1))
    .default([])
    .describe("evaluation files whose questions are left out, as `palimpsest data overlap` finds them"),
  aliases: aliasesOption,
  ...ownContextOptions,
});
type MixOptions = z.output<typeof mixOptions>;

/** A question of the mixture. Its text and paragraphs are in the spool. */
interface Entry {
  readonly index: number;
  readonly dataset: string;
  readonly docs: number;
  /** NaN if it was not rated. */
  readonly rate: number;
  readonly origin: Pick<SourceRow, "source" | "row">;
}

/** Mixes questions of several data sets, each with a context of another length. */
export const mix = definePreparer({
  name: "mix",
  summary: "HotpotQA, 2WikiMultiHopQA, MuSiQue and SQuAD together, with contexts of mixed lengths",
  inputs: "required",
  options: mixOptions,
  async *prepare(options, context) {
    refuseOptions(options);
    const rates =
      options.rates === undefined ? undefined : await PassRates.read(options.rates, context.signal);
    const evaluated = await readEvaluationQuestions(options.evaluation, undefined, context.signal);
    const aliases = await readAliases(options.aliases, context);
    const named = options.pool && (await readPool(options.pool, context));
    const own = new Map<string, Paragraph>();
    const spool = await QuestionSpool.create();
    try {
      const entries: Entry[] = [];
      for await (const { question, dataset, origin } of readQuestions(context)) {
        evaluated.observe(question.question);
        if (named === undefined)
          for (const paragraph of question.paragraphs) own.set(paragraphText(paragraph), paragraph);
        const rate = rates?.ofKey(idKey(question.id)) ?? Number.NaN;
        entries.push({
          index: entries.length,
          dataset,
          docs: Math.max(question.gold.length, docsOf(question.id, options, context.seed)),
          rate: rate === "absent" ? Number.NaN : rate,
          origin,
        });
        await spool.add(question);
      }
      if (rates !== undefined && entries.length > 0 && entries.every(({ rate }) => Number.isNaN(rate)))
        throw new DatasetError(
          "BAD_CONFIG",
          `rates: "${rates.path}" rates none of the ${entries.length} questions; rate these with \`palimpsest data rate\``,
        );
      const pool = named ?? new ParagraphPool(own.values());
      own.clear();
      for (const { index, dataset: dataSource, docs, origin } of arranged(entries, options, context)) {
        const question = withAliases(await spool.read(index), aliases, context);
        const overlap = evaluated.overlapOf(question);
        if (overlap !== undefined) context.leftOut(`evaluated, by ${overlap.by}`);
        else
          yield* itemTask(
            { question, origin },
            pool,
            { ...options, corpus: undefined, docs, dataSource },
            context,
          );
      }
    } finally {
      await spool.close();
    }
  },
});

/** @throws {DatasetError} BAD_CONFIG */
function refuseOptions({ minDocs, maxDocs, curriculum, rates }: MixOptions): void {
  const refuse = (problem: string) => new DatasetError("BAD_CONFIG", `mix settings: ${problem}`);
  if (minDocs > maxDocs)
    throw refuse(`minDocs: ${minDocs} is above maxDocs ${maxDocs}; lower it, or raise maxDocs`);
  if (rates === undefined && (curriculum === "easy-first" || curriculum === "hard-first"))
    throw refuse(
      `curriculum: ${curriculum} needs rates; name the file of \`palimpsest data rate\` with rates`,
    );
}

/** Draws a question's number of documents, which depends on nothing but its id, the seed and the options. */
function docsOf(id: string, { minDocs, maxDocs, lengths }: MixOptions, seed: number | string): number {
  const { float } = createRandom(`${seed}/docs/${id}`);
  if (lengths === "uniform") return minDocs + Math.floor(float() * (maxDocs - minDocs + 1));
  // Each number has the share of its interval of half a document to both sides, on the scale of logarithms.
  const [low, high] = [Math.log(minDocs - 0.5), Math.log(maxDocs + 0.5)];
  return Math.min(maxDocs, Math.max(minDocs, Math.round(Math.exp(low + float() * (high - low)))));
}

/** Returns the drawn questions of each data set in the order of the curriculum. */
function arranged(
  entries: readonly Entry[],
  { most, curriculum }: MixOptions,
  { seed, leftOut }: PrepareContext,
) {
  const taken = new Map<string, number>();
  const drawn = createRandom(`${seed}/mix`)
    .shuffle([...entries])
    .filter(({ dataset }) => {
      const count = (taken.get(dataset) ?? 0) + 1;
      if (most !== undefined && count > most) {
        leftOut(`more than ${most} of ${dataset}`);
        return false;
      }
      taken.set(dataset, count);
      return true;
    });
  if (curriculum === "shuffled") return drawn;
  const sign = curriculum === "hard-first" ? 1 : -1;
  const byRate = (a: Entry, b: Entry) => {
    if (Number.isNaN(a.rate) || Number.isNaN(b.rate))
      return Number(Number.isNaN(a.rate)) - Number(Number.isNaN(b.rate));
    return sign * (a.rate - b.rate);
  };
  const byDocs = (a: Entry, b: Entry) => a.docs - b.docs;
  return drawn.sort((a, b) =>
    curriculum === "short-first" ? byDocs(a, b) || byRate(a, b) : byRate(a, b) || byDocs(a, b),
  );
}

interface MixedQuestion {
  readonly question: SourceQuestion;
  readonly dataset: string;
  readonly origin: Pick<SourceRow, "source" | "row">;
}

/** Yields the questions of all inputs, whose rows tell the data set that they are of, and counts bad rows. */
async function* readQuestions(context: PrepareContext): AsyncGenerator<MixedQuestion> {
  for (const path of context.inputs) {
    for await (const { source, row, value } of context.rows(path)) {
      const origin = { source, row };
      const [dataset, questions] = questionsOf(value);
      for (const question of questions) {
        if ("reason" in question) context.badRow({ ...origin, ...question });
        else yield { question, dataset, origin };
      }
    }
  }
}

function questionsOf(
  value: unknown,
): readonly [dataset: string, questions: readonly (SourceQuestion | QuestionProblem)[]] {
  const has = (field: string) => typeof value === "object" && value !== null && field in value;
  if (has("data") || (has("answers") && has("context"))) return ["squad", squadQuestions(value)];
  if (has("paragraphs")) return ["musique", [musiqueQuestion(value)]];
  return [has("evidences") ? "2wikimultihopqa" : "hotpotqa", [hotpotQuestion(value)]];
}
