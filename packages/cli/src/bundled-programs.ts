/**
 * The bundles of programs that `npm run setup` makes (scripts/setup/bundle). One that is older than any module of which it
 * is made is not used: whoever changes a module runs what is changed.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `cli`: the commands that stay, `commands`: all others, `worker`: an actor's process, `learning`: actors of training. */
export type BundledProgram = "cli" | "commands" | "worker" | "learning";

const bundlesFolder = fileURLToPath(new URL("./bundled", import.meta.url));

/** Path of the program that runs a bundle; undefined without one that is up to date. */
export function bundledProgram(name: BundledProgram, folder = bundlesFolder): string | undefined {
  // A bundle has no faults in its network.
  if (process.env["PALIMPSEST_FAULTS"]) return undefined;
  try {
    const files = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as [
      string,
      number,
      number,
    ][];
    const isFresh = files.every(([path, sizeBytes, mtimeMs]) => {
      const now = statSync(join(folder, path), { throwIfNoEntry: false });
      return now?.size === sizeBytes && now.mtimeMs === mtimeMs;
    });
    return isFresh ? join(folder, `${name}.cjs`) : undefined;
  } catch {
    return undefined;
  }
}

/** Bundles in place of modules of the installation, by specifier; for processes of the worker's bundle. */
export function bundledModules(folder = bundlesFolder): Readonly<Record<string, string>> {
  if (bundledProgram("learning", folder) === undefined) return {};
  return {
    "@palimpsest/trainer/actors": join(folder, "trainer-actors.mjs"),
    "@palimpsest/trainer/reward-actor": join(folder, "trainer-reward-actor.mjs"),
  };
}
