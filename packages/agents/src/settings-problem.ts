import { closestWord } from "@palimpsest/memory/text";
import { z } from "zod";

/** Describes what is wrong with settings, and suggests the schema's closest name for each unknown one. */
export function settingsProblem(error: z.ZodError, schema: z.ZodType): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const hints = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0
      ? issue.keys.flatMap((key) => {
          const meant = closestWord(key, known);
          return meant === undefined ? [] : [`for "${key}": did you mean "${meant}"?`];
        })
      : [],
  );
  return [z.prettifyError(error), ...hints].join("; ");
}
