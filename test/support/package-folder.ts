import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface PackageFolderOptions {
  /** The greeting of the package `greeter`. */
  readonly greeting?: string;
  /** A command that runs after the packages were installed, unless scripts are disabled. */
  readonly postinstall?: string;
  /** Whether package.json requires something that the lockfile does not have. */
  readonly mismatch?: boolean;
}

/**
 * Writes a package.json, its lockfile and a package to which they refer by "file:", so that nothing is downloaded.
 * @returns the path of the package.json
 */
export function writePackages(folder: string, options: PackageFolderOptions = {}): string {
  const { greeting = "hello", postinstall, mismatch = false } = options;
  mkdirSync(join(folder, "greeter"), { recursive: true });
  const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
  const greeter = { name: "greeter", version: "1.0.0", type: "module", main: "index.js" };
  write("greeter/package.json", greeter);
  writeFileSync(
    join(folder, "greeter/index.js"),
    `export const greet = () => ${JSON.stringify(greeting)};\n`,
  );
  const dependencies = { greeter: "file:./greeter" };
  const own = { name: "environment", version: "1.0.0", dependencies };
  write("package.json", {
    ...own,
    dependencies: mismatch ? { ...dependencies, missing: "1.2.3" } : dependencies,
    ...(postinstall ? { scripts: { postinstall } } : {}),
  });
  write("package-lock.json", {
    ...{ name: "environment", version: "1.0.0", lockfileVersion: 3, requires: true },
    packages: {
      "": { ...own, ...(postinstall ? { hasInstallScript: true } : {}) },
      greeter: { version: "1.0.0" },
      "node_modules/greeter": { resolved: "greeter", link: true },
    },
  });
  return join(folder, "package.json");
}
