import { PalimpsestError } from "@palimpsest/wire";
import type { z } from "zod";

/** Parses, or throws one line: every wrong field with what it should be. */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  name: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.slice(0, 5).map((issue) => {
    const path = issue.path.length > 0 ? issue.path.join(".") : "(top level)";
    if (issue.code === "unrecognized_keys") {
      return `${path}: unknown key ${issue.keys.map((key) => `"${key}"`).join(", ")}; remove or rename it`;
    }
    return `${path}: ${issue.message}`;
  });
  throw new PalimpsestError("CONFIG_INVALID", `${name}: ${lines.join(" | ")}`);
}
