import { dirname, resolve } from "node:path";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { renderDocuments } from "../paragraphs/build-context.js";
import { paragraphText } from "../paragraphs/paragraph-pool.js";
import { type FileRow, fileRows } from "../source/file-rows.js";

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

/** Corpora that documents are indexed into, each read once. */
export class Corpora {
  readonly #read = new Map<string, Promise<readonly string[]>>();
  readonly #rows: (path: string) => AsyncIterable<FileRow>;

  /** @param rows what files are read with, so that they are entered where sources are listed */
  constructor(rows: (path: string) => AsyncIterable<FileRow> = fileRows) {
    this.#rows = rows;
  }

  /**
   * The text that indices stand for.
   * @param corpus path of a file of paragraphs, or of HotpotQA questions, relative to the folder of `from`
   * @throws {DatasetError} UNREADABLE_FILE, BAD_ROWS where an index is outside
   */
  async document(corpus: string, indices: readonly number[], from: string): Promise<string> {
    const path = resolve(dirname(from), corpus);
    let reading = this.#read.get(path);
    if (reading === undefined) {
      reading = readCorpus(path, this.#rows(path));
      this.#read.set(path, reading);
    }
    const paragraphs = await reading;
    checkIndices(path, indices, paragraphs.length);
    return renderDocuments(indices.map((index) => paragraphs[index] as string));
  }
}

/** @throws {DatasetError} BAD_ROWS where an index is outside a corpus of so many paragraphs */
export function checkIndices(path: string, indices: readonly number[], paragraphs: number): void {
  const outside = indices.find((index) => index >= paragraphs);
  if (outside === undefined) return;
  throw new DatasetError(
    "BAD_ROWS",
    `document: index ${outside} is outside ${path}, which has ${paragraphs} paragraphs; give the corpus that the indices were made for`,
    { index: outside, paragraphs },
  );
}

async function readCorpus(path: string, rows: AsyncIterable<FileRow>): Promise<readonly string[]> {
  const paragraphs: string[] = [];
  const ofQuestions = await scanCorpus(path, unplaced(rows), (text) => paragraphs.push(text));
  return ofQuestions ?? paragraphs;
}

async function* unplaced(rows: AsyncIterable<FileRow>) {
  for await (const row of rows) yield { row };
}

/**
 * Reads a corpus from one end to the other.
 * @param onParagraph is given each paragraph of a corpus of paragraphs, in order, and the row that it stands in
 * @returns the texts of a corpus that is made of questions, in order; undefined where it is one of paragraphs
 * @throws {DatasetError} UNREADABLE_FILE
 */
export async function scanCorpus<Row extends { readonly row: FileRow }>(
  path: string,
  rows: AsyncIterable<Row>,
  onParagraph: (text: string, row: Row) => void,
): Promise<readonly string[] | undefined> {
  let paragraphs = 0;
  const ofQuestions = new Set<string>();
  for await (const placed of rows) {
    const { row } = placed;
    const value = "reason" in row ? undefined : row.value;
    const paragraph = paragraphOf(value);
    const question = paragraph === undefined ? questionSchema.safeParse(value) : undefined;
    if (paragraph !== undefined) {
      paragraphs += 1;
      onParagraph(paragraph, placed);
    } else if (question?.success) {
      for (const [title, sentences] of question.data.context)
        ofQuestions.add(`${title}\n${sentences.join("")}`);
    } else throw noCorpus(path, `row ${row.row} is neither a paragraph nor a HotpotQA question`);
  }
  if (paragraphs > 0 && ofQuestions.size > 0) throw noCorpus(path, "it mixes paragraphs and questions");
  return ofQuestions.size > 0 ? inPythonsOrder(ofQuestions) : undefined;
}

/** The text of a corpus's row, where it is a paragraph. */
export const paragraphOf = (value: unknown): string | undefined => paragraphSchema.safeParse(value).data;

/** RULER-HQA's indices count the distinct paragraphs of HotpotQA's questions as Python sorts them: by code points. */
function inPythonsOrder(texts: Iterable<string>): readonly string[] {
  return [...texts]
    .map((text) => ({ text, bytes: Buffer.from(text) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ text }) => text);
}

function noCorpus(path: string, why: string): DatasetError {
  const mend = "give a file of paragraphs, or HotpotQA's rows that the indices were made of";
  return new DatasetError("UNREADABLE_FILE", `corpus: "${path}": ${why}; ${mend}`, { path });
}
