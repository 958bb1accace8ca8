import { sha256Of } from "@palimpsest/std";
import type { Task } from "@palimpsest/trajectories";
import { keyOfHash } from "../tasks/id-key.js";

/** How a question of training data was recognized as one of an evaluation. */
export interface Overlap {
  /**
   * id: both have the same id; words: the same words in any order; n-grams: at least `least` of the evaluation
   * question's n-grams occur in the training question.
   */
  readonly by: "id" | "words" | "n-grams";
  /** Share of the evaluation question's n-grams that were found; 1 for the other two. */
  readonly share: number;
  /** The first evaluation file with the question, and its id there. */
  readonly file: string;
  readonly id: string;
}

export interface OverlapSettings {
  /** Words per n-gram; twice as many characters in scripts without spaces. */
  readonly n: number;
  /** Least share of n-grams. */
  readonly least: number;
}

/** With 5 words half of a question, in whatever order its clauses come, is recognized; the templates of a data set are not. */
export const defaultOverlap: OverlapSettings = { n: 5, least: 0.5 };

/** An n-gram that occurs in more questions than these is a phrase of the data set's template, not of a question. */
const mostQuestions = 4;

interface Asked {
  readonly file: string;
  readonly id: string;
  readonly grams: readonly string[];
}

interface Gram {
  /** Indices of the evaluation questions with it. */
  readonly asked: number[];
  /** Keys of distinct questions with it, of evaluation and training; no more than are needed to call it a template. */
  readonly questions: Set<number>;
}

/** Single characters of scripts without spaces, and words of all others; punctuation and case make no difference. */
const units =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * The questions of evaluation files, by which training data is checked. Documents are not compared, because those of
 * both are drawn from the same paragraphs. Memory grows with the evaluation files alone.
 */
export class EvaluationQuestions {
  readonly #settings: OverlapSettings;
  readonly #asked: Asked[] = [];
  readonly #byId = new Map<string, number>();
  readonly #byWords = new Map<number, number>();
  readonly #grams = new Map<string, Gram>();

  constructor(settings: OverlapSettings = defaultOverlap) {
    this.#settings = settings;
  }

  get count(): number {
    return this.#asked.length;
  }

  /** Adds a question of an evaluation file. */
  add(file: string, { id, question }: Pick<Task, "id" | "question">): void {
    const { grams, key } = this.#read(question);
    const index = this.#asked.length;
    if (!this.#byId.has(id)) this.#byId.set(id, index);
    // The same question at another length is one question.
    if (this.#byWords.has(key)) {
      this.#asked.push({ file, id, grams: [] });
      return;
    }
    this.#asked.push({ file, id, grams });
    this.#byWords.set(key, index);
    for (const gram of grams) {
      const known = this.#grams.get(gram);
      if (known === undefined) this.#grams.set(gram, { asked: [index], questions: new Set([key]) });
      else {
        known.asked.push(index);
        known.questions.add(key);
      }
    }
  }

  /** Reads a training question before any is judged, so that phrases that many of them share are not taken for evidence. */
  observe(question: string): void {
    const { grams, key } = this.#read(question);
    for (const gram of grams) {
      const known = this.#grams.get(gram);
      if (known !== undefined && known.questions.size <= mostQuestions) known.questions.add(key);
    }
  }

  /** Returns which evaluation question a training question is; undefined if it is none. */
  overlapOf({ id, question }: Pick<Task, "id" | "question">): Overlap | undefined {
    const found = (index: number, by: Overlap["by"], share = 1): Overlap => {
      const { file, id: evaluated } = this.#asked[index] as Asked;
      return { by, share, file, id: evaluated };
    };
    const same = this.#byId.get(id);
    if (same !== undefined) return found(same, "id");
    const { grams, key } = this.#read(question);
    const words = this.#byWords.get(key);
    if (words !== undefined) return found(words, "words");
    const hits = new Map<number, number>();
    for (const gram of grams) {
      const known = this.#grams.get(gram);
      if (known === undefined || known.questions.size > mostQuestions) continue;
      for (const index of known.asked) hits.set(index, (hits.get(index) ?? 0) + 1);
    }
    let best: { readonly index: number; readonly share: number } | undefined;
    for (const [index, count] of hits) {
      const own = (this.#asked[index] as Asked).grams.filter(
        (gram) => (this.#grams.get(gram)?.questions.size ?? 0) <= mostQuestions,
      );
      const share = count / own.length;
      if (share >= this.#settings.least && share > (best?.share ?? 0)) best = { index, share };
    }
    return best && found(best.index, "n-grams", best.share);
  }

  #read(question: string): { readonly grams: readonly string[]; readonly key: number } {
    const words = question.normalize("NFKC").toLowerCase().match(units) ?? [];
    const key = keyOfHash(sha256Of([...words].sort().join(" ")));
    const characters = words.filter((word) => unspaced.test(word)).length;
    const n = 2 * characters > words.length ? 2 * this.#settings.n : this.#settings.n;
    const grams = new Set<string>();
    for (let at = 0; at + n <= words.length; at++) grams.add(words.slice(at, at + n).join(" "));
    return { grams: [...grams], key };
  }
}
