import { basename } from "node:path";
import type { PrepareContext, SourceBadRow } from "../prepare/preparer.js";
import { hotpotQuestion } from "../questions/hotpot-question.js";
import type { QuestionProblem, SourceQuestion } from "../questions/source-question.js";
import { squadQuestions } from "../questions/squad-question.js";
import { fileRows } from "../source/file-rows.js";
import { readSourceText } from "../source/source-text.js";
import { fileText } from "./haystack-text.js";
import { rulerQuestions } from "./questions.js";
import type { RulerTaskSources } from "./ruler-task-set.js";

/** Paths of the user's files from which tasks are created. */
export interface RulerFiles {
  /** Plain text in which needles are hidden. */
  readonly essay?: string | undefined;
  /** The questions of qa_1, in SQuAD's form. */
  readonly squad?: string | undefined;
  /** The questions of qa_2, in HotpotQA's form. */
  readonly hotpotqa?: string | undefined;
}

/**
 * Reads the files through a preparer's context, which counts bad rows.
 * @throws {DatasetError} UNREADABLE_FILE, BAD_CONFIG
 */
export async function rulerSources(
  files: RulerFiles,
  context: Pick<PrepareContext, "rows" | "text" | "badRow">,
): Promise<Omit<RulerTaskSources, "countTokens">> {
  const { essay, squad, hotpotqa } = files;
  const read = async (
    path: string,
    of: (value: unknown) => readonly (SourceQuestion | QuestionProblem)[],
  ) => {
    const questions: SourceQuestion[] = [];
    for await (const { source, row, value } of context.rows(path)) {
      for (const one of of(value)) {
        if ("reason" in one) context.badRow({ source, row, ...one });
        else questions.push(one);
      }
    }
    return questions;
  };
  return {
    ...(essay === undefined ? {} : { essay: fileText(basename(essay), await context.text(essay)) }),
    ...(squad === undefined ? {} : { squad: rulerQuestions("squad", await read(squad, squadQuestions)) }),
    ...(hotpotqa === undefined
      ? {}
      : { hotpotqa: rulerQuestions("hotpotqa", await read(hotpotqa, (value) => [hotpotQuestion(value)])) }),
  };
}

/**
 * Reads the files without a preparer, for evaluations.
 * @throws {DatasetError} UNREADABLE_FILE, BAD_CONFIG; the signal's reason
 */
export async function readRulerSources(
  files: RulerFiles,
  signal?: AbortSignal,
): Promise<Omit<RulerTaskSources, "countTokens"> & { readonly badRows: readonly SourceBadRow[] }> {
  const badRows: SourceBadRow[] = [];
  const sources = await rulerSources(files, {
    async *rows(path) {
      for await (const row of fileRows(path, signal)) {
        if ("reason" in row) badRows.push({ source: path, ...row });
        else yield { source: path, ...row };
      }
    },
    text: (path) => readSourceText(path, signal),
    badRow: (row) => void badRows.push(row),
  });
  return { ...sources, badRows };
}
