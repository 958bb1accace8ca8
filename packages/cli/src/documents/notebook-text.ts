import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** A text as notebooks store it: whole, or in lines. */
const textSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === "string" ? text : text.join("")));

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: textSchema.default(""),
      outputs: z
        .array(
          z.object({
            text: textSchema.optional(),
            data: z.object({ "text/plain": textSchema.optional() }).optional(),
          }),
        )
        .default([]),
    }),
  ),
});

/**
 * Returns the readable text of a Jupyter notebook: its cells in order, code in fences, and the text of outputs without
 * their images.
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function notebookText(json: string, name: string): string {
  const cells = notebookCells(json, name).map(({ cell_type, source, outputs }) => {
    if (cell_type !== "code") return source;
    const shown = outputs
      .map(({ text, data }) => text ?? data?.["text/plain"] ?? "")
      .filter((text) => text !== "");
    return [`\`\`\`\n${source}\n\`\`\``, ...shown].join("\n\n");
  });
  return cells.join("\n\n");
}

function notebookCells(json: string, name: string): z.output<typeof notebookSchema>["cells"] {
  try {
    return notebookSchema.parse(JSON.parse(json)).cells;
  } catch (cause) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${name}: is not a notebook of version 4; convert it with jupyter nbconvert --to markdown`,
      { cause },
    );
  }
}
