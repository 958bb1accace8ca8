import { closestWord } from "@palimpsest/memory/text";
import { PalimpsestError } from "@palimpsest/wire";
import type { z } from "zod";
import { formerNames } from "./former-names.js";
import { knownKeys } from "./known-keys.js";

/** Parses, or throws one line that lists every wrong field and the expected value. */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  name: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const lines = problemsOf(parsed.error, schema).map(({ path, message, unknown }) => {
    if (path.length === 0) return `(top level): ${message}`;
    const value = unknown ? undefined : valueAt(input, path);
    return `${path.join(".")}: ${message}${value === undefined ? "" : `; it is ${shown(value)}`}`;
  });
  throw new PalimpsestError("CONFIG_INVALID", `${name}: ${lines.join(" | ")}`);
}

/**
 * Returns the problems of a module's settings, one line each: the field, its value, and the expected value.
 * @param at path of the settings in the recipe
 */
export function settingsProblems(
  error: z.ZodError,
  schema: z.ZodType,
  settings: unknown,
  at: readonly string[],
): string[] {
  return problemsOf(error, schema).map(({ path, message, unknown }) => {
    const value = unknown ? "" : `is ${shown(valueAt(settings, path))}: `;
    return `${[...at, ...path].join(".")}: ${value}${message}`;
  });
}

function problemsOf(error: z.ZodError, schema: z.ZodType) {
  return error.issues
    .flatMap((issue) => issuesOf(issue))
    .slice(0, 5)
    .map((issue) => {
      const { path } = issue;
      if (issue.code !== "unrecognized_keys") return { path, message: issue.message, unknown: false };
      const known = knownKeys(schema, path);
      return { path, message: issue.keys.map((key) => unknownKey(key, known)).join(", "), unknown: true };
    });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (here, step) =>
      typeof here === "object" && here !== null ? (here as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  );
}

const longestShown = 100;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

function unknownKey(key: string, known: ReadonlySet<string>): string {
  const renamed = Object.hasOwn(formerNames, key) ? formerNames[key] : undefined;
  const meant = renamed !== undefined && known.has(renamed) ? renamed : closestWord(key, known);
  return `unknown key "${key}"; ${meant === undefined ? "remove or rename it" : `did you mean "${meant}"?`}`;
}

type Issue = z.core.$ZodIssue;

/** For a union: returns the problems of the alternative that the value matches best. */
function issuesOf(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const [closest = []] = [...issue.errors].reverse().sort((a, b) => a.length - b.length);
  return closest.flatMap((inner) => issuesOf({ ...inner, path: [...issue.path, ...inner.path] }));
}
