import { join } from "node:path";
import { ModelError } from "../base/error.js";
import { type DownloadedRepo, type DownloadOptions, downloadRepo } from "./download-model.js";

/** The files of a data set that are wanted. */
export interface DatasetSelection {
  /**
   * A word of the files' paths between dashes, dots, slashes or underscores, such as "train" in
   * "data/train-00000-of-00002.parquet".
   */
  readonly split?: string;
  /** The folder that the files are in, such as "distractor". */
  readonly config?: string;
  /** Paths in the repository. When they are given, `split` and `config` are ignored. */
  readonly files?: readonly string[];
}

export interface DatasetDownloadOptions extends Omit<DownloadOptions, "wants"> {
  readonly cacheDir: string;
}

/**
 * Fetches files of a data set from a hub into the cache. Files that are already there cost no request.
 * @throws {ModelError} FILE_MISSING when the selection matches nothing or more than one table; HUB_REFUSED,
 *   HUB_NOT_FOUND, HUB_UNREACHABLE, HASH_MISMATCH; the signal's reason
 */
export async function downloadDataset(
  repo: string,
  selection: DatasetSelection,
  { cacheDir, ...options }: DatasetDownloadOptions,
): Promise<DownloadedRepo> {
  const { split, config, files = [] } = selection;
  const named = [config, split, ...files, options.revision].filter((part) => part !== undefined);
  const folder = join(
    cacheDir,
    "datasets",
    ...repo.split("/").map(safeName),
    safeName(named.join("+") || "all"),
  );
  const choose = <File extends { readonly path: string }>(all: readonly File[]): readonly File[] => {
    const chosen = new Set(
      chooseDatasetFiles(
        all.map(({ path }) => path),
        selection,
        repo,
      ),
    );
    return all.filter(({ path }) => chosen.has(path));
  };
  return await downloadRepo({ kind: "dataset", repo, folder, choose }, options);
}

const safeName = (name: string) => name.replaceAll(/[^\w.+-]/g, "_");
const isData = (path: string) => /\.(parquet|jsonl?|ndjson)$/.test(path);
/** Returns the name of the table that a file belongs to. The names of a table's parts differ only in their numbers. */
const tableOf = (path: string) => path.replace(/-\d+-of-\d+(?=\.\w+$)/, "");

/**
 * Returns the files that a selection matches: the files that it names, or else the parts of one table.
 * @throws {ModelError} FILE_MISSING, naming the files to choose from
 */
export function chooseDatasetFiles(
  paths: readonly string[],
  { split, config, files }: DatasetSelection,
  repo: string,
): readonly string[] {
  const refuse = (problem: string, among: readonly string[]) => {
    const shown = [...new Set(among.map(tableOf))];
    const list = shown.slice(0, 20).join(", ") + (shown.length > 20 ? `, and ${shown.length - 20} more` : "");
    return new ModelError("FILE_MISSING", `${repo}: ${problem}; it has ${list || "no data file"}`);
  };
  if (files !== undefined && files.length > 0) {
    const missing = files.find((file) => !paths.includes(file));
    if (missing !== undefined) throw refuse(`there is no file "${missing}"`, paths);
    return files;
  }
  const data = paths.filter(isData);
  const inConfig = config === undefined ? data : data.filter((path) => path.startsWith(`${config}/`));
  const matching =
    split === undefined ? inConfig : inConfig.filter((path) => path.split(/[-_./]/).includes(split));
  const tables = new Set(matching.map(tableOf));
  if (tables.size === 1) return matching;
  const asked =
    [config && `config ${config}`, split && `split ${split}`].filter(Boolean).join(", ") ||
    "no split and no config";
  if (tables.size === 0) throw refuse(`there is no data file for ${asked}`, data);
  throw refuse(
    `${asked} selects ${tables.size} tables; choose one of them by a file, a config or a split`,
    matching,
  );
}
