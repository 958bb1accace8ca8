// How modules of the installation are put into one CommonJS file that behaves as they do apart.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { packageDir, root } from "../paths.mjs";

/** Loaded when it is used: setup itself starts where nothing is installed yet. */
const esbuild = () => createRequire(join(packageDir("client"), "package.json"))("esbuild");

/** Native addons, what is itself a program beside its addon, and what few processes load stay where they are. */
const apart =
  /^(msgpackr-extract|esbuild|bullmq|@mapbox\/node-pre-gyp|@kubernetes\/client-node|@opentelemetry\/.*|@tensorflow\/.*|@huggingface\/hub|unpdf.*)$/;
/** What few programs load, the library of queues and tfjs with its backends, and the module that loads it by a require() that a bundler does not see. */
const loadedByFew = {
  bullmq: /trajectories\/dist\/redis\/bullmq\.js$/,
  "@tensorflow/tfjs": /jit\/dist\/base\/tf\.js$/,
  "@tensorflow/tfjs-node-gpu": /jit\/dist\/base\/tfjs-node\.js$/,
  "@tensorflow/tfjs-backend-wasm": /jit\/dist\/backend\/wasm-backend\.js$/,
};
/** The packages that tfjs consists of. */
const tfjsParts = /^@tensorflow\/tfjs(-(core|layers|converter|data|backend-cpu|backend-webgl))?(\/|$)/;
const program = /^\.\/main\.js$/;
const ownPlace = /\bimport\.meta\.url\b|\b__dirname\b|\b__filename\b/;
const beyondAscii = /[^\0-\x7f]/;
/**
 * A script with a code cache has no import(): it is handed that of the program that runs it. A method may have that name. Text is not
 * distinguished from code: no string of a bundled module may hold a program that calls it.
 */
const dynamicImport = /(^|[^.\w"'`])import\((?=["\w]|\s*\/\*)(?![^()\n]*\) \{$)/gm;

/** What `adapted` made, by folder, path and text: bundles share two thirds of these modules. */
const adaptedBefore = new Map();

function adapted(path, contents, folder) {
  const key = [folder, path, contents].join("\n");
  const found = adaptedBefore.get(key) ?? adaptedAnew(path, contents, folder);
  adaptedBefore.set(key, found);
  return found;
}

/**
 * A module finds the files that lie beside it by its own place, not by the bundle's, and its tagged templates become arrays
 * of strings, whose characters esbuild escapes.
 */
async function adaptedAnew(path, contents, folder) {
  const place = JSON.stringify(relative(folder, path));
  const parent = JSON.stringify(relative(folder, dirname(path)));
  const { code } = await esbuild().transform(contents, {
    format: /^(import|export)\b/m.test(contents) ? "esm" : "cjs",
    supported: { "template-literal": !beyondAscii.test(contents) },
    // Names: strings would be joined with what is added to them.
    define: {
      "import.meta.url": "palimpsestBundledUrl",
      __dirname: "palimpsestBundledFolder",
      __filename: "palimpsestBundledFile",
    },
  });
  return code
    .replaceAll(/\bpalimpsestBundledUrl\b/g, `palimpsestBundle.url(${place})`)
    .replaceAll(/\bpalimpsestBundledFolder\b/g, `palimpsestBundle.path(${parent})`)
    .replaceAll(/\bpalimpsestBundledFile\b/g, `palimpsestBundle.path(${place})`);
}

