import type { Random } from "@palimpsest/trajectories/random";
import type { RulerTasksConfig } from "./config.js";
import type { HaystackText } from "./haystack-text.js";
import type { RulerQuestions } from "./questions.js";
import type { RulerTaskName } from "./task-name.js";
import type { TokenCounter } from "./token-counter.js";

/** What a family of tasks is given to make one task. */
export interface DraftInput {
  readonly name: RulerTaskName;
  /** Names everything that is drawn. */
  readonly seed: string;
  readonly random: Random;
  /** Tokens that document and question may have together. */
  readonly budgetTokens: number;
  readonly counter: TokenCounter;
  readonly config: RulerTasksConfig;
  readonly essay: HaystackText;
  /** Questions of the two tasks that need them; its place in the data set is drawn in turn. */
  readonly questions?: RulerQuestions;
  /** Which of the tasks of this name and length. */
  readonly index: number;
}

/** A task that knows how its document is made. */
export interface Draft {
  readonly question: string;
  readonly answers: readonly string[];
  /** Where in the document the asked things stand, in percent: 0 its beginning, 100 its end. */
  readonly depthPercents?: readonly number[];
  readonly metadata: Readonly<Record<string, string | number>>;
  /** The document, each time anew. Joined they are the text; a piece begins where a word or a line begins. */
  pieces(): IterableIterator<string>;
}

/** Tokens of a document, piece by piece. */
export function tokensOfPieces(pieces: Iterable<string>, counter: TokenCounter): number {
  let tokens = 0;
  for (const piece of pieces) tokens += counter.count(piece);
  return tokens;
}
