import type { AsyncBuffer, FileMetaData, RowGroup } from "hyparquet";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { z } from "zod";

/** Where a page of a column begins: what a page index says of it, in hyparquet's words. */
export interface PageLocation {
  readonly offset: bigint;
  /** Header and data. */
  readonly compressed_page_size: number;
  /** Counted within the row group. */
  readonly first_row_index: bigint;
}

/** A page's header as Thrift numbers its fields. */
const headerSchema = z.object({
  /** Kind: 0 and 3 hold data, 2 a dictionary. */
  field_1: z.number(),
  field_3: z.number().describe("bytes of data behind the header"),
  field_5: z.object({ field_1: z.number().describe("values") }).optional(),
  field_8: z.object({ field_3: z.number().describe("rows") }).optional(),
});

const likelyHeaderBytes = 1 << 14;
const longestHeaderBytes = 1 << 22;

/**
 * The pages of a row group's columns, found by walking over their headers, by the columns' paths. Writers without a
 * page index (pandas, older Arrow) put whole data sets of gigabytes into one row group; with this they are read in
 * parts as well. Lists and structures are left out: their pages need not begin with a row.
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
      // Statistics with long values make long headers: once more with more of them.
      if (bytes >= longestHeaderBytes || at + bytes >= end) throw error;
    }
  }
}
