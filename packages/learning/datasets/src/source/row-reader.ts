import { type FileHandle, open } from "node:fs/promises";
import { DatasetError } from "../error.js";
import type { RowPlace } from "./file-rows.js";
import { ParquetTable } from "./parquet-rows.js";

/** Approximate number of bytes of a table that are decoded to reach one row; more if a page is larger. */
const tableBatchBytes = 8 * 2 ** 20;

/** Reads single rows of a file again, at the positions that `placedRows` found. */
export class RowReader {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #state: string;
  #table: Promise<ParquetTable> | undefined;

  private constructor(path: string, file: FileHandle, state: string) {
    this.#path = path;
    this.#file = file;
    this.#state = state;
  }

  /**
   * Opens the file. This must happen before the file is scanned, so that a change during the scan is noticed too.
   * @throws {DatasetError} UNREADABLE_FILE
   */
  static async open(path: string): Promise<RowReader> {
    try {
      const file = await open(path);
      return new RowReader(path, file, await stateOf(file));
    } catch (error) {
      throw new DatasetError(
        "UNREADABLE_FILE",
        `path: cannot read "${path}"; give an existing file`,
        { path },
        error,
      );
    }
  }

  /**
   * Reads one row.
   * @throws {DatasetError} UNREADABLE_FILE if the file was written to since it was opened
   */
  async read(place: RowPlace): Promise<unknown> {
    return (await this.readAll([place]))[0];
  }

  /**
   * Reads several rows concurrently.
   * @throws {DatasetError} as `read`
   */
  async readAll(places: readonly RowPlace[]): Promise<readonly unknown[]> {
    try {
      if ((await stateOf(this.#file)) !== this.#state) throw new Error("it was written to in the meantime");
      return await Promise.all(places.map((place) => this.#row(place)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DatasetError(
        "UNREADABLE_FILE",
        `path: "${this.#path}" has changed since it was opened (${reason}); do not change files while a run reads them, and start the run again`,
        { path: this.#path },
        error,
      );
    }
  }

  async #row(place: RowPlace): Promise<unknown> {
    if ("tableRow" in place) {
      this.#table ??= ParquetTable.open(this.#path, tableBatchBytes);
      return await (await this.#table).row(place.tableRow);
    }
    return JSON.parse((await this.#bytes(place)).toString("utf8").replace(/^\uFEFF/, ""));
  }

  async close(): Promise<void> {
    await this.#file.close();
    const table = await this.#table?.catch(() => undefined);
    this.#table = undefined;
    await table?.close();
  }

  async #bytes({ offset, sizeBytes }: { offset: number; sizeBytes: number }): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(sizeBytes);
    let done = 0;
    while (done < sizeBytes) {
      const { bytesRead } = await this.#file.read(bytes, done, sizeBytes - done, offset + done);
      if (bytesRead === 0) throw new Error(`it ends at byte ${offset + done}`);
      done += bytesRead;
    }
    return bytes;
  }
}

async function stateOf(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true });
  return `${size} ${mtimeNs}`;
}
