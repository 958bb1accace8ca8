/** One question about one document. What data sets and generators produce and agents work on. */
export interface Task {
  /** Unique within its data set; stable between runs. */
  readonly id: string;
  readonly question: string;
  /** Any one of them counts as right; a multi-value task lists all that are wanted. At least one. */
  readonly answers: readonly string[];
  readonly document: string;
  /** What evaluations group by and people look at: `kind`, `lengthTokens`, `numDocs`, `dataSource`. */
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}
