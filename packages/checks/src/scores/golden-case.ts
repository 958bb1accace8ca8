import { z } from "zod";

/** One number or text of a case: the reference's and ours. */
export interface Comparison {
  readonly name: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** One golden case, recomputed. */
export interface CheckedCase {
  readonly list: string;
  readonly id: string;
  readonly kind: string;
  readonly outcome: "passed" | "failed" | "contested";
  /** Values that differ from the reference's. */
  readonly differences: readonly Comparison[];
  /** Of contested cases: what we do, and why. */
  readonly choice?: string;
}

/** Cases of one kind in a golden file. */
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
 * @param definition.compare recomputes one case; an error counts as a value that is missing
 * @param definition.choice what we do in a contested case, and why
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

/** Equal as JSON values, numbers within the tolerance; NaN equals nothing. */
export function same(expected: unknown, actual: unknown, tolerance: number): boolean {
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
