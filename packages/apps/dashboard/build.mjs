// Bundles the front end into dist/page: three files that load nothing from elsewhere. The setup runs it, and tests run
// it before they open a page.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const own = fileURLToPath(new URL(".", import.meta.url));

/** @param {string} [folder] folder for the files */
export async function buildPages(folder = join(own, "dist/page")) {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: { app: join(own, "page/src/main.tsx") },
    outdir: folder,
    bundle: true,
    minify: true,
    // The bundle is not a module, because pages that are opened from a folder, without a server, cannot load modules.
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    conditions: ["@palimpsest/source"],
    legalComments: "none",
    logLevel: "error",
    charset: "utf8",
  });
  copyFileSync(join(own, "page/index.html"), join(folder, "index.html"));
}

if (import.meta.filename === process.argv[1]) await buildPages(process.argv[2]);
