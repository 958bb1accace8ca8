/** Identifies the files of a run's questions: a resumed run must read the same bytes. */
import { z } from "zod";
import { fileFingerprint } from "./file-fingerprint.js";
import type { Recipe } from "./recipe-schema.js";
import { absentFile } from "./recipe-tasks.js";

export const dataFileSchema = z.strictObject({
  /** Field of the recipe that names the file. */
  field: z.string(),
  path: z.string(),
  sizeBytes: z.int().min(0),
  /** SHA-256 of the size and of the parts that are read, see `fileFingerprint`. */
  sha256: z.string(),
});
export type DataFile = Readonly<z.infer<typeof dataFileSchema>>;

/**
 * Returns the files of a recipe's `data`, `curriculum` and `evaluation.files`, with the fingerprint of each. Missing
 * files are left out; opening the questions reports them.
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
    files.push({ field, path, ...(await fileFingerprint(path, signal)) });
  return files;
}
