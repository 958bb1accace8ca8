import { closestWord } from "@palimpsest/memory/text";
import { z } from "zod";

/** What is wrong with settings, and which of the schema's names an unknown one may have meant. */
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
