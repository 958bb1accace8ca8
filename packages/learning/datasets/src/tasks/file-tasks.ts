/**
 * Responsibility: the tasks of a prepared file, kept as row positions. The file is read once from beginning to end and
 * every row is checked; a task's document is read when the task is opened. For a long document the check only ensures
 * that it is a JSON string.
 * Not responsible for: deciding how many bad rows are too many.
 *
 * A task takes about 100 bytes of memory for its position and hashes of its id and question, whatever the length of its document.
 */
import type { Task } from "@palimpsest/trajectories";
import { type RowTask, rowTask } from "../inspect/row-task.js";
import type { BadRow } from "../jsonl.js";
import { type FileRow, type ScannedRow, scannedRows } from "../source/file-rows.js";
import { PlaceList } from "../source/place-list.js";
import { RowReader } from "../source/row-reader.js";
import { CorpusPlaces } from "../written/corpus-places.js";
import { Stores } from "../written/stores.js";
import { idKey, questionKey } from "./id-key.js";
import type { TaskSet } from "./task-set.js";

export interface FileTasksOptions {
  /** The maximum number of tasks; reading ends after it. */
  readonly limit?: number | undefined;
  readonly onBadRow?: ((row: BadRow) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type CheckedRow = { readonly row: number } & (RowTask | { readonly reason: string; readonly detail: string });

/** The tasks of a file, of which only positions are kept in memory. */
export class FileTasks implements TaskSet {
  readonly #path: string;
  readonly #reader: RowReader;
  readonly #places = new PlaceList();
  readonly #idKeys: number[] = [];
  readonly #questionKeys: number[] = [];
  readonly #corpora: CorpusPlaces;
  readonly #stores = new Stores();

  private constructor(path: string, reader: RowReader, signal: AbortSignal | undefined) {
    this.#path = path;
    this.#reader = reader;
    this.#corpora = new CorpusPlaces(signal);
  }

  /**
   * Opens a file and checks all of its rows.
   * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS if indices are outside their corpus; the signal's reason
   */
  static async open(path: string, options: FileTasksOptions = {}): Promise<FileTasks> {
    const tasks = new FileTasks(path, await RowReader.open(path), options.signal);
    try {
      await tasks.#scan(options);
      return tasks;
    } catch (error) {
      await tasks.close();
      throw error;
    }
  }

  get count(): number {
    return this.#places.count;
  }

  idKeyAt(position: number): number {
    return this.#idKeys[position] ?? Number.NaN;
  }

  questionKeyAt(position: number): number {
    return this.#questionKeys[position] ?? Number.NaN;
  }

  async open(position: number, signal?: AbortSignal): Promise<Task> {
    signal?.throwIfAborted();
    const value = await this.#reader.read(this.#places.at(position));
    const found = await rowTask(value, this.#path, this.#stores);
    if ("reason" in found) throw new Error(`task ${position} of "${this.#path}": ${found.detail}`);
    const { task, places } = found;
    if (places === undefined) return task;
    return { ...task, document: await this.#corpora.document(places, this.#path) };
  }

  async close(): Promise<void> {
    await this.#reader.close();
    await this.#corpora.close();
  }

  async #scan({ limit = Number.POSITIVE_INFINITY, onBadRow, signal }: FileTasksOptions): Promise<void> {
    /** Positions by the id's key. Tasks with equal keys are read again and their ids compared. */
    const seen = new Map<number, number>();
    for await (const rows of scannedRows(this.#path, signal)) {
      for (const scanned of rows) {
        const found = await this.#checked(scanned);
        if ("reason" in found) {
          onBadRow?.({ line: found.row, reason: found.reason, detail: found.detail });
          continue;
        }
        const { row, task, places } = found;
        const key = idKey(task.id);
        const first = seen.get(key);
        if (first !== undefined && (await this.#idAt(first)) === task.id) {
          const detail = `id: "${task.id}" is already used by task ${first + 1}`;
          onBadRow?.({ line: row, reason: "duplicate-id", detail });
          continue;
        }
        if (places !== undefined) await this.#corpora.check(places.corpus, places.indices, this.#path);
        seen.set(key, this.#places.count);
        this.#idKeys.push(key);
        this.#questionKeys.push(questionKey(task));
        this.#places.add(scanned.place);
        if (this.#places.count >= limit) return;
      }
    }
  }

  /**
   * Returns a row's task, without its document if that is long, or why the row is not a task. The reason always refers
   * to the whole row.
   */
  async #checked(scanned: ScannedRow): Promise<CheckedRow> {
    const brief = scanned.withoutDocuments();
    const checked = brief === undefined ? undefined : await this.#checkedRow(brief);
    return checked === undefined || "reason" in checked ? await this.#checkedRow(scanned.whole()) : checked;
  }

  async #checkedRow(row: FileRow): Promise<CheckedRow> {
    if ("reason" in row) return row;
    return { row: row.row, ...(await rowTask(row.value, this.#path, this.#stores)) };
  }

  async #idAt(position: number): Promise<string | undefined> {
    const value = await this.#reader.read(this.#places.at(position));
    const found = await rowTask(value, this.#path, this.#stores);
    return "task" in found ? found.task.id : undefined;
  }
}
