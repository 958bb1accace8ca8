import { z } from "zod";

/** One value of a case, as the reference has it and as we compute it. */
export interface Comparison {
  readonly name: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The result of recomputing one golden case. */
export interface CheckedCase {
  readonly list: string;
  readonly id: string;
  readonly kind: string;
  readonly outcome: "passed" | "failed" | "contested";
  /** The values that differ from the reference's. */
  readonly differences: readonly Comparison[];
  /** For contested cases: what we do, and why. */
  readonly choice?: string;
}

/** Checks the cases of one kind in a golden file. */
export interface GoldenList {
  readonly name: string;
  check(rows: readonly unknown[], tolerance: number): readonly CheckedCase[];
}

const caseSchema = z.object({
  id: z.string(),
  kind: z.string().default(""),
  contested: z.boolean().default(false),
  note: z.string().optional(),
});

/**
 * Creates the check of one list of cases.
 * @param definition.tolerance returns the tolerance of this list for that of the file; default: the same
 * @param definition.compare recomputes one case; an error that it throws is a difference
 * @param definition.choice says what we do in a contested case, and why
 */
export function goldenList<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly schema: Schema;
  readonly tolerance?: (tolerance: number) => number;
  readonly compare: (row: z.output<Schema>) => readonly Comparison[];
  readonly choice: (row: z.output<Schema>, id: { readonly kind: string }) => string;
}): GoldenList {
  const { name, schema, compare, choice } = definition;
  const checkOne = (value: unknown, place: number, tolerance: number): CheckedCase => {
    const head = caseSchema.safeParse(value);
    const { id, kind, contested } = head.data ?? { id: `case ${place}`, kind: "", contested: false };
    const row = schema.safeParse(value);
    const differences = row.success
      ? differing(() => compare(row.data), tolerance)
      : [{ name: "case", expected: "a case of this list", actual: z.prettifyError(row.error) }];
    const outcome = contested ? "contested" : differences.length === 0 ? "passed" : "failed";
    const chosen = row.success
      ? choice(row.data, { kind })
      : "refused: the row has a shape that we do not take";
    return { list: name, id, kind, outcome, differences, ...(contested ? { choice: chosen } : {}) };
  };
  return {
    name,
    check: (rows, tolerance) => {
      const allowed = definition.tolerance?.(tolerance) ?? tolerance;
      return rows.map((row, place) => checkOne(row, place, allowed));
    },
  };
}

function differing(compare: () => readonly Comparison[], tolerance: number): readonly Comparison[] {
  try {
    return compare().filter(({ expected, actual }) => !same(expected, actual, tolerance));
  } catch (reason) {
    const message = reason instanceof Error ? reason.message : String(reason);
    return [{ name: "error", expected: "a value", actual: message }];
  }
}

/** Returns whether two JSON values are equal, with numbers within the tolerance; NaN equals no number. */
function same(expected: unknown, actual: unknown, tolerance: number): boolean {
  if (typeof expected === "number" && typeof actual === "number") {
    return expected === actual || Math.abs(expected - actual) <= tolerance;
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return (
      expected.length === actual.length && expected.every((value, i) => same(value, actual[i], tolerance))
    );
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].every((key) => same(expected[key], actual[key], tolerance));
  }
  return Object.is(expected, actual);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
