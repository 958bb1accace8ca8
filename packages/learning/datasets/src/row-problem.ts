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
  const issues = narrowed(parsed.error.issues[0] as z.core.$ZodIssue);
  const issue = issues.find(({ code }) => code !== "invalid_type") ?? (issues[0] as z.core.$ZodIssue);
  const reason = reasonOf(issue, value);
  const types = issues.flatMap((one) => (one.code === "invalid_type" ? [one.expected] : []));
  const words =
    reason === "missing-field"
      ? "is missing"
      : issue.code === "invalid_type"
        ? `is ${kindOf(at(value, issue.path))}; give ${typeNames(types)}`
        : issue.message;
  return { reason, detail: `${issue.path.join(".") || "row"}: ${words}` };
}

/**
 * Follows the alternatives of a union to where they fail. Those that come furthest into the value are what its writer
 * meant.
 */
function narrowed(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const all = issue.errors
    .flat()
    .flatMap((inner) => narrowed({ ...inner, path: [...issue.path, ...inner.path] }));
  const furthest = Math.max(...all.map(({ path }) => path.length));
  return all.filter(({ path }) => path.length === furthest);
}

const names: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "an integer",
  bigint: "a number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};
const typeNames = (types: readonly string[]) =>
  [...new Set(types.map((type) => names[type] ?? type))].join(", or ");

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) => (typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined),
    value,
  );
}

/** Names the type of a value, and the fields of an object. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return "a date";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") {
    const fields = Object.keys(value).slice(0, 3).join(", ");
    return fields === "" ? "an empty object" : `an object with ${fields}`;
  }
  return typeof value === "string" ? "a text" : `the ${typeof value} ${String(value)}`;
}

function reasonOf(issue: z.core.$ZodIssue, row: object): RowReason {
  if (issue.code === "unrecognized_keys") return "unknown-field";
  if (issue.code === "too_small") return "empty-field";
  if (issue.code === "custom") return "bad-value";
  const field = issue.path[0];
  return typeof field === "string" && !(field in row) ? "missing-field" : "wrong-type";
}
