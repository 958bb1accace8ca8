import { dirname, resolve } from "node:path";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { renderDocuments } from "../paragraphs/build-context.js";
import { paragraphText } from "../paragraphs/paragraph-pool.js";
import { type FileRow, fileRows } from "../source/file-rows.js";
import type { IndexedDocument } from "./task-row.js";

const paragraphSchema = z.union([
  z.string(),
  z.object({ title: z.string(), text: z.string() }).transform(paragraphText),
]);
const pairs = z.array(z.tuple([z.string(), z.array(z.string())]));
const columns = z
  .object({ title: z.array(z.string()), sentences: z.array(z.array(z.string())) })
  .transform(({ title, sentences }) =>
    title.map((name, at): [string, string[]] => [name, sentences[at] ?? []]),
  );
const questionSchema = z.object({ context: z.union([pairs, columns]) });

/** Corpora into which the indices of documents point. Each is read once. */
export class Corpora {
  readonly #read = new Map<string, Promise<readonly string[]>>();
  readonly #rows: (path: string) => AsyncIterable<FileRow>;

  /** @param rows reads the rows of a file, so that a caller can list the corpus among its sources */
  constructor(rows: (path: string) => AsyncIterable<FileRow> = fileRows) {
    this.#rows = rows;
  }

  /**
   * Returns the document that consists of the paragraphs with these indices.
   * @param indexed its corpus is the path of a file of paragraphs, or of HotpotQA questions, relative to the folder of
   *   `from`
   * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if an index is outside
   */
  async document({ corpus, indices, plain }: IndexedDocument, from: string): Promise<string> {
    const path = resolve(dirname(from), corpus);
    let reading = this.#read.get(path);
    if (reading === undefined) {
      reading = readCorpus(path, this.#rows(path));
      this.#read.set(path, reading);
    }
    const paragraphs = await reading;
    checkIndices(path, indices, paragraphs.length);
    return joinedParagraphs(
      indices.map((index) => paragraphs[index] as string),
      plain,
    );
  }
}

/** Joins a document's paragraphs, with a heading for each unless they are plain. */
export const joinedParagraphs = (texts: readonly string[], plain = false): string =>
  plain ? texts.join("\n\n") : renderDocuments(texts);

/** @throws {DatasetError} BAD_ROWS if an index is outside a corpus of this many paragraphs */
export function checkIndices(path: string, indices: readonly number[], paragraphs: number): void {
  const outside = indices.find((index) => index >= paragraphs);
  if (outside === undefined) return;
  throw new DatasetError(
    "BAD_ROWS",
    `document: paragraph index ${outside} is outside ${path}, which has ${paragraphs} paragraphs; give the corpus to which the indices belong`,
    { index: outside, paragraphs },
  );
}

async function readCorpus(path: string, rows: AsyncIterable<FileRow>): Promise<readonly string[]> {
  const paragraphs: string[] = [];
  const scan = new CorpusScan(path);
  for await (const row of rows) {
    const paragraph = scan.add(row);
    if (paragraph !== undefined) paragraphs.push(paragraph);
  }
  return scan.end() ?? paragraphs;
}

/** Determines from the rows of a corpus, one after another, whether it consists of paragraphs or of questions. */
export class CorpusScan {
  readonly #path: string;
  readonly #ofQuestions = new Set<string>();
  #paragraphs = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Adds a row.
   * @returns the row's paragraph, or undefined if the row is a question, whose paragraphs are kept until the end
   * @throws {DatasetError} UNREADABLE_FILE
   */
  add(row: FileRow): string | undefined {
    const value = "reason" in row ? undefined : row.value;
    const paragraph = paragraphOf(value);
    if (paragraph !== undefined) {
      this.#paragraphs += 1;
      return paragraph;
    }
    const question = questionSchema.safeParse(value);
    if (!question.success)
      throw noCorpus(this.#path, `row ${row.row} is neither a paragraph nor a HotpotQA question`);
    for (const [title, sentences] of question.data.context)
      this.#ofQuestions.add(`${title}\n${sentences.join("")}`);
    return undefined;
  }

  /** Counts a row that is known to be a string. */
  addString(): void {
    this.#paragraphs += 1;
  }

  /**
   * Ends the corpus.
   * @returns the texts in order if the corpus consists of questions, or undefined if it consists of paragraphs
   * @throws {DatasetError} UNREADABLE_FILE
   */
  end(): readonly string[] | undefined {
    if (this.#ofQuestions.size === 0) return undefined;
    if (this.#paragraphs > 0) throw noCorpus(this.#path, "it mixes paragraphs and questions");
    return inPythonsOrder(this.#ofQuestions);
  }
}

/** Returns the text of a row of a corpus, or undefined if it is not a paragraph. */
export const paragraphOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : paragraphSchema.safeParse(value).data;

/**
 * Sorts texts by code points, as Python does, because RULER-HQA's indices refer to the distinct paragraphs of
 * HotpotQA's questions in that order.
 */
function inPythonsOrder(texts: Iterable<string>): readonly string[] {
  return [...texts]
    .map((text) => ({ text, bytes: Buffer.from(text) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ text }) => text);
}

function noCorpus(path: string, why: string): DatasetError {
  const fix = "give a file of paragraphs, or the HotpotQA rows to which the indices belong";
  return new DatasetError("UNREADABLE_FILE", `corpus: "${path}": ${why}; ${fix}`, { path });
}
