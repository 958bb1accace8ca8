import { buildContext, renderDocuments } from "../paragraphs/build-context.js";
import { evidencePlaces } from "../paragraphs/evidence-places.js";
import type { ParagraphPool } from "../paragraphs/paragraph-pool.js";
import type { SourceQuestion } from "../questions/source-question.js";
import type { ContextOptions } from "./paragraph-options.js";
import type { PrepareContext, PreparedTask } from "./preparer.js";

/**
 * Returns why `clean` leaves a question out: the name of a paragraph that contains an answer and is not the question's
 * own. Undefined if there is none.
 */
export function answerElsewhere(question: SourceQuestion, pool: ParagraphPool): string | undefined {
  const kin = pool.kin(question.paragraphs);
  for (const place of pool.holding(question.answers)) {
    if (!kin.has(place)) return pool.titles[place] || `paragraph ${place}`;
  }
  return undefined;
}

/** Creates the task of a question with its context; undefined if the options leave it out. */
export function questionTask(
  question: SourceQuestion,
  pool: ParagraphPool,
  settings: ContextOptions & { readonly docs: number | undefined; readonly dataSource: string },
  context: PrepareContext,
): PreparedTask | undefined {
  const { texts, goldDocuments, repeatedDocs } = buildContext(question, pool, {
    ...settings,
    seed: context.seed,
  });
  const places = evidencePlaces(goldDocuments);
  if (settings.order !== "any" && places.evidenceOrder !== settings.order) {
    return leaveOut(context, "evidence-order");
  }
  if (settings.minDistance !== undefined && (places.minDistance ?? 0) < settings.minDistance) {
    return leaveOut(context, "min-distance");
  }
  return {
    id: question.id,
    question: question.question,
    answers: question.answers,
    document: renderDocuments(texts),
    metadata: {
      dataSource: settings.dataSource,
      numDocs: texts.length,
      ...places,
      ...question.facts,
      ...(repeatedDocs > 0 ? { repeatedDocs } : {}),
    },
    paragraphs: texts,
  };
}

function leaveOut(context: PrepareContext, reason: string): undefined {
  context.leftOut(reason);
}

/** Yields the paragraphs of the questions, which are the pool if no file of paragraphs is given. */
export function* paragraphsOfQuestions(questions: readonly SourceQuestion[]) {
  for (const { paragraphs } of questions) yield* paragraphs;
}
