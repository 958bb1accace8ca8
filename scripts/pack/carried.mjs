// Third-party packages that a tarball carries, each as one file that has its dependencies in it: installed apart they bring a
// hundred packages, most of them for their installers and for programs that nobody here starts.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { packageFolders, root } from "../setup/paths.mjs";

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** tfjs-node-gpu's own installer would fetch a libtensorflow that is too old for today's GPUs. */
const tfjsNode = "@tensorflow/tfjs-node-gpu";
const tfjs = "@tensorflow/tfjs";

/**
 * By package of the project: what it carries.
 * `file` is where the code lies, `format` how it is loaded, `outside` what is installed beside it, `folders` what else it has.
 */
export const carried = {
  cli: { "log-update": { file: "index.js", format: "esm" } },
  wire: { "@peculiar/x509": { file: "index.js", format: "esm" } },
  jit: {
    // The kernels and the registries of tfjs are shared with its other backends.
    [tfjs]: {
      file: "dist/tf.node.js",
      format: "cjs",
      outside: ["@tensorflow/tfjs-core", "@tensorflow/tfjs-backend-cpu"],
    },
    [tfjsNode]: {
      file: "dist/index.js",
      format: "cjs",
      outside: ["@tensorflow/tfjs-core"],
      inside: [tfjs],
      folders: ["binding"],
    },
  },
};

/** Names of the third-party packages that the tarball of a package carries. */
export const carriedBy = (name) => Object.keys(carried[name] ?? {});

/** Names of what these need beside them. */
export const outsideOf = (name) => Object.values(carried[name] ?? {}).flatMap(({ outside = [] }) => outside);

/** The installer of tfjs-node-gpu is asked where the addon is; setup builds it there. */
const addonPlace = `exports.find = (manifest) =>
  require("node:path").join(require("node:path").dirname(manifest), "lib/napi-v8/tfjs_binding.node");`;

const replacing = (external) => ({
  name: "carried",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@mapbox\/node-pre-gyp$/ }, ({ path }) => ({ path, namespace: "addon" }));
    onLoad({ filter: /./, namespace: "addon" }, () => ({ contents: addonPlace, resolveDir: root }));
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== "entry-point" && external.includes(path) ? { path, external: true } : undefined,
    );
  },
});

/** The folder of the package to which a file belongs. */
function packageOf(file) {
  let folder = dirname(file);
  while (!existsSync(join(folder, "package.json")) || readManifest(folder).name === undefined)
    folder = dirname(folder);
  return folder;
}

/** The licenses of all packages whose code is in the file, which ask to be kept with it. */
function licenses(files) {
  const folders = [...new Set(files.map((file) => packageOf(join(root, file))))].sort();
  return folders
    .map((folder) => {
      const { name, version, license, author } = readManifest(folder);
      const text = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
      const by = typeof author === "string" ? author : (author?.name ?? "");
      const own = text === undefined ? by : readFileSync(join(folder, text), "utf8").trim();
      return `${name} ${version} (${license})\n\n${own || "Its text is that of LICENSE beside this file."}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/**
 * Writes a package that `name` carries into the `node_modules` of its staged folder.
 * @param from where the checkout has it
 */
export async function stageCarried(name, dependency, from, target) {
  const { file, format, inside = [], outside = [], folders = [] } = carried[name][dependency];
  const { build } = createRequire(join(root, packageFolders.get("client"), "package.json"))("esbuild");
  const to = join(target, "node_modules", dependency);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(dirname(join(to, file)), { recursive: true });
  const { metafile } = await build({
    stdin: {
      contents:
        format === "esm"
          ? `export * from "${dependency}";`
          : `module.exports = require(${JSON.stringify(from)});`,
      resolveDir: dirname(from).replace(/\/@[^/]+$/, ""),
    },
    ...{ absWorkingDir: root, outfile: join(to, file), bundle: true, platform: "node", target: "node20.19" },
    ...{ format, metafile: true, logLevel: "error", minifyWhitespace: true, legalComments: "none" },
    ...{ mainFields: format === "esm" ? ["module", "main"] : ["main"] },
    plugins: [replacing([...inside, ...outside])],
  });
  const { version, license, repository, binary } = readManifest(from);
  const manifest = {
    ...{ name: dependency, version, license, repository, ...(binary ? { binary } : {}) },
    ...(format === "esm" ? { type: "module", exports: `./${file}` } : { main: file }),
  };
  writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const sources = Object.keys(metafile.inputs).filter((path) => !/^addon:|^<stdin>$/.test(path));
  writeFileSync(join(to, "LICENSES"), licenses(sources));
  cpSync(join(root, "LICENSE"), join(to, "LICENSE"));
  for (const folder of folders)
    cpSync(join(from, folder), join(to, basename(folder)), { recursive: true, dereference: true });
}
