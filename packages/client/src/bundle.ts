import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { dirname, isAbsolute } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fromGrpcError, jobsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import { placelessBundle } from "./placeless-bundle.js";

const chunkBytes = 512 * 1024;

export interface BundleOptions {
  /** Packages that the nodes have installed, such as native addons. "@palimpsest/*" is always among them. */
  readonly external?: readonly string[];
}

/** One ES module with user code and everything that it imports, except packages of the installation. */
export interface Bundle {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** A `file:` URL, an absolute path, or a `data:` URL of a finished bundle. */
export type ModuleSource = string | URL;

/**
 * Bundles a module (TypeScript or JavaScript) with esbuild.
 * @throws {PalimpsestError} INVALID_ARGUMENT if it does not build
 */
export async function bundleModule(source: ModuleSource, options: BundleOptions = {}): Promise<Bundle> {
  const url = sourceUrl(source);
  const bytes = url.protocol === "data:" ? dataOf(url) : await build(fileURLToPath(url), options);
  return bundleOf(bytes);
}

export function bundleOf(bytes: Uint8Array): Bundle {
  return { sha256: createHash("sha256").update(bytes).digest("hex"), bytes };
}

/**
 * Stores a bundle at the head, which keeps it under its hash.
 * @throws {PalimpsestError} LIMIT_EXCEEDED above the head's bundleMaxBytes
 */
export async function uploadBundle(
  peer: Peer,
  bundle: Bundle,
  settings: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<void> {
  const { stream, response } = peer.clientStream(jobsService.putBundle, settings);
  response.catch(() => undefined);
  // A head that refuses the bundle before its end gives the reason in the response.
  stream.on("error", () => undefined);
  for (let offset = 0; offset < bundle.bytes.byteLength; offset += chunkBytes) {
    stream.write({ data: bundle.bytes.subarray(offset, offset + chunkBytes) });
  }
  stream.end();
  const info = await response.catch((reason: unknown) => {
    throw fromGrpcError(reason);
  });
  if (info.sha256 !== bundle.sha256) {
    throw new PalimpsestError(
      "CODEC",
      `the head stored the bundle as ${info.sha256}, it was sent as ${bundle.sha256}; send it again`,
      { retryable: true },
    );
  }
}

/** @param within the modules whose bundling led to this one, the outermost first */
async function build(
  path: string,
  options: BundleOptions,
  within: readonly string[] = [],
): Promise<Uint8Array> {
  // esbuild is loaded on first use, because most clients never bundle.
  const esbuild = await import("esbuild");
  try {
    const result = await esbuild.build({
      entryPoints: [path],
      // Paths inside the bundle are relative to it, and those of packages relative to their node_modules
      // (placelessBundle), so that equal sources give equal bytes on every machine.
      absWorkingDir: dirname(path),
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
      // CommonJS packages inside an ES module still need require.
      banner: {
        js: 'import { createRequire as palimpsestCreateRequire } from "node:module"; const require = palimpsestCreateRequire(import.meta.url);',
      },
      plugins: [workerModules(options, [...within, path])],
    });
    const output = result.outputFiles[0];
    if (!output) throw new Error("esbuild wrote nothing");
    return placelessBundle(output.contents, Object.keys(result.metafile.inputs));
  } catch (reason) {
    const message = reason instanceof Error ? reason.message : String(reason);
    throw new PalimpsestError("INVALID_ARGUMENT", `${path} does not bundle: ${message}`, { cause: reason });
  }
}

const moduleUrl = /new URL\(\s*(["'])(\.{1,2}\/[^"']+\.[cm]?[jt]sx?)\1\s*,\s*import\.meta\.url\s*\)/g;

/**
 * Replaces `new URL("./counter.js", import.meta.url)` by a data: URL with the bundle of the named module, because the
 * program runs on a machine that has only its bundle. A module that is being bundled cannot contain itself: the URL
 * of the bundle's own module becomes the bundle's URL, and the URL of a module around it is refused.
 */
function workerModules(options: BundleOptions, bundling: readonly string[]): import("esbuild").Plugin {
  return {
    name: "palimpsest-modules",
    setup(setup) {
      setup.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        if (path.includes("/node_modules/")) return undefined;
        const { readFile } = await import("node:fs/promises");
        const text = await readFile(path, "utf8");
        const matches = [...text.matchAll(moduleUrl)];
        if (matches.length === 0) return undefined;
        let contents = text;
        for (const [whole, , relative] of matches) {
          const target = await setup.resolve(relative ?? "", {
            resolveDir: dirname(path),
            kind: "import-statement",
          });
          if (target.errors.length > 0) continue;
          if (target.path === bundling.at(-1)) {
            contents = contents.replace(whole, () => "new URL(import.meta.url)");
            continue;
          }
          if (bundling.includes(target.path)) {
            const circle = [...bundling.slice(bundling.indexOf(target.path)), target.path];
            throw new Error(
              `modules name each other by URL in a circle, which no bundle can hold: ${circle.join(" -> ")}; pass one of the URLs as an argument`,
            );
          }
          const bytes = await build(target.path, options, bundling);
          const url = `data:text/javascript;base64,${Buffer.from(bytes).toString("base64")}`;
          contents = contents.replace(whole, () => `new URL(${JSON.stringify(url)})`);
        }
        return { contents, loader: /\.[cm]?tsx?$/.test(path) ? "ts" : "js" };
      });
    },
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
export function sourceUrl(source: ModuleSource): URL {
  if (source instanceof URL) return allowed(source);
  if (isAbsolute(source)) return pathToFileURL(source);
  if (URL.canParse(source)) return allowed(new URL(source));
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `module source ${source} is neither a file: URL nor an absolute path; pass new URL("./x.js", import.meta.url)`,
  );
}

function allowed(url: URL): URL {
  if (url.protocol === "file:" || url.protocol === "data:") return url;
  throw new PalimpsestError("INVALID_ARGUMENT", `module source ${shown(url)} is not a file: URL`);
}

function dataOf(url: URL): Uint8Array {
  const comma = url.href.indexOf(",");
  return Buffer.from(url.href.slice(comma + 1), "base64");
}

function shown(url: URL): string {
  return url.href.slice(0, 200);
}

/**
 * Returns whether the module is the running program itself, which as an actor's bundle would run again in every
 * actor.
 */
export function isMainModule(url: URL, mainPath: string | undefined): boolean {
  if (url.protocol !== "file:" || mainPath === undefined) return false;
  try {
    return createRequire(import.meta.url).resolve(mainPath) === fileURLToPath(url);
  } catch {
    return false;
  }
}
