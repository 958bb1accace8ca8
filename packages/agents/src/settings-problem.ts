import { closestWord } from "@palimpsest/memory/text";
import { z } from "zod";

/**
 * Describes in one line what is wrong with settings: each field with its value and the expected value, and each unknown
 * name with those that the schema knows.
 */
export function settingsProblem(error: z.ZodError, schema: z.ZodType, settings: unknown): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return error.issues
    .map((issue) => {
      const { path, message } = issue;
      if (issue.code === "unrecognized_keys" && path.length === 0)
        return issue.keys.map((key) => unknownName(key, known)).join("; ");
      if (path.length === 0) return message;
      const value = path.reduce<unknown>(fieldOf, settings);
      return `${path.join(".")}: ${message}${value === undefined ? "" : `; it is ${JSON.stringify(value)}`}`;
    })
    .join("; ");
}

function unknownName(key: string, known: readonly string[]): string {
  const meant = closestWord(key, known);
  const fix = meant === undefined ? `use one of ${known.join(", ")}` : `did you mean "${meant}"?`;
  return `unknown setting "${key}"; ${fix}`;
}

const fieldOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === String(name))?.[1]
    : undefined;
