import { createHash } from "node:crypto";
import type { RowProblem } from "../row-problem.js";

/** A titled piece of text; contexts are made of them. */
export interface Paragraph {
  readonly title: string;
  readonly text: string;
}

/** A question with its own paragraphs, from any data set. */
export interface SourceQuestion {
  readonly id: string;
  readonly question: string;
  /** Any one counts as right; at least one. */
  readonly answers: readonly string[];
  readonly paragraphs: readonly Paragraph[];
  /** Which of the paragraphs hold the evidence, in the order in which the data set names them; each once. */
  readonly gold: readonly number[];
  /** Such as `type`, `level`, `hops`. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

/** What is wrong with a question, beyond its fields. */
export interface QuestionProblem {
  readonly reason:
    | RowProblem["reason"]
    | "no-answer"
    | "evidence-not-in-context"
    | "no-evidence"
    | "no-context";
  readonly detail: string;
}

/** The id of a row that has none: rows with the same question get the same one. */
export function idOfQuestion(question: string): string {
  return `q-${createHash("sha256").update(question).digest("hex").slice(0, 16)}`;
}

/** Sentences as the data set parts them; those that bring no white space of their own get a space between. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences
    .reduce(
      (text, next) =>
        text === "" || next === "" || /\s$/.test(text) || /^\s/.test(next) ? text + next : `${text} ${next}`,
      "",
    )
    .trim();
}

/** Places of the named titles among the paragraphs, each title once; or the first title that is not there. */
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
        detail: `supporting_facts: no paragraph is called "${title}"`,
      };
    }
    places.push(place);
  }
  return places.length > 0
    ? places
    : { reason: "no-evidence", detail: "supporting_facts: it names no paragraph" };
}
