import { readFile } from "node:fs/promises";
import { ModelError } from "@palimpsest/model";
import { reasonText } from "@palimpsest/std/input";
import { z } from "zod";

const ids = z.array(z.int().nonnegative());

const caseSchema = z.object({
  text: z.string(),
  ids: ids.min(2).describe("Tokens of the text"),
  logprobs: z.array(z.number()).describe("Nats, of token t+1 given those up to t"),
  last_top5: z
    .array(z.tuple([z.int().nonnegative(), z.number()]))
    .describe("The most likely tokens after the text and their log-probabilities, most likely first"),
  greedy_ids: ids.min(1).describe("The greedy continuation; ends early at an end token"),
  greedy_text: z.string(),
});

const fileSchema = z.object({ cases: z.array(caseSchema).min(1) });

export type ReferenceText = z.infer<typeof caseSchema>;

/**
 * Reads texts and a reference implementation's results for them from a reference.json.
 * @throws {ModelError} FILE_MISSING, FILE_DAMAGED
 */
export async function readReferenceTexts(path: string): Promise<readonly ReferenceText[]> {
  const json = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ModelError("FILE_MISSING", `${path} cannot be read (${reasonText(cause)})`, { cause });
  });
  try {
    return fileSchema.parse(JSON.parse(json)).cases;
  } catch (cause) {
    const what = cause instanceof z.ZodError ? z.prettifyError(cause).split("\n").join(" ") : "no JSON";
    throw new ModelError("FILE_DAMAGED", `${path}: ${what}`, { cause });
  }
}
