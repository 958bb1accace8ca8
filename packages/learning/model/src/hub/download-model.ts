/**
 * Responsibility: downloads a model of a Hugging Face hub into a folder: decides which files are wanted and which of
 * them are already there.
 * Not responsible for: the bytes of one file, or models that are on no hub.
 *
 * Invariants:
 * - HUBMODEL-1. The folder appears either complete, with every file checked against the listing of one commit, or not
 *   at all.
 * - HUBMODEL-2. A download that was stopped at any point is continued by the next call.
 * - HUBMODEL-3. A complete folder costs no request unless a refresh is requested, which fetches only what has changed.
 */

import { existsSync } from "node:fs";
import { copyFile, link, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeFolder, withFolderLock } from "@palimpsest/std/files";
import { z } from "zod";
import { lockedModel, ModelError } from "../base/error.js";
import { moveFolder, writeJson } from "../files/whole-folder.js";
import { downloadFile } from "./download-file.js";
import type { HubFetch } from "./hub-fetch.js";
import {
  authorization,
  fileUrl,
  type HubAccess,
  type HubFile,
  listHubRepo,
  type RepoKind,
} from "./hub-listing.js";
import { defaultRetryPolicy, type RetryPolicy } from "./retry.js";

export interface DownloadProgress {
  /** The file that is being fetched or made. */
  readonly file: string;
  /** Number of bytes that are done, of all files together. */
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface DownloadOptions {
  /** Default https://huggingface.co. */
  readonly endpoint?: string;
  readonly token?: string;
  /** Branch, tag or commit. Default main. */
  readonly revision?: string;
  /** Returns whether a file of the listing is wanted. Default: those that a model folder consists of. */
  readonly wants?: (path: string) => boolean;
  /** Whether to ask the hub for changes even if the folder is complete. */
  readonly refresh?: boolean;
  readonly retry?: Partial<RetryPolicy>;
  /** How the hub is asked. Default: the global fetch, which knows no proxies. */
  readonly fetch?: HubFetch | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
}

export const defaultEndpoint = "https://huggingface.co";
const recordFile = ".palimpsest-download.json";

/** The record of what a folder was downloaded from. Only a complete folder has one. */
const recordSchema = z.object({
  endpoint: z.string(),
  repo: z.string(),
  revision: z.string(),
  commit: z.string(),
  files: z.record(z.string(), z.object({ sizeBytes: z.number(), digest: z.string() })),
});
type DownloadRecord = z.infer<typeof recordSchema>;

/**
 * Returns whether a file belongs to a model folder: config, tokenizer and safetensors, but no weights in other formats,
 * no second copies of the weights, and no pictures.
 */
function isModelFile(path: string): boolean {
  return (
    /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map)\.json$/.test(path) ||
    /^chat_template\.(jinja|json)$/.test(path) ||
    /^additional_chat_templates\/[^/]+\.jinja$/.test(path) ||
    /^model(-\d+-of-\d+)?\.safetensors$/.test(path) ||
    path === "model.safetensors.index.json"
  );
}

/**
 * Downloads `organization/name` from a hub into `folder`, and returns the folder's absolute path.
 * @throws {ModelError} FOLDER_TAKEN, FILE_MISSING, HUB_REFUSED, HUB_NOT_FOUND, HUB_UNREACHABLE, HASH_MISMATCH;
 *   the signal's reason
 */
export async function downloadModel(
  repo: string,
  folder: string,
  options: DownloadOptions = {},
): Promise<string> {
  const choose = (files: readonly HubFile[]) => {
    // Models of before tokenizer.json have only that of sentencepiece.
    const isOld = !files.some(({ path }) => path === "tokenizer.json");
    const isWanted = (path: string) => isModelFile(path) || (isOld && path === "tokenizer.model");
    const wanted = files.filter(({ path }) => (options.wants ?? isWanted)(path));
    if (options.wants === undefined) refuseIncomplete(repo, files, wanted);
    return wanted;
  };
  return (await downloadRepo({ kind: "model", repo, folder, choose }, options)).folder;
}

/** A folder with files of a hub's repository. */
export interface DownloadedRepo {
  readonly folder: string;
  readonly endpoint: string;
  readonly commit: string;
  /** Paths of the files relative to the folder, in the hub's order. */
  readonly files: readonly string[];
}

/**
 * Downloads the chosen files of a repository into a folder.
 * @throws {ModelError} the codes of `downloadModel`; whatever `choose` throws
 */
