import type { SourceQuestion } from "../questions/source-question.js";

/** A question about documents of a pool. */
interface RulerQuestion {
  readonly id: string;
  readonly question: string;
  /** Each of these counts as right. */
  readonly answers: readonly string[];
  /** Indices of the documents that contain the answer. */
  readonly gold: readonly number[];
  /**
   * Indices of the documents that are added before any others: those of the same article, or those given with the
   * question.
   */
  readonly related: readonly number[];
}

/** Questions with their pool of documents. */
export interface RulerQuestions {
  /** Name of the data set: "squad" or "hotpotqa". */
  readonly name: string;
  readonly questions: readonly RulerQuestion[];
  /** The distinct documents. */
  readonly documents: readonly string[];
}

/**
 * Converts questions to RULER's form. A document of SQuAD is a paragraph without its title, and the other paragraphs of
 * its article are related. A document of HotpotQA begins with its title, and the question's other paragraphs are
 * related.
 */
export function rulerQuestions(
  name: "squad" | "hotpotqa",
  source: readonly SourceQuestion[],
): RulerQuestions {
  const documents: string[] = [];
  const places = new Map<string, number>();
  const articles = new Map<string, Set<number>>();
  const placeOf = (title: string, text: string): number => {
    const document = name === "squad" ? text : `${title}\n${text}`;
    const found = places.get(document) ?? documents.push(document) - 1;
    places.set(document, found);
    articles.set(title, (articles.get(title) ?? new Set()).add(found));
    return found;
  };
  const placed = source.map((one) => ({
    ...one,
    own: one.paragraphs.map(({ title, text }) => placeOf(title, text)),
  }));
  const questions = placed.map(({ id, question, answers, paragraphs, gold, own }): RulerQuestion => {
    const right = [...new Set(gold.map((place) => own[place] as number))];
    const article = paragraphs[0] ? articles.get(paragraphs[0].title) : undefined;
    const kin = name === "squad" ? [...(article ?? [])] : own;
    return {
      id,
      question,
      answers,
      gold: right,
      related: [...new Set(kin)].filter((document) => !right.includes(document)),
    };
  });
  return { name, questions, documents };
}
