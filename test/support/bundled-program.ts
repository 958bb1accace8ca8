import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const client = new URL("../../packages/runtime/client/package.json", import.meta.url);
const esbuild: { buildSync(options: object): unknown } = createRequire(client)("esbuild");

/**
 * Bundles a program and the modules of its own package into one file, and returns its path. Node.js starts it in half
 * of the processor time of a loader, which compiles each module in each process. Other packages are used as built.
 * @param program a TypeScript file in `packages/NAME/src`
 */
export function bundledProgram(program: URL): string {
  const source = fileURLToPath(program);
  const [folder = ""] = source.split("/src/");
  // The file is within the package, so that it finds the dependencies of its package.
  const programs = join(folder, "node_modules/.programs");
  mkdirSync(programs, { recursive: true });
  const outfile = join(programs, `${basename(source, ".ts")}.mjs`);
  const settings = { bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" };
  esbuild.buildSync({ entryPoints: [source], outfile, ...settings });
  return outfile;
}