export async function downloadRepo(
  wanted: {
    readonly kind: RepoKind;
    readonly repo: string;
    readonly folder: string;
    /** Returns the files of the listing that are wanted. */
    readonly choose: (files: readonly HubFile[]) => readonly HubFile[];
  },
  options: Omit<DownloadOptions, "wants">,
): Promise<DownloadedRepo> {
  const { kind, repo, choose } = wanted;
  const target = resolve(wanted.folder);
  const endpoint = (options.endpoint ?? defaultEndpoint).replace(/\/+$/, "");
  const source = { endpoint, repo, revision: options.revision ?? "main" };
  const downloaded = (record: DownloadRecord): DownloadedRepo => ({
    folder: target,
    endpoint: record.endpoint,
    commit: record.commit,
    files: Object.keys(record.files),
  });
  makeFolder(dirname(target));
  return await withFolderLock(target, { signal: options.signal, locked: lockedModel }, async () => {
    const old = await readRecord(target);
    if (old === undefined) await refuseForeign(target);
    if (options.refresh !== true && old !== undefined && (await isComplete(target, old, source)))
      return downloaded(old);
    const access: HubAccess = {
      kind,
      endpoint,
      token: options.token,
      retry: { ...defaultRetryPolicy, ...options.retry },
      fetch: options.fetch,
      signal: options.signal,
    };
    const { commit, files } = await listHubRepo(access, repo, source.revision);
    const chosen = choose(files);
    const record: DownloadRecord = {
      ...source,
      commit,
      files: Object.fromEntries(
        chosen.map(({ path, sizeBytes, digest }) => [path, { sizeBytes, digest: digest.hex }]),
      ),
    };
    await fetchFiles(access, { target, record, wanted: chosen, old, onProgress: options.onProgress });
    return downloaded(record);
  });
}

interface FetchPlan {
  readonly target: string;
  readonly record: DownloadRecord;
  readonly wanted: readonly HubFile[];
  readonly old: DownloadRecord | undefined;
  readonly onProgress: DownloadOptions["onProgress"];
}

async function fetchFiles(access: HubAccess, { target, record, wanted, old, onProgress }: FetchPlan) {
  const fresh = `${target}.partial`;
  makeFolder(fresh);
  const totalBytes = wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let before = 0;
  for (const { path, sizeBytes, digest } of wanted) {
    // The name contains the digest, so that a file that a download of another commit left is not mistaken for this one.
    const arriving = join(fresh, `${digest.hex}.done`);
    const report = (doneBytes: number) =>
      onProgress?.({ file: path, doneBytes: before + doneBytes, totalBytes });
    if (old?.files[path]?.digest === digest.hex && !existsSync(arriving)) {
      await linkOrCopy(join(target, path), arriving).catch(() => undefined);
    }
    const there = (await stat(arriving).catch(() => undefined))?.size === sizeBytes;
    if (!there) {
      await downloadFile({
        url: fileUrl(access, record.repo, record.commit, path),
        headers: authorization(access),
        path: arriving,
        sizeBytes,
        digest,
        retry: access.retry,
        fetch: access.fetch,
        signal: access.signal,
        onBytes: report,
      });
    }
    report(sizeBytes);
    before += sizeBytes;
  }
  const whole = `${target}.whole`;
  await rm(whole, { recursive: true, force: true });
  for (const { path, digest } of wanted) {
    makeFolder(dirname(join(whole, path)));
    await linkOrCopy(join(fresh, `${digest.hex}.done`), join(whole, path));
  }
  await writeJson(join(whole, recordFile), record);
  await moveFolder(whole, target);
  await rm(fresh, { recursive: true, force: true });
}

/** Makes the file available under another name: as a hard link, or as a copy on file systems without hard links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}

async function readRecord(folder: string): Promise<DownloadRecord | undefined> {
  const text = await readFile(join(folder, recordFile), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function isComplete(
  folder: string,
  record: DownloadRecord,
  source: Pick<DownloadRecord, "endpoint" | "repo" | "revision">,
): Promise<boolean> {
  if (record.repo !== source.repo || record.revision !== source.revision) return false;
  for (const [path, { sizeBytes }] of Object.entries(record.files)) {
    if ((await stat(join(folder, path)).catch(() => undefined))?.size !== sizeBytes) return false;
  }
  return true;
}

async function refuseForeign(target: string): Promise<void> {
  const names = await readdir(target).catch(() => []);
  if (names.length > 0) {
    const message = `${target} contains other files (${names[0]}); give another folder, or remove this one`;
    throw new ModelError("FOLDER_TAKEN", message);
  }
}

function refuseIncomplete(repo: string, files: readonly HubFile[], wanted: readonly HubFile[]): void {
  const has = (path: RegExp) => wanted.some((file) => path.test(file.path));
  const found = files.map(({ path }) => path).join(", ") || "nothing";
  if (!has(/^config\.json$/)) {
    throw new ModelError(
      "FILE_MISSING",
      `${repo} has no config.json (it has ${found}); check that it is a model`,
    );
  }
  if (!has(/\.safetensors$/)) {
    const fix = "choose a repository or a revision with safetensors";
    throw new ModelError("FILE_MISSING", `${repo} has no model.safetensors (it has ${found}); ${fix}`);
  }
}
