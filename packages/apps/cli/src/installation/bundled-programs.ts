/**
 * Finds the bundles of programs that `npm run setup` builds (scripts/setup/bundle). A bundle is used only while all its
 * modules and the bundler are as they were when it was made, so that a changed module or bundler takes effect.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedDataVersionTag } from "node:v8";

/**
 * `cli`: the commands that keep running; `commands`: all others; `worker`: an actor's process; `learning`: actors of
 * training.
 */
export type BundledProgram = "cli" | "commands" | "worker" | "learning";

/** Archives, and with them the layers of container images, keep times of files in whole seconds. */
const seconds = (timeMs: number) => Math.floor(timeMs / 1000);

const bundlesFolder = fileURLToPath(new URL("../bundled", import.meta.url));

/** Returns the path of a bundle's program; undefined if there is none that is up to date. */
export function bundledProgram(name: BundledProgram, folder = bundlesFolder): string | undefined {
  // A process with faults in its network runs the modules, because a bundle cannot inject them.
  if (process.env["PALIMPSEST_FAULTS"]) return undefined;
  try {
    const { bundler, modules } = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Readonly<
      Record<"bundler" | "modules", readonly (readonly [path: string, sizeBytes: number, mtimeMs: number])[]>
    >;
    const isFresh = [...bundler, ...modules].every(([path, sizeBytes, mtimeMs]) => {
      const now = statSync(join(folder, path), { throwIfNoEntry: false });
      return now?.size === sizeBytes && seconds(now.mtimeMs) === seconds(mtimeMs);
    });
    return isFresh ? join(folder, `${name}.cjs`) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the V8 heap snapshot from which an actor's process starts with the worker's bundle loaded. V8 accepts it only
 * in the folder, by the program and with the flags with which setup made it; undefined if one of them differs.
 */
export function workerSnapshot(folder = bundlesFolder): string | undefined {
  if (bundledProgram("worker", folder) === undefined) return undefined;
  const blob = join(folder, "worker.blob");
  try {
    const made = { folder, node: process.version, arch: process.arch, tag: cachedDataVersionTag() };
    return readFileSync(`${blob}.json`, "utf8") === JSON.stringify(made) ? blob : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the bundles that replace modules of the installation, by specifier, for processes that run the worker's
 * bundle.
 */
export function bundledModules(folder = bundlesFolder): Readonly<Record<string, string>> {
  // They take modules that the worker's bundle contains from it, so they cannot replace any in a worker that runs modules.
  if ((["worker", "learning"] as const).some((name) => bundledProgram(name, folder) === undefined)) return {};
  return {
    "@palimpsest/trainer/actors": join(folder, "trainer-actors.mjs"),
    "@palimpsest/trainer/reward-actor": join(folder, "trainer-reward-actor.mjs"),
  };
}
