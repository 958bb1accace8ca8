import { z } from "zod";

/** A question about documents of a pool. */
export interface RulerQuestion {
  readonly id: string;
  readonly question: string;
  /** Different from each other; any one is right. */
  readonly answers: readonly string[];
  /** Documents that hold the answer. */
  readonly gold: readonly number[];
  /** Documents that come into the text before any others: of the same article, or given with the question. */
  readonly related: readonly number[];
}

/** Questions with their pool of documents, from a file. */
export interface RulerQuestions {
  /** "squad", "hotpotqa". */
  readonly name: string;
  readonly questions: readonly RulerQuestion[];
  readonly documents: readonly string[];
  /** Questions that make no task, by reason. */
  readonly badRows: readonly QuestionBadRow[];
}

export interface QuestionBadRow {
  /** Counted from 1 in the order of the file. */
  readonly row: number;
  readonly reason: string;
  readonly detail: string;
}

const squadSchema = z.object({
  data: z.array(
    z.object({
      title: z.string().optional(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.string(),
              question: z.string(),
              answers: z.array(z.object({ text: z.string() })).default([]),
              is_impossible: z.boolean().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

const hotpotSchema = z.array(
  z.object({
    _id: z.string(),
    question: z.string().min(1),
    answer: z.string().min(1),
    supporting_facts: z.array(z.tuple([z.string(), z.number()])),
    context: z.array(z.tuple([z.string(), z.array(z.string())])),
  }),
);

/** The pool of documents: equal ones are one. */
class Pool {
  readonly documents: string[] = [];
  readonly #places = new Map<string, number>();

  add(document: string): number {
    const found = this.#places.get(document);
    if (found !== undefined) return found;
    this.#places.set(document, this.documents.length);
    return this.documents.push(document) - 1;
  }
}

/** @param value parsed JSON in SQuAD's form (v1.1 or v2.0). @throws {z.ZodError} */
export function squadQuestions(value: unknown): RulerQuestions {
  const pool = new Pool();
  const questions: RulerQuestion[] = [];
  const badRows: QuestionBadRow[] = [];
  let row = 0;
  for (const { paragraphs } of squadSchema.parse(value).data) {
    const article = paragraphs.map(({ context }) => pool.add(context));
    for (const [place, { qas }] of paragraphs.entries()) {
      const gold = article[place] as number;
      for (const { id, question, answers, is_impossible: impossible } of qas) {
        row += 1;
        const texts = [...new Set(answers.map(({ text }) => text).filter((text) => text.trim() !== ""))];
        if (impossible || texts.length === 0) {
          badRows.push({ row, reason: "no-answer", detail: `question ${id} has no answer` });
          continue;
        }
        const related = [...new Set(article.filter((document) => document !== gold))];
        questions.push({ id, question, answers: texts, gold: [gold], related });
      }
    }
  }
  return { name: "squad", questions, documents: pool.documents, badRows };
}

/** @param value parsed JSON in HotpotQA's own form. @throws {z.ZodError} */
export function hotpotQuestions(value: unknown): RulerQuestions {
  const pool = new Pool();
  const questions: RulerQuestion[] = [];
  const badRows: QuestionBadRow[] = [];
  for (const [at, row] of hotpotSchema.parse(value).entries()) {
    const placed = row.context.map(([title, sentences]) => ({
      title,
      document: pool.add(`${title}\n${sentences.join("")}`),
    }));
    const titles = new Set(row.supporting_facts.map(([title]) => title));
    const gold = placed.filter(({ title }) => titles.has(title)).map(({ document }) => document);
    if (gold.length < titles.size || gold.length === 0) {
      const detail = `question ${row._id} has a supporting fact without its paragraph`;
      badRows.push({ row: at + 1, reason: "evidence-not-in-context", detail });
      continue;
    }
    const related = placed.filter(({ title }) => !titles.has(title)).map(({ document }) => document);
    questions.push({ id: row._id, question: row.question, answers: [row.answer], gold, related });
  }
  return { name: "hotpotqa", questions, documents: pool.documents, badRows };
}
