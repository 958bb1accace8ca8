/** Checks what programs pass to stores: names the field, its value, what to give, and the key that was probably meant. */
import { inspect } from "node:util";
import { z } from "zod";
import { MemoryError } from "./error.js";
import { closestWord } from "./text/closest-word.js";

/** @throws {MemoryError} BAD_INPUT */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const problems = result.error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, known)).join("; ");
    const at = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    const given = issue.path.reduce<unknown>(
      (here, step) => (typeof here === "object" && here !== null ? Reflect.get(here, step) : undefined),
      value,
    );
    const shown = given === undefined ? "absent" : inspect(given, { depth: 0, maxStringLength: 80 });
    return `${at}${issue.message}; it is ${shown}`;
  });
  throw new MemoryError("BAD_INPUT", `${what}: ${problems.join("; ")}`);
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = closestWord(key, known);
  const fix = meant === undefined ? `use one of ${known.join(", ")}` : `did you mean "${meant}"?`;
  return `unknown key "${key}"; ${fix}`;
}
