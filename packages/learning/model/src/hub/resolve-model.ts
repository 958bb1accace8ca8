import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolder, withFolderLock } from "@palimpsest/std/files";
import { checkKind, closestWord } from "@palimpsest/std/input";
import { lockedModel, ModelError } from "../base/error.js";
import { type DownloadOptions, downloadModel } from "./download-model.js";
import { knownModel, knownModels } from "./known-models.js";

export interface ResolveOptions extends Omit<DownloadOptions, "wants"> {
  /** The cache, whose folder `models` contains the models. */
  readonly cacheDir: string;
}

/** `organization/name`, followed by `@revision` unless the revision is main. */
const hubId = /^([\w][\w.-]*\/[\w][\w.-]*)(?:@([\w./-]+))?$/;

/**
 * Returns the folder of a model that is named by a path, by a name that is known here (`smollm2-135m-instruct`) or by
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
      const message = `model ${nameOrPathOrId}: revision is ${options.revision}, but a known name has no revisions; leave it out`;
      throw new ModelError("CONFIG_INVALID", message);
    }
    const folder = cachedModelFolder(options.cacheDir, nameOrPathOrId);
    const isThere = () => existsSync(join(folder, "config.json"));
    if (isThere() && options.refresh !== true) return folder;
    makeFolder(join(options.cacheDir, "models"));
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
    throw new ModelError("FILE_MISSING", `model ${nameOrPathOrId}: the folder does not exist; ${fix}`);
  }
  const name = revision === undefined ? repo : `${repo}@${revision}`;
  const folder = cachedModelFolder(options.cacheDir, name);
  return await downloadModel(repo, folder, { ...options, ...(revision === undefined ? {} : { revision }) });
}

export function cachedModelFolder(cacheDir: string, name: string): string {
  return join(resolve(cacheDir), "models", name.replaceAll("/", "--"));
}
