import { type FileHandle, open } from "node:fs/promises";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type RowGroup,
  toJson,
} from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { type PageLocation, pageLocations } from "./parquet-pages.js";

/** Approximate number of bytes of a row group that are decoded at once. */
const defaultBatchBytes = 64 * 2 ** 20;

/**
 * Yields the rows of a parquet file as plain JSON values, row group by row group and large row groups in parts. Fields
 * that are null are left out, because a table uses null for what a row does not have.
 *
 * @throws what hyparquet throws if the file is not parquet or its codec is unknown
 */
export async function* parquetRows(
  path: string,
  options: { readonly signal?: AbortSignal | undefined; readonly batchBytes?: number } = {},
): AsyncGenerator<unknown> {
  const { signal, batchBytes = defaultBatchBytes } = options;
  const table = await ParquetTable.open(path, batchBytes);
  try {
    for await (const batch of table.batches()) {
      signal?.throwIfAborted();
      for (const row of await table.read(batch)) yield row;
    }
  } finally {
    await table.close();
  }
}

/** A range of rows that are decoded together, counted over the whole table. */
interface Batch {
  readonly from: number;
  readonly to: number;
}

/**
 * A parquet file that is decoded in parts: its batches in order, or single rows. The last batch that a single row
 * needed is kept.
 */
export class ParquetTable {
  readonly #handle: FileHandle;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  readonly #batchBytes: number;
  readonly #located: Record<string, PageLocation[]>[] = [];
  #batches: Batch[] | undefined;
  #kept: { readonly batch: Batch; readonly rows: Promise<readonly unknown[]> } | undefined;

  private constructor(handle: FileHandle, file: AsyncBuffer, metadata: FileMetaData, batchBytes: number) {
    this.#handle = handle;
    this.#file = file;
    this.#metadata = metadata;
    this.#batchBytes = batchBytes;
  }

  static async open(path: string, batchBytes: number): Promise<ParquetTable> {
    const handle = await open(path);
    try {
      const file = await bufferOf(handle);
      return new ParquetTable(handle, file, await parquetMetadataAsync(file), batchBytes);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Yields the batches of the table row group by row group, with large row groups in parts. */
  async *batches(): AsyncGenerator<Batch> {
    let start = 0;
    for (const [place, group] of this.#metadata.row_groups.entries()) {
      const rows = Number(group.num_rows);
      const isLarge = Number(group.total_byte_size) > this.#batchBytes;
      // hyparquet reads the page index if there is one; this finds the same locations in files without.
      this.#located[place] ??=
        isLarge && !isIndexed(group) ? await pageLocations(this.#file, this.#metadata, group) : {};
      for (const [from, to] of batches(group, this.#located[place] ?? {}, rows, this.#batchBytes))
        yield { from: start + from, to: start + to };
      start += rows;
    }
  }

  async read({ from, to }: Batch): Promise<unknown[]> {
    return await readRows({
      file: this.#file,
      metadata: this.#metadata,
      pageLocationsByGroup: this.#located,
      from,
      to,
    });
  }

  /**
   * Returns one row.
   * @param index from 0, over the whole table
   */
  async row(index: number): Promise<unknown> {
    if (this.#batches === undefined) {
      const all: Batch[] = [];
      for await (const batch of this.batches()) all.push(batch);
      this.#batches = all;
    }
    let kept = this.#kept;
    if (kept === undefined || index < kept.batch.from || index >= kept.batch.to) {
      const batch = this.#batches.find(({ from, to }) => index >= from && index < to);
      if (batch === undefined) throw new RangeError(`the table has no row ${index}`);
      kept = { batch, rows: this.read(batch) };
      this.#kept = kept;
    }
    return (await kept.rows)[index - kept.batch.from];
  }

  async close(): Promise<void> {
    this.#kept = undefined;
    await this.#handle.close();
  }
}

const isIndexed = (group: RowGroup) =>
  group.columns.every(({ offset_index_offset }) => offset_index_offset !== undefined);

/**
 * Yields segments of a row group's rows. Without a page index, they end where a page of the largest column ends, or
 * with the row group if no pages were found.
 */
function* batches(
  group: RowGroup,
  located: Readonly<Record<string, readonly PageLocation[]>>,
  rows: number,
  batchBytes: number,
): Iterable<readonly [from: number, to: number]> {
  const share = (rows * batchBytes) / Math.max(1, Number(group.total_byte_size));
  const most = Math.max(1, Math.floor(share));
  if (isIndexed(group)) {
    for (let from = 0; from < rows; from += most) yield [from, Math.min(rows, from + most)];
    return;
  }
  const size = (name: string) =>
    Number(
      group.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)?.meta_data
        ?.total_uncompressed_size ?? 0,
    );
  const [largest] = Object.keys(located).sort((a, b) => size(b) - size(a));
  const starts =
    largest === undefined ? [0] : (located[largest] ?? []).map((page) => Number(page.first_row_index));
  let from = 0;
  for (const start of starts) {
    if (start - from < most) continue;
    yield [from, start];
    from = start;
  }
  if (from < rows) yield [from, rows];
}

async function readRows(read: {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly pageLocationsByGroup: readonly Readonly<Record<string, readonly PageLocation[]>>[];
  readonly from: number;
  readonly to: number;
}): Promise<unknown[]> {
  const { file, metadata, pageLocationsByGroup, from, to } = read;
  const options = {
    file,
    metadata,
    compressors,
    rowStart: from,
    rowEnd: to,
    useOffsetIndex: true,
    pageLocationsByGroup,
  };
  const rows: unknown = withoutNulls(toJson(await parquetReadObjects(options)));
  return Array.isArray(rows) ? rows : [];
}

/** Removes fields that are null. Null elements of lists stay, so that the others keep their index. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start));
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
        if (bytesRead === 0) throw new Error(`the file ends at byte ${start + done}`);
        done += bytesRead;
      }
      return bytes.buffer;
    },
  };
}
