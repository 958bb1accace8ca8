import type { z } from "zod";

/** Why a row is not a task. Bad rows are counted by these reasons. */
type RowReason =
  | "not-json"
  | "not-utf8"
  | "not-an-object"
  | "missing-field"
  | "wrong-type"
  | "empty-field"
  | "unknown-field"
  | "bad-value"
  | "duplicate-id";

export interface RowProblem {
  readonly reason: RowReason;
  /** Names the field and what is wrong with it. */
  readonly detail: string;
}

/**
 * Parses a row with its schema.
 * @returns the parsed row, or the first problem of it
 */
export function readRow<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly data: z.output<Schema> } | RowProblem {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { reason: "not-an-object", detail: "row: must be an object with named fields" };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data };
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const reason = reasonOf(issue, value);
  return { reason, detail: `${issue.path.join(".") || "row"}: ${wordsOf(issue, reason)}` };
}

function wordsOf(issue: z.core.$ZodIssue, reason: RowReason): string {
  if (reason === "missing-field") return "is missing";
  return issue.code === "invalid_union" ? "has none of the types that are allowed here" : issue.message;
}

function reasonOf(issue: z.core.$ZodIssue, row: object): RowReason {
  if (issue.code === "unrecognized_keys") return "unknown-field";
  if (issue.code === "too_small") return "empty-field";
  if (issue.code === "custom") return "bad-value";
  const field = issue.path[0];
  return typeof field === "string" && !(field in row) ? "missing-field" : "wrong-type";
}
