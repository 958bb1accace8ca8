import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { SourceQuestion } from "../questions/source-question.js";
import { RowReader } from "../source/row-reader.js";

const questionSchema = z.object({
  id: z.string(),
  question: z.string(),
  answers: z.array(z.string()),
  answerId: z.string().optional(),
  paragraphs: z.array(z.object({ title: z.string(), text: z.string() })),
  gold: z.array(z.number()),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** Questions on disk, which are read again in any order, so that memory does not grow with their paragraphs. */
export class QuestionSpool {
  readonly #folder: string;
  readonly #file: FileHandle;
  readonly #offsets: number[] = [0];
  #reader: RowReader | undefined;

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder;
    this.#file = file;
  }

  static async create(): Promise<QuestionSpool> {
    const folder = await mkdtemp(join(tmpdir(), "palimpsest-questions-"));
    return new QuestionSpool(folder, await open(join(folder, "questions.jsonl"), "w"));
  }

  /** Adds a question, whose index is the number of those before it. All are added before the first is read. */
  async add(question: SourceQuestion): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(question)}\n`);
    await this.#file.writeFile(bytes);
    this.#offsets.push((this.#offsets.at(-1) ?? 0) + bytes.length);
  }

  async read(index: number): Promise<SourceQuestion> {
    this.#reader ??= await RowReader.open(join(this.#folder, "questions.jsonl"));
    const [offset = 0, end = 0] = this.#offsets.slice(index, index + 2);
    const { answerId, ...question } = questionSchema.parse(
      await this.#reader.read({ offset, sizeBytes: end - offset }),
    );
    return { ...question, ...(answerId === undefined ? {} : { answerId }) };
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    await this.#file.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