function placed(folder, { external = /^$/, shared = {}, learning = false }) {
  return {
    name: "palimpsest",
    setup({ onResolve, onLoad, resolve: buildResolve }) {
      onResolve({ filter: /^@palimpsest\// }, ({ path }) =>
        shared[path] === undefined ? undefined : { path, namespace: "shared" },
      );
      onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
        contents: `module.exports = globalThis[Symbol.for("palimpsest.bundled")][${JSON.stringify(shared[path])}];`,
      }));
      if (learning) {
        for (const [name, filter] of Object.entries(loadedByFew))
          onLoad({ filter }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replace(
              `createRequire(import.meta.url)("${name}")`,
              `require("${name}")`,
            ),
          }));
      }
      // The packages say that their modules do nothing by being imported; those of programs do.
      onResolve({ filter: program }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === program) return undefined;
        const found = await buildResolve(path, { resolveDir, kind, pluginData: program });
        return { path: found.path, errors: found.errors, sideEffects: true };
      });
      onResolve({ filter: apart }, ({ path, resolveDir }) => {
        if (learning && (path in loadedByFew || tfjsParts.test(path))) return undefined;
        const from = createRequire(join(resolveDir, "x.js"));
        try {
          return { path: `./${relative(folder, from.resolve(path))}`, external: true };
        } catch {
          return { path, external: true };
        }
      });
      onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
        const found = resolve(resolveDir, path);
        return external.test(found) ? { path: `./${relative(folder, found)}`, external: true } : undefined;
      });
      // Faults are read from the environment as a module is loaded, which a bundle cannot do: a process with faults
      // does not use it.
      onLoad({ filter: /environment-faults\.js$/ }, () => ({
        contents:
          "export const faultsLoaded = undefined; export const withEnvironmentFaults = (network) => network;",
      }));
      onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
        const contents = readFileSync(path, "utf8");
        if (!ownPlace.test(contents) && !beyondAscii.test(contents)) return undefined;
        return { contents: await adapted(path, contents.replace(/^#!.*/, ""), folder), loader: "js" };
      });
    },
  };
}

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * V8 keeps a text of ASCII in half of the memory and has it sooner, so a bundle is ASCII. esbuild escapes strings and
 * names. What it leaves are regular expressions, where a backslash before such a character says no more than the character
 * and an escape for each UTF-16 unit means the same with every flag, and comments, where nothing is read.
 */
const asAscii = (code) =>
  code.replaceAll(
    /(?<!\\)((?:\\\\)*)\\?([^\0-\x7f])/g,
    (_, slashes, character) => slashes + escaped(character),
  );

/**
 * Reads only the modules that import later, for compiling the whole bundle once more takes as long as making it.
 * @param names of the modules: the code of each stands after a comment with its name
 * @throws where the text of a string would be another one than that of its module
 */
async function refuseChangedTexts(code, names) {
  const comments = new Set(names.map((name) => `// ${name}`));
  const parts = code.split(/^(\/\/ .*)$/m);
  const modules = [parts[0]];
  for (let at = 1; at < parts.length; at += 2)
    if (comments.has(parts[at])) modules.push(parts[at + 1]);
    else modules.push(modules.pop() + parts[at] + parts[at + 1]);
  const calling = modules.filter((text) => text.includes("module.import("));
  // Code that calls it is given another name here; what has the old one is text.
  const { code: renamed } = await esbuild().transform(calling.join("\n"), {
    define: { "module.import": "palimpsestBundledImport" },
    logLevel: "silent",
  });
  const at = renamed.search(/\bmodule\.import\(/);
  if (at === -1) return;
  const lines = renamed.slice(Math.max(0, at - 80), at + 60).split("\n");
  const text = lines.find((line) => line.includes("module.import("))?.trim();
  throw new Error(`a string that holds a program with import() cannot be bundled: ${text}`);
}

/**
 * Writes the bundle of `source`, the text of an ES module that lies in `folder`.
 * @param options.external tells by its path whether a module of the installation stays apart
 * @param options.shared names of modules, by specifier, that are those of the bundle which runs already
 * @param options.learning whether it has the libraries of queues and of tensors, which few programs load
 * @returns the files that it is made of
 * @throws where esbuild warns of something, or a module has what a bundle cannot carry
 */
export async function bundle({ source, folder, outfile, ...options }) {
  const { metafile, outputFiles, warnings } = await esbuild().build({
    stdin: { contents: source, resolveDir: folder, sourcefile: "bundle-source.js" },
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    outfile,
    metafile: true,
    logLevel: "silent",
    plugins: [placed(dirname(outfile), options)],
    legalComments: "none",
    write: false,
    banner: {
      js: [
        "const palimpsestBundle = {",
        '  path: (place) => require("node:path").join(__dirname, place),',
        '  url: (place) => require("node:url").pathToFileURL(palimpsestBundle.path(place)).href,',
        "};",
      ].join("\n"),
    },
  });
  if (warnings.length > 0)
    throw new Error((await esbuild().formatMessages(warnings, { kind: "warning" })).join(""));
  for (const { path, text } of outputFiles) {
    const code = asAscii(text.replaceAll(dynamicImport, "$1module.import("));
    await refuseChangedTexts(code, Object.keys(metafile.inputs));
    writeFileSync(path, code, "latin1");
  }
  return Object.keys(metafile.inputs)
    .filter((path) => !/^shared:|bundle-source\.js$/.test(path))
    .map((path) => resolve(root, path));
}
