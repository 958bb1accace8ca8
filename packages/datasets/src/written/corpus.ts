import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { renderDocuments } from "../paragraphs/build-context.js";
import { paragraphText } from "../paragraphs/paragraph-pool.js";

const corpusSchema = z.array(
  z.union([z.string(), z.object({ title: z.string(), text: z.string() }).transform(paragraphText)]),
);

/** Corpora that documents are indexed into, each read once. */
export class Corpora {
  readonly #read = new Map<string, Promise<readonly string[]>>();

  /**
   * The text that indices stand for.
   * @param corpus path of a JSON array of paragraphs, relative to the folder of `from`
   * @throws {DatasetError} UNREADABLE_FILE, BAD_ROWS where an index is outside
   */
  async document(corpus: string, indices: readonly number[], from: string): Promise<string> {
    const path = resolve(dirname(from), corpus);
    let reading = this.#read.get(path);
    if (reading === undefined) {
      reading = readCorpus(path);
      this.#read.set(path, reading);
    }
    const paragraphs = await reading;
    const outside = indices.find((index) => index >= paragraphs.length);
    if (outside !== undefined) {
      throw new DatasetError(
        "BAD_ROWS",
        `document: index ${outside} is outside ${path}, which has ${paragraphs.length} paragraphs; give the corpus that the indices were made for`,
        { index: outside, paragraphs: paragraphs.length },
      );
    }
    return renderDocuments(indices.map((index) => paragraphs[index] as string));
  }
}

async function readCorpus(path: string): Promise<readonly string[]> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new DatasetError(
      "UNREADABLE_FILE",
      `corpus: cannot read "${path}"; give the JSON file of paragraphs`,
      { path },
      error,
    );
  }
  const parsed = corpusSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DatasetError(
    "UNREADABLE_FILE",
    `corpus: "${path}" is no array of paragraphs, each a text or {title, text}; give the JSON file of paragraphs`,
    { path },
  );
}
