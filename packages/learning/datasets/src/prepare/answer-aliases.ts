/** Other names of answers, by the entity that an answer names: the file id_aliases.json of 2WikiMultiHopQA. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { SourceQuestion } from "../questions/source-question.js";
import { readRow } from "../row-problem.js";
import type { PrepareContext } from "./preparer.js";

const rowSchema = z.object({
  Q_id: z.string().min(1),
  aliases: z.array(z.string()).default([]),
  demonyms: z.array(z.string()).default([]),
});

export const aliasesOption = z
  .string()
  .min(1)
  .optional()
  .describe(
    "file with other names of answers by answer_id; absent: id_aliases.json beside the inputs, if there is one",
  );

type Aliases = ReadonlyMap<string, readonly string[]> | undefined;

/**
 * Reads the file that is named, else the one that the publishers put beside their questions.
 * @returns undefined if there is none
 */
export async function readAliases(named: string | undefined, context: PrepareContext): Promise<Aliases> {
  const beside = context.inputs.map((path) => join(dirname(path), "id_aliases.json"));
  const path = named ?? beside.find((one) => existsSync(one));
  if (path === undefined) return undefined;
  const aliases = new Map<string, readonly string[]>();
  for await (const { source, row, value } of context.rows(path)) {
    const read = readRow(rowSchema, value);
    if ("reason" in read) context.badRow({ source, row, ...read });
    else aliases.set(read.data.Q_id, [...read.data.aliases, ...read.data.demonyms]);
  }
  return aliases;
}

/** Adds the other names of the answer, and counts the questions that got some and those that name no entity. */
export function withAliases(
  question: SourceQuestion,
  aliases: Aliases,
  context: Pick<PrepareContext, "remark">,
): SourceQuestion {
  if (aliases === undefined) return question;
  if (question.answerId === undefined) {
    context.remark("answer-without-id");
    return question;
  }
  const others = (aliases.get(question.answerId) ?? []).map((alias) => alias.trim()).filter(Boolean);
  const answers = [...new Set([...question.answers, ...others])];
  if (answers.length > question.answers.length) context.remark("answer-with-aliases");
  return { ...question, answers };
}
