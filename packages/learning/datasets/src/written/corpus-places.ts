import { dirname, resolve } from "node:path";
import { scannedRows } from "../source/file-rows.js";
import { PlaceList } from "../source/place-list.js";
import { RowReader } from "../source/row-reader.js";
import { CorpusScan, checkIndices, joinedParagraphs, paragraphOf } from "./corpus.js";
import type { IndexedDocument } from "./task-row.js";

/** Number of paragraphs that are read from the disk at the same time. */
const readsAtOnce = 64;

interface PlacedCorpus {
  readonly path: string;
  readonly count: number;
  texts(indices: readonly number[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * Corpora whose paragraphs stay on the disk; only their positions are kept in memory. The exception is a corpus that
 * consists of HotpotQA's questions, as RULER-HQA's does: it is sorted by its texts, which are therefore kept (about 300
 * MB for the whole data set).
 */
export class CorpusPlaces {
  readonly #opened = new Map<string, Promise<PlacedCorpus>>();
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Checks that indices are within a corpus, without reading their paragraphs.
   * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if an index is outside
   */
  async check(corpus: string, indices: readonly number[], from: string): Promise<void> {
    const { path, count } = await this.#corpus(corpus, from);
    checkIndices(path, indices, count);
  }

  /**
   * Returns the document that consists of the paragraphs with these indices.
   * @param indexed its corpus is a path, relative to the folder of `from`
   * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if an index is outside
   */
  async document({ corpus, indices, plain }: IndexedDocument, from: string): Promise<string> {
    const { path, count, texts } = await this.#corpus(corpus, from);
    checkIndices(path, indices, count);
    return joinedParagraphs(await texts(indices), plain);
  }

  async close(): Promise<void> {
    for (const opening of this.#opened.values()) await (await opening.catch(() => undefined))?.close();
    this.#opened.clear();
  }

  async #corpus(corpus: string, from: string): Promise<PlacedCorpus> {
    const path = resolve(dirname(from), corpus);
    let opening = this.#opened.get(path);
    if (opening === undefined) {
      opening = openCorpus(path, this.#signal);
      this.#opened.set(path, opening);
    }
    return await opening;
  }
}

async function openCorpus(path: string, signal: AbortSignal | undefined): Promise<PlacedCorpus> {
  const reader = await RowReader.open(path);
  try {
    const places = new PlaceList();
    const scan = new CorpusScan(path);
    for await (const rows of scannedRows(path, signal)) {
      for (const row of rows) {
        if (row.isString()) scan.addString();
        else if (scan.add(row.whole()) === undefined) continue;
        places.add(row.place);
      }
    }
    const kept = scan.end();
    return {
      path,
      count: kept?.length ?? places.count,
      texts: async (indices) =>
        kept === undefined
          ? await readTexts(reader, places, indices)
          : indices.map((index) => kept[index] ?? ""),
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function readTexts(
  reader: RowReader,
  places: PlaceList,
  indices: readonly number[],
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let from = 0; from < indices.length; from += readsAtOnce) {
    const some = indices.slice(from, from + readsAtOnce);
    const values = await reader.readAll(some.map((index) => places.at(index)));
    texts.push(...values.map((value) => paragraphOf(value) ?? ""));
  }
  return texts;
}
