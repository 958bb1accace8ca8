import { z } from "zod";
import type { PrepareContext } from "../prepare/preparer.js";
import { hotpotQuestion } from "../questions/hotpot-question.js";
import { musiqueQuestion } from "../questions/musique-question.js";
import type { Paragraph } from "../questions/source-question.js";
import { squadQuestions } from "../questions/squad-question.js";
import { ParagraphPool } from "./paragraph-pool.js";

const paragraphSchema = z.union([
  z.object({ title: z.string().default(""), text: z.string().min(1) }),
  // A text of a corpus, whose first line is the title.
  z
    .string()
    .regex(/^.+\n/)
    .transform((text): Paragraph => {
      const end = text.indexOf("\n");
      return { title: text.slice(0, end), text: text.slice(end + 1) };
    }),
]);

/**
 * Reads the distinct paragraphs of files of paragraphs ({title, text} or texts) or of questions (HotpotQA,
 * 2WikiMultiHopQA, MuSiQue, SQuAD), which may be mixed.
 * @throws {DatasetError} UNREADABLE_FILE
 */
export async function readPool(paths: readonly string[], context: PrepareContext): Promise<ParagraphPool> {
  const paragraphs: Paragraph[] = [];
  for (const path of paths) {
    for await (const { source, row, value } of context.rows(path)) {
      const found = paragraphsOf(value);
      if (found === undefined) {
        const detail = "row: must be a text, an object with title and text, or a question with paragraphs";
        context.badRow({ source, row, reason: "not-a-paragraph", detail });
      } else paragraphs.push(...found);
    }
  }
  return new ParagraphPool(paragraphs);
}

function paragraphsOf(value: unknown): readonly Paragraph[] | undefined {
  const paragraph = paragraphSchema.safeParse(value);
  if (paragraph.success) return [paragraph.data];
  if (typeof value !== "object" || value === null) return undefined;
  const questions = "data" in value || "answers" in value ? squadQuestions(value) : [];
  const one = "paragraphs" in value ? musiqueQuestion(value) : hotpotQuestion(value);
  const found = [...questions, one].flatMap((question) => ("reason" in question ? [] : question.paragraphs));
  return found.length > 0 ? found : undefined;
}
