/** Which bytes a run's questions come from: a run that goes on over others would be another run. */
import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { z } from "zod";
import type { Recipe } from "./recipe.js";
import { absentFile } from "./recipe-tasks.js";

export const dataFileSchema = z.strictObject({
  /** Of the recipe. */
  field: z.string(),
  path: z.string(),
  sizeBytes: z.int().min(0),
  /** Of the size and the parts that are read, see `dataFilesOf`. */
  sha256: z.string(),
});
export type DataFile = Readonly<z.infer<typeof dataFileSchema>>;

const partBytes = 1024 * 1024;
/** Files of up to so many parts are read whole; of a larger one so many parts, evenly apart, with its first and its last. */
const maxParts = 128;

/**
 * The files of a recipe's `data`, `curriculum` and `evaluation.files`, with a hash of each. A file of up to 128 MiB is hashed whole.
 * Of a larger one 128 parts of 1 MiB are, evenly apart, and its size: a start takes no longer for a file of 4 GB, and a change of a few bytes
 * within such a file may go unseen. Files that are not there are left out; opening the questions names them.
 */
export async function dataFilesOf(
  { data, curriculum, evaluation }: Pick<Recipe, "data" | "curriculum"> & Partial<Pick<Recipe, "evaluation">>,
  signal?: AbortSignal,
): Promise<readonly DataFile[]> {
  const sources = [
    { field: "data", source: data },
    ...curriculum.mix.map((part, at) => ({ field: `curriculum.mix[${at}].data`, source: part.data })),
  ].flatMap(({ field, source }) =>
    "path" in source && absentFile(source) === undefined
      ? [{ field: `${field}.path`, path: source.path }]
      : [],
  );
  const { passRates } = curriculum;
  const others = [
    ...(passRates === undefined ? [] : [{ field: "curriculum.passRates.path", path: passRates.path }]),
    ...(evaluation?.files ?? []).map(({ path }, at) => ({ field: `evaluation.files[${at}].path`, path })),
  ].filter(({ path }) => absentFile({ source: "jsonl", path }) === undefined);
  const files: DataFile[] = [];
  for (const { field, path } of [...sources, ...others])
    files.push({ field, path, ...(await look(path, signal)) });
  return files;
}

async function look(path: string, signal?: AbortSignal): Promise<Pick<DataFile, "sizeBytes" | "sha256">> {
  const { size: sizeBytes } = await stat(path);
  const hash = createHash("sha256").update(`${sizeBytes}\n`);
  const buffer = Buffer.allocUnsafe(partBytes);
  const parts = Math.min(maxParts, Math.ceil(sizeBytes / partBytes));
  const apart = parts === maxParts ? (sizeBytes - partBytes) / (maxParts - 1) : partBytes;
  const file = await open(path, "r");
  try {
    for (let part = 0; part < parts; part++) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, partBytes, Math.floor(part * apart));
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}
