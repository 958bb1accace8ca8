/** What the page and its two workers say to each other: one learns, the other reads and is examined. */
import type { Trace } from "@palimpsest/evals/trace-schema";

export type Weights = Readonly<Record<string, Float32Array>>;

/** What is read: a question of the small world, or a person's own. */
export interface Question {
  readonly id: string;
  readonly question: string;
  readonly document: string;
  readonly answers: readonly string[];
  /** The sentence that answers, as the microscope names it; absent: nobody knows. */
  readonly evidence?: string;
}

/** The words of the small world: all that the model has read in its life. */
export interface World {
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly fillers: readonly string[];
}

export type ToWorker =
  | { readonly kind: "draw"; readonly position: number }
  | { readonly kind: "learn"; readonly shuffleRewards: boolean }
  | { readonly kind: "stop" }
  | { readonly kind: "read"; readonly question: Question }
  | { readonly kind: "examine"; readonly step: number }
  | { readonly kind: "weights"; readonly weights: Weights; readonly version: number };

export type FromWorker =
  | { readonly kind: "ready"; readonly world: World }
  | {
      readonly kind: "step";
      readonly step: number;
      readonly reward: number;
      readonly seconds: number;
      readonly isLast: boolean;
      readonly weights: Weights;
    }
  | { readonly kind: "learned"; readonly steps: number }
  | {
      readonly kind: "trace";
      readonly question: Question;
      readonly trace: Trace;
      readonly answer: string;
      readonly version: number;
    }
  | { readonly kind: "examined"; readonly step: number; readonly right: number; readonly questions: number }
  | { readonly kind: "failed"; readonly problem: string };
