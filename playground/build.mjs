// Builds the playground into dist-playground/: one HTML file, which holds the page, the program of its workers, wasm and the base model, and
// loads nothing, so that it also runs when it is opened from a folder.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { hashWeights, loadModel, loadTokenizer } from "@palimpsest/model";
import { readRecipe } from "@palimpsest/trainer";
import { build } from "esbuild";

const own = fileURLToPath(new URL(".", import.meta.url));
const root = join(own, "..");
const present = new Set(["buffer", "crypto", "timers", "url", "util"]);
const builtin = new RegExp(`^(node:.*|${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`);

/** Node's modules: those that the packages use in a browser are small ones of ours. */
const nodeModules = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    // It is loaded for rewards that ask a server; a page has no such.
    onResolve({ filter: /^undici$/ }, () => ({ path: "none", namespace: "node", sideEffects: false }));
    onResolve({ filter: builtin }, ({ path }) => {
      const [name] = path.replace("node:", "").split("/");
      return { path: present.has(name) ? name : "none", namespace: "node", sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = require("./missing.cjs")(${path === "none" ? "{}" : `require("./${path}.ts")`})`,
      resolveDir: join(own, "src/node"),
    }));
  },
};

const shared = {
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "error",
  charset: "utf8",
  metafile: true,
  loader: { ".wasm": "binary" },
};

/** What the page learns and from where it starts: the quickstart's recipe with settings that suit one core, and its base model. */
async function start() {
  const { recipe } = readRecipe(join(root, "recipes/quickstart.yaml"));
  const folder = join(root, "recipes/bases/quickstart");
  const { config, parameters } = await loadModel(folder);
  const { json, configJson } = await loadTokenizer(folder);
  const weights = Object.fromEntries(
    Object.entries(parameters).map(([name, { buffer, byteOffset, byteLength }]) => [
      name,
      Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
    ]),
  );
  const overrides = JSON.parse(readFileSync(join(own, "settings.json"), "utf8"));
  const { learner, train, rollout, data } = recipe;
  return {
    recipe: {
      ...recipe,
      rollout: { ...rollout, ...overrides.rollout },
      learner: { ...learner, ...overrides.learner },
      train: { ...train, ...overrides.train },
      data: { ...data, ruler: { ...data.ruler, ...overrides.ruler } },
    },
    model: config,
    text: { tokenizer: json, tokenizerConfig: configJson, stopTokens: [] },
    weights,
    weightsHash: hashWeights(parameters),
  };
}

/** @param {string} [folder] folder for index.html */
export async function buildPlayground(folder = join(root, "dist-playground")) {
  const { weightsHash, ...carried } = await start();
  const data = JSON.stringify(carried);
  const starting = {
    name: "start",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^playground:start$/ }, ({ path }) => ({ path, namespace: "start" }));
      onLoad({ filter: /.*/, namespace: "start" }, () => ({ contents: data, loader: "json" }));
      onResolve({ filter: /^playground:wasm$/ }, () => ({
        path: createRequire(join(root, "packages/learning/jit/package.json")).resolve(
          "@tensorflow/tfjs-backend-wasm/wasm-out/tfjs-backend-wasm-simd.wasm",
        ),
      }));
    },
  };
  const worker = await build({
    ...shared,
    entryPoints: [join(own, "src/worker/worker.ts")],
    plugins: [nodeModules, starting],
    inject: [join(own, "src/node/buffer.ts")],
    // Modules that start threads name their files by it; none does so here.
    define: {
      "import.meta.url": '"file:///"',
      "process.env": "{}",
      "process.platform": '"browser"',
      global: "globalThis",
    },
  });
  const page = await build({
    ...shared,
    entryPoints: { app: join(own, "src/page/main.tsx") },
    outdir: folder,
  });
  const text = (end) => page.outputFiles.find(({ path }) => path.endsWith(end)).text;
  const program = worker.outputFiles[0].contents;
  const script = text(".js");
  const inline = (code) => code.replaceAll("</script", "<\\/script");
  const html = readFileSync(join(own, "index.html"), "utf8")
    .replace("/* style */", () => text(".css"))
    .replace("/* worker */", () => gzipSync(program, { level: 9 }).toString("base64"))
    .replace("/* page */", () => inline(script));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), html);
  return {
    bytes: Buffer.byteLength(html),
    sha256: createHash("sha256").update(html).digest("hex"),
    baseHash: weightsHash,
  };
}
