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

/** As much of a row group as is decoded at once, where the file has an index of its pages. */
const batchBytes = 64 * 2 ** 20;

/**
 * The rows of a parquet file as plain JSON values, row group by row group. Files with a page index are read in parts of
 * a row group as well.
 *
 * @throws what hyparquet throws where the file is no parquet or its codec is unknown
 */
export async function* parquetRows(path: string, signal?: AbortSignal): AsyncGenerator<unknown> {
  const handle = await open(path);
  try {
    const file = await bufferOf(handle);
    const metadata = await parquetMetadataAsync(file);
    let groupStart = 0;
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      const batch = batchRows(group, rows);
      for (let from = groupStart; from < groupStart + rows; from += batch) {
        signal?.throwIfAborted();
        const to = Math.min(from + batch, groupStart + rows);
        for (const row of await readRows(file, metadata, from, to)) yield row;
      }
      groupStart += rows;
    }
  } finally {
    await handle.close();
  }
}

async function readRows(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<unknown[]> {
  const rows: unknown = toJson(
    await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd, useOffsetIndex: true }),
  );
  return Array.isArray(rows) ? rows : [];
}

function batchRows(group: RowGroup, rows: number): number {
  const indexed = group.columns.every((column) => column.offset_index_offset !== undefined);
  const bytes = Number(group.total_byte_size);
  return indexed && bytes > batchBytes
    ? Math.max(1, Math.floor((rows * batchBytes) / bytes))
    : Math.max(1, rows);
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
