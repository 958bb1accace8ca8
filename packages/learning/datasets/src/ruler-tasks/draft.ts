import type { Random } from "@palimpsest/std/random";
import type { RulerTasksConfig } from "./config.js";
import type { HaystackText } from "./haystack-text.js";
import type { RulerQuestions } from "./questions.js";
import type { RulerTaskName } from "./task-name.js";
import type { TokenCounter } from "./token-counter.js";

/** The input from which a family of tasks creates one task. */
export interface DraftInput {
  readonly name: RulerTaskName;
  /** Seed of everything that is drawn for the task. */
  readonly seed: string;
  readonly random: Random;
  /** Maximum number of tokens of document and question together. */
  readonly budgetTokens: number;
  readonly counter: TokenCounter;
  readonly config: RulerTasksConfig;
  readonly essay: HaystackText;
  /** Questions of the two tasks that need them, which are used one after another in a drawn order. */
  readonly questions?: RulerQuestions;
  /** Index of the task among those of its name and length. */
  readonly index: number;
}

/** A task that can generate its document. */
export interface Draft {
  readonly question: string;
  readonly answers: readonly string[];
  /** Positions of the requested items in the document, in percent: 0 is its beginning, 100 its end. */
  readonly depthPercents?: readonly number[];
  readonly metadata: Readonly<Record<string, string | number>>;
  /**
   * Yields the document in pieces, from its beginning at every call. The joined pieces are the text, and each piece
   * begins at the beginning of a word or a line.
   */
  pieces(): IterableIterator<string>;
}

/** Counts the tokens of a document, piece by piece. */
export function tokensOfPieces(pieces: Iterable<string>, counter: TokenCounter): number {
  let tokens = 0;
  for (const piece of pieces) tokens += counter.count(piece);
  return tokens;
}
