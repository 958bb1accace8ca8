import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder, withFolderLock } from "@palimpsest/std/files";
import { checkKind, closestWord, pathError } from "@palimpsest/std/input";
import { lockedModel, ModelError } from "../base/error.js";
import { hasTokenizer } from "../files/model-folder.js";
import { WeightFiles } from "../files/weight-files.js";
import { type DownloadOptions, defaultEndpoint, downloadModel } from "./download-model.js";
import type { HubModel, KnownModel } from "./known-model.js";
import { knownModel, knownModels } from "./known-models.js";

export interface ModelPlaces {
  /** The cache, whose folder `models` contains the models. */
  readonly cacheDir: string;
  /** The cache of Hugging Face's own programs, which is only read; absent: it is not used. */
  readonly hubCacheDir?: string | undefined;
}

export interface ResolveOptions extends Omit<DownloadOptions, "wants">, ModelPlaces {}

/** `organization/name`, followed by `@revision` unless the revision is main. */
const hubId = /^([\w][\w.-]*\/[\w][\w.-]*)(?:@([\w./-]+))?$/;

/**
 * Returns the folder of a model that is named by a path, by a name that is known here (`qwen2.5-0.5b-instruct`) or by
 * its id on a hub (`Qwen/Qwen3-0.6B`, `organization/name@revision`). A model that is not on this machine yet is fetched
 * into the cache. One that is there is used without any request.
 * @throws {ModelError} FILE_MISSING; whatever the download throws
 */
export async function resolveModel(nameOrPathOrId: string, options: ResolveOptions): Promise<string> {
  const refuse = (problem: string) => new ModelError("CONFIG_INVALID", problem);
  checkKind(nameOrPathOrId, "name of resolveModel()", "a path", refuse);
  checkKind(options, "options of resolveModel()", "an object", refuse);
  checkKind(options.cacheDir, "options of resolveModel(): cacheDir", "a path", refuse);
  const known = knownModel(nameOrPathOrId);
  if (known !== undefined) {
    if (options.revision !== undefined) {
      const id = "repo" in known ? `${known.repo}@${options.revision}` : "the id of a model on a hub";
      const message = `model ${nameOrPathOrId}: revision is ${options.revision}, but a known name has one revision; leave it out, or give ${id}`;
      throw new ModelError("CONFIG_INVALID", message);
    }
    const there = options.refresh === true ? undefined : await findKnownModel(nameOrPathOrId, options);
    if (there !== undefined) return there;
    makeFolder(join(options.cacheDir, "models"));
    const folder = folderOfKnown(nameOrPathOrId, known, options.cacheDir);
    if ("repo" in known) return await fetchKnownModel(known, folder, options);
    const isThere = () => existsSync(join(folder, "config.json"));
    return await withFolderLock(folder, { signal: options.signal, locked: lockedModel }, async () => {
      if (!isThere() || options.refresh === true) await known.make(folder, options);
      return folder;
    });
  }
  if (existsSync(nameOrPathOrId)) return resolve(nameOrPathOrId);
  const [, repo, revision = options.revision] = hubId.exec(nameOrPathOrId) ?? [];
  if (repo === undefined) {
    const names = Object.keys(knownModels);
    const meant = closestWord(nameOrPathOrId, names);
    const fix =
      meant === undefined
        ? `give a folder, the id of a model on a hub such as Qwen/Qwen3-0.6B, or a known name (${names.join(", ")})`
        : `did you mean "${meant}"?`;
    throw new ModelError("FILE_MISSING", `model ${nameOrPathOrId}: the folder does not exist; ${fix}`, {
      cause: pathError("ENOENT", nameOrPathOrId),
    });
  }
  const name = revision === undefined ? repo : `${repo}@${revision}`;
  const folder = cachedModelFolder(options.cacheDir, name);
  if (revision === undefined && !existsSync(folder)) refuseLostFolder(repo);
  return await downloadModel(repo, folder, { ...options, ...(revision === undefined ? {} : { revision }) });
}

/** Folders of these names hold runs and models in all guides: no hub is asked for what is missing there. */
const ownFolders: readonly string[] = ["runs", "models"];

/** Refuses an id whose first part is a folder here, or would be: it names a run or a model that is not in it. */
function refuseLostFolder(path: string): void {
  const parent = dirname(path);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    if (!ownFolders.includes(parent)) return;
    const message = `model ${path}: there is no folder ${parent} in ${process.cwd()}; give the path of one that is there (a model of a hub: ${path}@main)`;
    throw new ModelError("FILE_MISSING", message);
  }
  const meant = closestWord(basename(path), readdirSync(parent));
  const fix = meant === undefined ? "give one that is" : `did you mean "${join(parent, meant)}"?`;
  throw new ModelError(
    "FILE_MISSING",
    `model ${path}: ${basename(path)} is not in the folder ${parent}; ${fix} (a model of a hub: ${path}@main)`,
  );
}

/**
 * Returns the folder of a known model if the whole model is on this machine. Nothing is requested.
 * @param name a key of `knownModels`
 */
export async function findKnownModel(name: string, places: ModelPlaces): Promise<string | undefined> {
  const known = knownModel(name);
  if (known === undefined) return undefined;
  const folder = folderOfKnown(name, known, places.cacheDir);
  // A folder of the cache appears only when it is complete.
  if (existsSync(join(folder, "config.json"))) return folder;
  if (!("repo" in known) || places.hubCacheDir === undefined) return undefined;
  const shelf = `models--${known.repo.replaceAll("/", "--")}`;
  const snapshot = join(places.hubCacheDir, shelf, "snapshots", known.revision);
  return (await holdsModel(snapshot)) ? snapshot : undefined;
}

/** Downloads a known model of a hub into a folder, at its commit. @throws {ModelError} as `downloadModel` does */
export async function fetchKnownModel(
  { repo, revision, gated }: HubModel,
  folder: string,
  options: Omit<DownloadOptions, "wants" | "revision">,
): Promise<string> {
  try {
    return await downloadModel(repo, folder, { ...options, revision });
  } catch (reason) {
    if (!gated || !(reason instanceof ModelError) || reason.code !== "HUB_REFUSED") throw reason;
    const page = `${options.endpoint ?? defaultEndpoint}/${repo}`;
    const message = `${repo}: the hub gives it only to accounts that have accepted its license; accept it at ${page}, and set HF_TOKEN to a token of that account`;
    throw new ModelError("HUB_REFUSED", message, { cause: reason });
  }
}

/** Whether a folder has a model's config, tokenizer and all of its weights; the files of others may be incomplete. */
async function holdsModel(folder: string): Promise<boolean> {
  if (!existsSync(join(folder, "config.json")) || !hasTokenizer(folder)) return false;
  try {
    await (await WeightFiles.open(folder)).close();
    return true;
  } catch {
    return false;
  }
}

const folderOfKnown = (name: string, known: KnownModel, cacheDir: string) =>
  cachedModelFolder(cacheDir, "repo" in known ? `${known.repo}@${known.revision}` : name);

export function cachedModelFolder(cacheDir: string, name: string): string {
  return join(resolve(cacheDir), "models", name.replaceAll("/", "--"));
}
