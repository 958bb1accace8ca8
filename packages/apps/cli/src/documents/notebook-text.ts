import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { htmlText } from "./html-text.js";

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
            data: z
              .object({ "text/plain": textSchema.optional(), "text/html": textSchema.optional() })
              .optional(),
            ename: z.string().optional(),
            evalue: z.string().optional(),
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
    const shown = outputs.map(shownText).filter((text) => text !== "");
    return [`\`\`\`\n${source}\n\`\`\``, ...shown].join("\n\n");
  });
  return cells.join("\n\n");
}

type Cell = z.output<typeof notebookSchema>["cells"][number];

/** Returns what an output shows: its text, a page where it has no text, or the error with which the cell has failed. */
function shownText({ text, data, ename, evalue }: Cell["outputs"][number]): string {
  if (ename !== undefined) return [ename, evalue].filter(Boolean).join(": ");
  return text ?? data?.["text/plain"] ?? htmlText(data?.["text/html"] ?? "");
}

function notebookCells(json: string, name: string): readonly Cell[] {
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
