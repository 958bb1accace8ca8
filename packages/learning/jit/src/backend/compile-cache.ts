import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { gpuNames } from "../base/gpu-device.js";

/*
 * A cache of programs that XLA compiled for a GPU, shared by processes. TensorFlow's key for a program is only its signature
 * and its operations, so there is one folder for each kind of GPU, libtensorflow and set of flags.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** What a compiled program depends on besides itself. */
export interface CacheKey {
  readonly gpus: readonly string[];
  /** Size and modification time of libtensorflow's files. */
  readonly libraries: readonly string[];
  readonly flags: string;
}

/**
 * Returns the folder for this machine, creating it if it is missing.
 * @returns undefined without a GPU, or if the environment configures TensorFlow's compiler
 */
export function compileCacheFolder(environment: Environment = process.env): string | undefined {
  if (environment["TF_XLA_FLAGS"] !== undefined) return undefined;
  const gpus = gpuNames();
  if (gpus.length === 0) return undefined;
  const flags = environment["XLA_FLAGS"] ?? "";
  const folder = join(
    cacheRoot(environment),
    "xla",
    cacheName({ gpus, libraries: libraries(environment), flags }),
  );
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Returns the variables that tell TensorFlow about the folder. */
export function compileCacheEnvironment(folder: string | undefined): Record<string, string> {
  return folder === undefined ? {} : { TF_XLA_FLAGS: `--tf_xla_persistent_cache_directory=${folder}` };
}

export function cacheName({ gpus, libraries: files, flags }: CacheKey): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([gpus, files, flags]))
    .digest("hex")
    .slice(0, 16);
  const gpu = (gpus[0] ?? "gpu").replaceAll(/[^A-Za-z0-9]+/g, "-");
  return `${gpu}-${hash}`;
}

/** The project's cache folder, as the command line determines it. */
function cacheRoot(environment: Environment): string {
  const given = environment["XDG_CACHE_HOME"];
  const cache = given !== undefined && isAbsolute(given) ? given : join(homedir(), ".cache");
  return resolve(environment["PALIMPSEST_CACHE"] || join(cache, "palimpsest"));
}

/** Finds libtensorflow where the addon looks for it: next to itself, or along the library path. */
function libraries(environment: Environment): string[] {
  const require = createRequire(import.meta.url);
  const addon = join(dirname(require.resolve("@tensorflow/tfjs-node-gpu/package.json")), "deps", "lib");
  const folders = [addon, ...(environment["LD_LIBRARY_PATH"] ?? "").split(":")].filter(
    (folder) => folder !== "",
  );
  return folders.flatMap((folder) => describe(folder));
}

function describe(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^lib(tensorflow|cudnn)[._].*so/.test(name))
      .sort()
      .map((name) => {
        const { size, mtimeMs } = statSync(realpathSync(join(folder, name)));
        return `${name} ${size} ${mtimeMs}`;
      });
  } catch {
    return [];
  }
}
