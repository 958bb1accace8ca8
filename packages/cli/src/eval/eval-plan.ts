import type { EvalItem, ReportSection, Scorer, SuiteRun } from "@palimpsest/evals";

/** What a command gives to be run: who is asked comes from flags and settings. */
export interface EvalPlan {
  readonly suite: string;
  readonly title: string;
  readonly items: readonly EvalItem[];
  readonly scorer: Scorer;
  /** Who takes part where neither flags nor settings say. */
  readonly usual: readonly string[];
  /** Further lines under the title: data and its settings. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** Parts of the report that only this suite has. */
  readonly sections?: (run: SuiteRun) => readonly ReportSection[];
}
