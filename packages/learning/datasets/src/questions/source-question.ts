import { sha256Of } from "@palimpsest/std";
import type { RowProblem } from "../row-problem.js";

/** A titled piece of text, of which contexts consist. */
export interface Paragraph {
  readonly title: string;
  readonly text: string;
}

/** A question with its own paragraphs, from any data set. */
export interface SourceQuestion {
  readonly id: string;
  readonly question: string;
  /** Answers, of which any one counts as right; there is at least one. */
  readonly answers: readonly string[];
  /** The entity of the answer in a file of aliases. */
  readonly answerId?: string;
  readonly paragraphs: readonly Paragraph[];
  /** Distinct indices of the paragraphs that contain the evidence, in the order in which the data set names them. */
  readonly gold: readonly number[];
  /** Other facts about the question, such as `type`, `level` or `hops`. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

/** What is wrong with a row or with the question that it contains. */
export interface QuestionProblem {
  readonly reason:
    | RowProblem["reason"]
    | "no-answer"
    | "evidence-not-in-context"
    | "no-evidence"
    | "no-context";
  readonly detail: string;
}

/** Returns the id of a row that has none. Rows with the same question get the same id. */
export function idOfQuestion(question: string): string {
  return `q-${sha256Of(question).slice(0, 16)}`;
}

/**
 * Joins sentences as the data set splits them, and inserts a space between two sentences that have no white space
 * there.
 */
export function joinSentences(sentences: readonly string[]): string {
  return sentences
    .reduce(
      (text, next) =>
        text === "" || next === "" || /\s$/.test(text) || /^\s/.test(next) ? text + next : `${text} ${next}`,
      "",
    )
    .trim();
}

/**
 * Returns the indices of the paragraphs with the given titles, without duplicates, or a problem that names the first
 * title without a paragraph.
 */
export function placesOfTitles(
  titles: readonly string[],
  paragraphs: readonly Paragraph[],
): readonly number[] | QuestionProblem {
  const places: number[] = [];
  for (const title of new Set(titles)) {
    const place = paragraphs.findIndex((paragraph) => paragraph.title === title);
    if (place < 0) {
      return {
        reason: "evidence-not-in-context",
        detail: `supporting_facts: names "${title}", which is the title of no paragraph`,
      };
    }
    places.push(place);
  }
  return places.length > 0 ? places : { reason: "no-evidence", detail: "supporting_facts: is empty" };
}
