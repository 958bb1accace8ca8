// The programs that run a bundle.

/**
 * @param cacheOf an expression for the name of the code cache's file
 * @param recording the event of the process at which it leaves a code cache of what it has run, in place of using one
 * @param runs the function of the bundle that is the program; without one the bundle runs as it is loaded
 */
export function loaderOf(bundleFile, { cacheOf, recording, runs }) {
  const head = `"use strict";
const { isAscii } = require("node:buffer");
const { readFileSync, writeFileSync, renameSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");
const filename = join(__dirname, ${JSON.stringify(bundleFile)});
const cacheFile = join(__dirname, ${cacheOf});
const bytes = readFileSync(filename);
// The bundler writes ASCII, which V8 keeps in half of the memory if it is told so.
const source = wrap(bytes.toString(isAscii(bytes) ? "latin1" : "utf8"));
`;
  const run = `const bundled = {
  exports: {},
  import: (name) => import(name.startsWith(".") ? pathToFileURL(join(__dirname, name)).href : name),
};
script.runInThisContext()(bundled.exports, createRequire(filename), bundled, filename, __dirname);
module.exports = bundled.exports;
${runs ? `bundled.exports.${runs}();\n` : ""}`;
  if (recording)
    return `${head}const script = new Script(source, { filename });
process.on(${JSON.stringify(recording)}, () => {
  writeFileSync(cacheFile + ".new", script.createCachedData());
  renameSync(cacheFile + ".new", cacheFile);
});
${run}`;
  return `${head}let cachedData;
try {
  cachedData = readFileSync(cacheFile);
} catch {
  // No cache was recorded on this machine: everything is compiled.
}
// V8 rejects the cache of another version of Node.js, and everything is compiled.
const script = new Script(source, { filename, cachedData });
${run}`;
}

/** An ES module with the exports of one that is in the worker's bundle, and without it those of `original`. */
export function standIn(name, original, exportNames) {
  const named = exportNames.filter((exportName) => exportName !== "default");
  return `const bundled = globalThis[Symbol.for("palimpsest.bundled")]?.${name} ?? (await import(${JSON.stringify(original)}));
export const { ${named.join(", ")} } = bundled;
${named.length < exportNames.length ? "export default bundled.default;\n" : ""}`;
}

/** An ES module with the exports of one that lies in a bundle and is evaluated when it is asked for. */
export function doorOf(program, specifier, exportNames) {
  return `import { createRequire } from "node:module";
const { modules } = createRequire(import.meta.url)(${JSON.stringify(`./${program}.cjs`)});
export const { ${exportNames.join(", ")} } = modules[${JSON.stringify(specifier)}]();
`;
}
