import type { EvalItem, ReportSection, Scorer, SuiteRun } from "@palimpsest/evals";

/** The evaluation that a command defines. The systems come from flags and settings. */
export interface EvalPlan {
  readonly suite: string;
  readonly title: string;
  readonly items: readonly EvalItem[];
  readonly scorer: Scorer;
  /** The systems that are evaluated if neither flags nor settings name any. */
  readonly usual: readonly string[];
  /** Further lines under the title: the data and its settings. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** Sections of the report that only this suite has. */
  readonly sections?: (run: SuiteRun) => readonly ReportSection[];
}
