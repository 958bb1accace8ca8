import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { resolve } = createRequire(import.meta.url);

/** Packages of the installation that users' modules may import. */
const importable = ["agents", "datasets", "learner", "memory", "model", "rewards", "trajectories"] as const;

/** Returns the folder of each package that users' modules may import, by its name. */
export function importablePackages(): ReadonlyMap<string, string> {
  const folders = importable.map((name) => {
    const specifier = `@palimpsest/${name}`;
    return [specifier, packageFolder(resolve(specifier))] as const;
  });
  return new Map(folders);
}

/** Returns the path of a file of a package that may not be installed, looking from the user's module first. */
export function findFile(packageName: string, file: string, from: string): string | undefined {
  for (const find of [createRequire(from).resolve, resolve]) {
    try {
      const path = join(packageFolder(find(`${packageName}/package.json`)), file);
      if (existsSync(path)) return path;
    } catch {
      // The package is not installed here; the next folder is tried.
    }
  }
  return undefined;
}

function packageFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
