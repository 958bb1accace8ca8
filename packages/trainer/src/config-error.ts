import { closestWord } from "@palimpsest/memory/text";
import { PalimpsestError } from "@palimpsest/wire";
import type { z } from "zod";
import { knownKeys } from "./known-keys.js";

/** Parses, or throws one line: every wrong field with what it should be. */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  name: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues
    .flatMap((issue) => issuesOf(issue))
    .slice(0, 5)
    .map((issue) => {
      const path = issue.path.length > 0 ? issue.path.join(".") : "(top level)";
      if (issue.code === "unrecognized_keys") {
        const known = knownKeys(schema, issue.path);
        return `${path}: ${issue.keys.map((key) => unknownKey(key, known)).join(", ")}`;
      }
      return `${path}: ${issue.message}`;
    });
  throw new PalimpsestError("CONFIG_INVALID", `${name}: ${lines.join(" | ")}`);
}

function unknownKey(key: string, known: ReadonlySet<string>): string {
  const meant = closestWord(key, known);
  return `unknown key "${key}"; ${meant === undefined ? "remove or rename it" : `did you mean "${meant}"?`}`;
}

type Issue = z.core.$ZodIssue;

/** Of a value that could be one of several things: what is wrong by the one that it is most like. */
function issuesOf(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const [closest = []] = [...issue.errors].reverse().sort((a, b) => a.length - b.length);
  return closest.flatMap((inner) => issuesOf({ ...inner, path: [...issue.path, ...inner.path] }));
}
