/**
 * Bundling with esbuild. A module that is named by its URL, as in `new URL("./counter.js", import.meta.url)`, is bundled
 * too: the program runs on a machine that has only its bundle, so the expression becomes the `data:` URL of the
 * module's own bundle. So does the URL by which a module names itself in `actorModule` and `taskModule`, which in a bundle
 * around it would be the bundle's.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { reasonText } from "@palimpsest/std/input";
import { bundledName, knowPackage, PalimpsestError, packageFolder } from "@palimpsest/wire";
import type { Plugin } from "esbuild";

/** How a program's code is bundled for the nodes. */
export interface BundleOptions {
  /** Packages that the nodes have installed, such as native addons. "@palimpsest/*" is always among them. */
  readonly external?: readonly string[];
}

/**
 * Builds one ES module from a file and everything that it imports.
 * @param within the modules whose bundling led to this one, the outermost first
 * @throws {PalimpsestError} INVALID_ARGUMENT if it does not build
 */
export async function buildModule(
  path: string,
  options: BundleOptions,
  within: readonly string[] = [],
): Promise<Uint8Array> {
  // esbuild is loaded on first use, because most clients never bundle.
  const esbuild = await import("esbuild");
  const folder = packageFolder(dirname(path));
  try {
    const result = await esbuild.build({
      entryPoints: [path],
      // Paths inside the bundle are relative to the package of the module, and those of other packages relative to
      // their node_modules (placelessBundle), so that equal sources give equal bytes on every machine.
      absWorkingDir: folder,
      bundle: true,
      write: false,
      platform: "node",
      target: "node20",
      format: "esm",
      sourcemap: "inline",
      sourcesContent: false,
      // At the end of the file they would be preceded by paths.
      legalComments: "inline",
      keepNames: true,
      metafile: true,
      logLevel: "silent",
      external: ["@palimpsest/*", "*.node", ...(options.external ?? [])],
      // CommonJS packages inside an ES module still need require. A bundle behind a data: URL has no folder to begin in.
      banner: {
        js: 'import { createRequire as palimpsestCreateRequire } from "node:module"; const require = palimpsestCreateRequire(import.meta.url.startsWith("file:") ? import.meta.url : "file:///");',
      },
      plugins: [modulesByUrl((target) => urlExpression(target, options, [...within, path]))],
    });
    const output = result.outputFiles[0];
    if (!output) throw new Error("esbuild returned no output file");
    knowPackage(folder);
    const entry = bundledName(relative(folder, path));
    return placelessBundle(output.contents, Object.keys(result.metafile.inputs), entry);
  } catch (reason) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${path} cannot be bundled: ${unreadable(path) ?? failureOf(reason)}`,
      {
        cause: reason,
      },
    );
  }
}

const moduleUrl = /new URL\(\s*(["'])(\.{1,2}\/[^"']+\.[cm]?[jt]sx?)\1\s*,\s*import\.meta\.url\s*\)/g;

const ownUrl = /\b((?:actorModule|taskModule)\(\s*[\w$]+\s*,\s*)import\.meta\.url\b/g;

/**
 * Replaces each expression that names a module by its URL. One whose module does not exist stays as it is, because
 * it may be part of a comment or of a text.
 * @param replacement returns the expression for a module, given its path
 */
function modulesByUrl(replacement: (path: string) => Promise<string>): Plugin {
  return {
    name: "palimpsest-modules",
    setup({ onLoad, resolve }) {
      onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        if (path.includes("/node_modules/")) return undefined;
        const text = await readFile(path, "utf8");
        const replaced = new Map<string, string>();
        for (const [expression, , relative = ""] of text.matchAll(moduleUrl)) {
          const target = await resolve(relative, { resolveDir: dirname(path), kind: "import-statement" });
          if (target.errors.length === 0) replaced.set(expression, await replacement(target.path));
        }
        const own = text.search(ownUrl) === -1 ? undefined : await replacement(path);
        if (replaced.size === 0 && own === undefined) return undefined;
        const contents = text
          .replace(moduleUrl, (expression) => replaced.get(expression) ?? expression)
          .replace(ownUrl, (_, before) => `${before}${own}`);
        return { contents, loader: /\.[cm]?tsx?$/.test(path) ? "ts" : "js" };
      });
    },
  };
}

/**
 * Returns the expression for a module's URL inside of a bundle. A bundle cannot contain itself: its own module gets the
 * bundle's URL, and a module around it is refused.
 * @param bundling the modules that are being bundled, the outermost first
 */
async function urlExpression(
  target: string,
  options: BundleOptions,
  bundling: readonly string[],
): Promise<string> {
  if (target === bundling.at(-1)) return "new URL(import.meta.url)";
  if (bundling.includes(target)) {
    const circle = [...bundling.slice(bundling.indexOf(target)), target];
    throw new Error(
      `modules refer to each other by URL in a cycle, which cannot be bundled: ${circle.join(" -> ")}; pass one of the URLs as an argument`,
    );
  }
  const bytes = await buildModule(target, options, bundling);
  return `new URL("data:text/javascript;base64,${Buffer.from(bytes).toString("base64")}")`;
}

/** Says why a module cannot be read, which the bundler tells as one that it cannot resolve. */
function unreadable(path: string): string | undefined {
  try {
    readFileSync(path);
    return undefined;
  } catch (cause) {
    return `${reasonText(cause)}; name the file of a module`;
  }
}

/** Returns the bundler's message in one line. */
const failureOf = (reason: unknown) =>
  (reason instanceof Error ? reason.message : String(reason)).replace(/:?\n\s*/g, ": ");

/**
 * Removes the locations of packages from a bundle. esbuild writes the path of each module into a comment, into the
 * wrapper of a CommonJS module and into the source map, and the path of a package depends on which parent folder
 * contains it.
 */

const mapComment = /\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;
/** Matches a comment on its own line, or the name of a CommonJS module. */
const named = /^( *)\/\/ (.+)$|^( *)"([^"\n]+)"(?=\(.*\) \{$)/gm;

/**
 * @param inputs paths of the bundled modules as esbuild writes them
 * @param entry the name of the bundled module, which the bundle states in its last line for messages about it
 */
function placelessBundle(bytes: Uint8Array, inputs: readonly string[], entry: string): Uint8Array {
  const moved = new Map(inputs.map((path) => [path, placeless(path)]));
  const text = Buffer.from(bytes).toString("utf8");
  const map = mapComment.exec(text);
  const code = text.slice(0, map?.index).replace(named, (whole, indent, comment, margin, module) => {
    const name = moved.get(comment ?? module);
    if (name === undefined) return whole;
    return comment === undefined ? `${margin}"${name}"` : `${indent}// ${name}`;
  });
  const entryLine = `// The module is ${entry}\n`;
  return Buffer.from(map === null ? code : `${code}${entryLine}${placelessMap(map[1] ?? "")}`);
}

/** Names files in stack traces relative to their package, and a package's file as `node_modules/PACKAGE/FILE`. */
function placelessMap(base64: string): string {
  const map = JSON.parse(Buffer.from(base64, "base64").toString("utf8")) as { readonly sources: string[] };
  const json = JSON.stringify(
    { ...map, sources: map.sources.map((path) => bundledName(placeless(path))) },
    null,
    2,
  );
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(json).toString("base64")}\n`;
}

function placeless(path: string): string {
  const at = path.lastIndexOf("node_modules/");
  return at === -1 ? path : path.slice(at);
}
