import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathError } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import type { SourceBadRow } from "../prepare/preparer.js";
import { hashFile } from "../source/file-hash.js";
import { type Manifest, readManifest } from "../written/manifest.js";
import { preparedTasks } from "./prepared-tasks.js";

/** The result of checking one file. */
export interface CheckedFile {
  readonly path: string;
  readonly role: "source" | "tasks" | "corpus" | "stores";
  /** With "unlisted" no manifest lists the file, so that there is no hash to compare. */
  readonly state: "right" | "missing" | "changed" | "bad-rows" | "unlisted";
  /** Describes what is wrong. */
  readonly detail?: string;
  /** Number of good rows, if rows were read. */
  readonly rows?: number;
}

/** Whether files are what their manifest says. */
export interface CheckedData {
  readonly manifest?: string;
  readonly dataset?: string;
  readonly files: readonly CheckedFile[];
  /** Whether all prepared files are present, unchanged and without bad rows. Sources may be absent, but not changed. */
  readonly right: boolean;
}

export interface CheckOptions {
  /**
   * Names of files that a folder should contain. One that no manifest lists is "missing", or "unlisted" if it exists.
   */
  readonly expected?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onFile?: (path: string) => void;
}

/**
 * Verifies prepared data: a file of tasks, a manifest, or a folder with one or more manifests.
 * @throws {DatasetError} UNREADABLE_FILE; the signal's reason
 */
export async function checkData(path: string, options: CheckOptions = {}): Promise<readonly CheckedData[]> {
  const { expected = [] } = options;
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) {
    throw new DatasetError(
      "UNREADABLE_FILE",
      `check: "${path}" does not exist; give a prepared file or folder`,
      { path },
      pathError("ENOENT", path),
    );
  }
  if (info.isDirectory()) {
    const names = (await readdir(path)).filter((name) => name.endsWith("manifest.json")).sort();
    if (names.length === 0) {
      throw new DatasetError(
        "UNREADABLE_FILE",
        `check: "${path}" contains no manifest; give a folder that \`palimpsest data prepare\` wrote`,
        { path },
      );
    }
    const checked = await Promise.all(names.map((name) => checkManifest(join(path, name), options)));
    return expected.length === 0 ? checked : withMissing(path, expected, checked);
  }
  if (path.endsWith("manifest.json")) return [await checkManifest(path, options)];
  const manifest = manifestOf(path);
  const listed = manifest ? await checkManifest(manifest, options) : undefined;
  const isListed = listed?.files.some((file) => file.path === resolve(path)) ?? false;
  return [listed && isListed ? listed : await checkAlone(path, options)];
}

function withMissing(
  folder: string,
  expected: readonly string[],
  checked: readonly CheckedData[],
): readonly CheckedData[] {
  const listed = new Set(checked.flatMap(({ files }) => files.map(({ path }) => path)));
  const missing = expected
    .map((name) => resolve(folder, name))
    .filter((path) => !listed.has(path))
    .map((path): CheckedFile => ({ path, role: "tasks", state: existsSync(path) ? "unlisted" : "missing" }));
  const [first, ...rest] = checked;
  if (first === undefined || missing.length === 0) return checked;
  return [{ ...first, files: [...first.files, ...missing], right: false }, ...rest];
}

function manifestOf(path: string): string | undefined {
  return [`${path}.manifest.json`, join(dirname(path), "manifest.json")].find((candidate) =>
    existsSync(candidate),
  );
}

async function checkAlone(path: string, options: CheckOptions): Promise<CheckedData> {
  options.onFile?.(path);
  const { rows, bad } = await readAll(path, options);
  const file: CheckedFile =
    bad.length > 0
      ? { path, role: "tasks", state: "bad-rows", detail: firstOf(bad), rows }
      : { path, role: "tasks", state: "unlisted", rows };
  return { files: [file], right: bad.length === 0 && rows > 0 };
}

async function checkManifest(path: string, options: CheckOptions): Promise<CheckedData> {
  const manifest = await readManifest(path);
  const files: CheckedFile[] = [];
  const at = (name: string) => resolve(dirname(path), name);
  for (const source of manifest.sources) {
    files.push({ ...(await checkHash(at(source.path), source, options)), role: "source" });
  }
  for (const file of manifest.files) {
    const hashed = await checkHash(at(file.path), file, options);
    const checked: CheckedFile = { ...hashed, role: file.kind };
    files.push(
      checked.state === "right" && file.kind === "tasks"
        ? await checkRows(checked, file.rows, options)
        : checked,
    );
  }
  const right = files.every(
    ({ role, state }) => state === "right" || (role === "source" && state === "missing"),
  );
  return { manifest: path, dataset: manifest.dataset, files, right };
}

type Promised = Pick<Manifest["files"][number], "sizeBytes" | "sha256">;

async function checkHash(path: string, promised: Promised, { signal, onFile }: CheckOptions) {
  onFile?.(path);
  if (!existsSync(path)) return { path, state: "missing" } as const;
  const { sizeBytes, sha256 } = await hashFile(path, signal);
  if (sha256 === promised.sha256) return { path, state: "right" } as const;
  const detail = `${sizeBytes} bytes with sha256 ${sha256.slice(0, 16)}…, but the manifest records ${promised.sizeBytes} with ${promised.sha256.slice(0, 16)}…`;
  return { path, state: "changed", detail } as const;
}

async function checkRows(file: CheckedFile, promised: number, options: CheckOptions): Promise<CheckedFile> {
  const { rows, bad } = await readAll(file.path, options);
  if (bad.length > 0) return { ...file, state: "bad-rows", detail: firstOf(bad), rows };
  if (rows === promised) return { ...file, rows };
  return { ...file, state: "bad-rows", detail: `${rows} rows, but the manifest records ${promised}`, rows };
}

async function readAll(path: string, { signal }: CheckOptions) {
  const bad: SourceBadRow[] = [];
  let rows = 0;
  const onBadRow = (row: SourceBadRow) => void bad.push(row);
  for await (const _ of preparedTasks(path, { onBadRow, ...(signal ? { signal } : {}) })) rows += 1;
  return { rows, bad };
}

function firstOf(bad: readonly SourceBadRow[]): string {
  const [first] = bad;
  return first
    ? `${bad.length} bad row(s); the first is row ${first.row}: ${first.reason}, ${first.detail}`
    : "";
}
