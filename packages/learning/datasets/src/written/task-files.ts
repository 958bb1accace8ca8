import { basename, dirname, join } from "node:path";
import type { MemoryRecord } from "@palimpsest/trajectories";
import type { PreparedTask } from "../prepare/preparer.js";
import type { HashedFile } from "../source/file-hash.js";
import { OutputFile } from "./output-file.js";
import { formatRow, indexedFrom, type RowFormat } from "./row-format.js";
import type { IndexedDocument, NamedStore } from "./task-row.js";

export interface WrittenFile extends HashedFile {
  readonly kind: "tasks" | "corpus" | "stores";
  /** Number of tasks, of paragraphs of a corpus, or of stores. */
  readonly rows: number;
}

interface OpenFile {
  readonly output: OutputFile;
  readonly ids: Set<string>;
  rows: number;
}

/**
 * Files of tasks that are written concurrently, and the corpus and stores that they share. The files appear under their
 * names only when all tasks have been added.
 */
export class TaskFiles {
  readonly #files = new Map<string, OpenFile>();
  readonly #format: RowFormat;
  readonly #corpusPath: string;
  readonly #corpus = new Map<string, number>();
  readonly #stores = new Map<string, readonly MemoryRecord[]>();

  /**
   * @param corpusPath path of the corpus, which is written if a context is long enough to be written as indices; the
   *   file of stores is in the same folder
   */
  constructor(format: RowFormat, corpusPath: string) {
    this.#format = format;
    this.#corpusPath = corpusPath;
  }

  get #storesPath(): string {
    return join(
      dirname(this.#corpusPath),
      basename(this.#corpusPath).replace(/corpus\.json$/, "stores.json"),
    );
  }

  rowsOf(path: string): number {
    return this.#files.get(path)?.rows ?? 0;
  }

  /**
   * Adds a task to a file.
   * @returns false if the file already has a task with that id
   */
  async add(path: string, task: PreparedTask): Promise<boolean> {
    let file = this.#files.get(path);
    if (file === undefined) {
      file = { output: await OutputFile.create(path), ids: new Set(), rows: 0 };
      this.#files.set(path, file);
    }
    if (file.ids.has(task.id)) return false;
    file.ids.add(task.id);
    const row = formatRow(this.#format, task, file.rows, {
      context: this.#indexed(path, task),
      records: this.#named(path, task),
    });
    if (this.#format === "eval") await file.output.write(`${file.rows === 0 ? "[\n" : ",\n"}${row}`);
    else await file.output.write(`${row}\n`);
    file.rows += 1;
    return true;
  }

  async finish(): Promise<readonly WrittenFile[]> {
    const written: WrittenFile[] = [];
    for (const { output, rows } of this.#files.values()) {
      if (this.#format === "eval") await output.write(rows === 0 ? "[]\n" : "\n]\n");
      written.push({ ...(await output.finish()), kind: "tasks", rows });
    }
    if (this.#corpus.size > 0) {
      const corpus = await OutputFile.create(this.#corpusPath);
      let first = true;
      for (const text of this.#corpus.keys()) {
        await corpus.write(`${first ? "[\n" : ",\n"}${JSON.stringify(text)}`);
        first = false;
      }
      await corpus.write("\n]\n");
      written.push({ ...(await corpus.finish()), kind: "corpus", rows: this.#corpus.size });
    }
    if (this.#stores.size > 0) {
      const stores = await OutputFile.create(this.#storesPath);
      let first = true;
      for (const [name, records] of this.#stores) {
        await stores.write(`${first ? "{\n" : ",\n"}${JSON.stringify(name)}: ${JSON.stringify(records)}`);
        first = false;
      }
      await stores.write("\n}\n");
      written.push({ ...(await stores.finish()), kind: "stores", rows: this.#stores.size });
    }
    return written;
  }

  async discard(): Promise<void> {
    for (const { output } of this.#files.values()) await output.discard();
  }

  #named(path: string, { store, records }: PreparedTask): NamedStore | undefined {
    if (store === undefined || records === undefined || this.#format !== "task") return undefined;
    this.#stores.set(store, records);
    return { stores: near(path, this.#storesPath), store };
  }

  #indexed(path: string, { paragraphs, shared = false }: PreparedTask): IndexedDocument | undefined {
    if (paragraphs === undefined) return undefined;
    if (shared ? this.#format !== "task" : paragraphs.length < indexedFrom || this.#format === "vime")
      return undefined;
    const indices = paragraphs.map((text) => {
      const known = this.#corpus.get(text);
      if (known !== undefined) return known;
      this.#corpus.set(text, this.#corpus.size);
      return this.#corpus.size - 1;
    });
    return { corpus: near(path, this.#corpusPath), indices, ...(shared ? { plain: true } : {}) };
  }
}

/**
 * Returns the name by which a file of tasks refers to another file: its base name if both are in the same folder, else
 * its path.
 */
const near = (path: string, other: string): string =>
  dirname(path) === dirname(other) ? basename(other) : join(other);
