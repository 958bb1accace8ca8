/**
 * Responsibility: finding modules of the installation, and letting downloaded bundles import them.
 * Not responsible for: the bundles themselves (bundle-cache.ts).
 *
 * A bundle leaves "@palimpsest/*" out, so that its classes and errors are the same as those of the process that runs
 * it. A node_modules folder next to the bundles has links that lead back to the installation.
 */
import { existsSync } from "node:fs";
import { readlink, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";

const scope = "@palimpsest/";
/** The packages that user code may import. Those that the installation lacks are left out. */
const importable = [
  "client",
  "wire",
  "telemetry",
  "trajectories",
  "trainer",
  "agents",
  "datasets",
  "rewards",
  "evals",
  "model",
  "jit",
  "learner",
];
/** Other names of them: a program that has the package for actors alone imports the client by its name. */
const aliases: Readonly<Record<string, string>> = { runtime: "client" };

export class Installation {
  readonly #resolve: NodeJS.RequireResolve;
  readonly #bundled: Readonly<Record<string, string>>;

  /**
   * @param modulesFrom absolute path of a file whose package depends on the modules to be found
   * @param bundled paths of bundles that actors get instead of modules, by specifier
   */
  constructor(modulesFrom: string, bundled: Readonly<Record<string, string>> = {}) {
    this.#resolve = createRequire(modulesFrom).resolve;
    this.#bundled = bundled;
  }

  /** Returns the path of a module of the installation. @throws {PalimpsestError} INVALID_ARGUMENT, NOT_FOUND */
  pathOf(specifier: string): string {
    if (!specifier.startsWith(scope)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `module ${specifier} is not part of the installation, only "${scope}…" is: send other code as a bundle`,
      );
    }
    try {
      return this.#resolve(specifier);
    } catch (reason) {
      throw new PalimpsestError("NOT_FOUND", `module ${specifier} is not installed on this node`, {
        cause: reason,
      });
    }
  }

  /** Returns the URL that an actor's process imports for that module. */
  urlOf(specifier: string): string {
    const path = this.pathOf(specifier);
    return pathToFileURL(this.#bundled[specifier] ?? path).href;
  }

  /** Makes the importable packages visible to modules in `folder`. */
  async linkInto(folder: string): Promise<void> {
    const scopeFolder = join(folder, "node_modules", "@palimpsest");
    makeFolder(scopeFolder);
    await Promise.all(
      [...importable, ...Object.keys(aliases)].map(async (name) => {
        const target = this.#packageFolder(`${scope}${aliases[name] ?? name}`);
        const link = join(scopeFolder, name);
        if (target === undefined || (await readlink(link).catch(() => "")) === target) return;
        await rm(link, { force: true, recursive: true });
        await symlink(target, link, "dir");
      }),
    );
  }

  #packageFolder(specifier: string): string | undefined {
    let folder: string;
    try {
      folder = dirname(this.#resolve(specifier));
    } catch {
      return undefined;
    }
    while (!existsSync(join(folder, "package.json"))) {
      if (dirname(folder) === folder) return undefined;
      folder = dirname(folder);
    }
    return folder;
  }
}
