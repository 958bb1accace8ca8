import { readFile } from "node:fs/promises";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { rowFormats } from "./row-format.js";
import { sha256 } from "./sha256.js";

const count = z.int().min(0);
const countsSchema = z.record(z.string(), count);

/** The file beside prepared files: what they were made from, how, and their hashes. */
export const manifestSchema = z.strictObject({
  manifest: z.literal(1).describe("version of this format"),
  dataset: z.string().describe("name of the data set"),
  options: z
    .record(z.string(), z.unknown())
    .describe("options with which it was prepared, including defaults"),
  seed: z.union([z.int(), z.string()]),
  limit: count.nullable().describe("most tasks per file; null: no limit"),
  format: z.enum(rowFormats),
  hub: z
    .strictObject({ endpoint: z.string(), repo: z.string(), revision: z.string(), commit: z.string() })
    .optional()
    .describe("where the sources were fetched from"),
  sources: z.array(
    z.strictObject({
      path: z.string().describe("path relative to the manifest"),
      sizeBytes: count,
      sha256,
      rows: count.describe("rows that were read: fewer than the file has if a limit ended the reading"),
    }),
  ),
  files: z.array(
    z.strictObject({
      path: z.string().describe("path relative to the manifest"),
      kind: z.enum(["tasks", "corpus", "stores"]),
      rows: count,
      sizeBytes: count,
      sha256,
    }),
  ),
  tasks: count,
  badRows: z.strictObject({
    total: count,
    byReason: countsSchema,
    list: z.string().nullable().describe("file that lists all bad rows, relative to the manifest"),
  }),
  leftOut: countsSchema.describe("good rows that the options excluded, by reason"),
  remarks: countsSchema
    .default({})
    .describe("parts of good rows that were left out or not read literally, by reason"),
});

/** What a folder of prepared data contains, with a SHA-256 of each file. */
export type Manifest = z.infer<typeof manifestSchema>;

/**
 * Reads a manifest.
 * @throws {DatasetError} UNREADABLE_FILE
 */
export async function readManifest(path: string): Promise<Manifest> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new DatasetError(
      "UNREADABLE_FILE",
      `manifest: cannot read "${path}"; prepare the data again`,
      { path },
      error,
    );
  }
  return parseInput(manifestSchema, value, (problem) => {
    const message = `manifest: "${path}" is not a manifest (${problem}); prepare the data again`;
    return new DatasetError("UNREADABLE_FILE", message, { path });
  });
}

/** Returns the path of the manifest, which is beside a single file of tasks and inside a folder of them. */
export const manifestPathOf = (out: string, isFolder: boolean): string =>
  isFolder ? `${out.replace(/\/+$/, "")}/manifest.json` : `${out}.manifest.json`;
