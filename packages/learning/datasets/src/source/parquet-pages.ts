import type { AsyncBuffer, FileMetaData, RowGroup } from "hyparquet";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { z } from "zod";

/** The location of a page of a column, as a page index gives it and with hyparquet's names. */
export interface PageLocation {
  readonly offset: bigint;
  /** Bytes of header and data together. */
  readonly compressed_page_size: number;
  /** Index of the page's first row within the row group. */
  readonly first_row_index: bigint;
}

/** A page header, whose fields are named by their Thrift numbers. */
const headerSchema = z.object({
  /** Page type: 0 and 3 are data pages, 2 is a dictionary page. */
  field_1: z.number(),
  field_3: z.number().describe("bytes of data after the header"),
  field_5: z.object({ field_1: z.number().describe("number of values") }).optional(),
  field_8: z.object({ field_3: z.number().describe("number of rows") }).optional(),
});

const likelyHeaderBytes = 1 << 14;
const longestHeaderBytes = 1 << 22;

/**
 * Finds the pages of a row group's columns by walking over the page headers. Writers without a page index (pandas,
 * older Arrow) put whole data sets of gigabytes into one row group, which can be read in parts with this. Lists and
 * structures are left out, because their pages need not begin with a row.
 * @returns the pages by the name of their column
 */
export async function pageLocations(
  file: AsyncBuffer,
  metadata: FileMetaData,
  group: RowGroup,
): Promise<Record<string, PageLocation[]>> {
  const located: Record<string, PageLocation[]> = {};
  const flat = new Set(
    metadata.schema
      .filter(({ num_children, repetition_type }) => !num_children && repetition_type !== "REPEATED")
      .map(({ name }) => name),
  );
  for (const { meta_data: column } of group.columns) {
    const [name, ...deeper] = column?.path_in_schema ?? [];
    if (column === undefined || name === undefined || deeper.length > 0 || !flat.has(name)) continue;
    const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
    const end = start + Number(column.total_compressed_size);
    const pages: PageLocation[] = [];
    let rows = 0;
    for (let at = start; at < end; ) {
      const { headerBytes, dataBytes, rows: held } = await pageHeader(file, at, end);
      if (held !== undefined) {
        pages.push({
          offset: BigInt(at),
          compressed_page_size: headerBytes + dataBytes,
          first_row_index: BigInt(rows),
        });
        rows += held;
      }
      at += headerBytes + dataBytes;
    }
    if (rows === Number(group.num_rows)) located[name] = pages;
  }
  return located;
}

async function pageHeader(file: AsyncBuffer, at: number, end: number) {
  for (let bytes = likelyHeaderBytes; ; bytes *= 16) {
    const buffer = await file.slice(at, Math.min(end, at + bytes));
    const reader = { view: new DataView(buffer), offset: 0 };
    try {
      const header = headerSchema.parse(deserializeTCompactProtocol(reader));
      const rows = header.field_8?.field_3 ?? header.field_5?.field_1;
      return { headerBytes: reader.offset, dataBytes: header.field_3, rows };
    } catch (error) {
      // Statistics with long values make long headers, so the header is read again with more bytes.
      if (bytes >= longestHeaderBytes || at + bytes >= end) throw error;
    }
  }
}
