// Puts a libtensorflow under @tensorflow/tfjs-node-gpu and builds its addon against it: the package's own
// installer pins a version older than today's GPUs. The C API is stable, so any version from 2.9 on serves.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { output, run } from "./command.mjs";
import { machineGpus } from "./gpu/find.mjs";
import { withLock } from "./lock.mjs";
import { cacheDir, packageDir } from "./paths.mjs";
import { ensureProgram } from "./system-package.mjs";
import { fetchWheel } from "./wheel.mjs";

const version = "2.21.0";
const apple = process.platform === "darwin";

/** Wheel tags under which PyPI has this version. A Python of the same version is not needed: a wheel is an archive. */
function wheelOf() {
  const gpu = process.platform === "linux" && machineGpus().length > 0;
  const platform = {
    "linux x64": "manylinux_2_27_x86_64",
    "linux arm64": "manylinux_2_27_aarch64",
    "darwin arm64": "macosx_12_0_arm64",
  }[`${process.platform} ${process.arch}`];
  if (!platform) return undefined;
  // Apple and Arm have the one package only; with a GPU the full one carries the CUDA kernels.
  const name = gpu || apple || process.arch === "arm64" ? "tensorflow" : "tensorflow-cpu";
  return { name, platform, sizeMb: name === "tensorflow-cpu" ? 274 : apple ? 240 : 572 };
}

function libraryFiles(dir) {
  const find = (names) =>
    names.flatMap((name) => [join(dir, name), join(dir, "lib", name)]).find((path) => existsSync(path));
  const main = find(
    apple
      ? ["libtensorflow_cc.2.dylib", "libtensorflow.2.dylib"]
      : ["libtensorflow_cc.so.2", "libtensorflow.so.2"],
  );
  const framework = find(apple ? ["libtensorflow_framework.2.dylib"] : ["libtensorflow_framework.so.2"]);
  const include = join(dir, "include");
  return main && framework && existsSync(join(include, "tensorflow/c/c_api.h"))
    ? { main, framework, include }
    : undefined;
}

const extract = `
import sys, zipfile
wheel, target = sys.argv[1:3]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.startswith("tensorflow/include/") or name.startswith("tensorflow/libtensorflow_"):
            archive.extract(name, target)
`;

/** The build for GPUs is in the cache, or the user named a library of their own. */
export function hasGpuLibrary() {
  if (process.env.PALIMPSEST_TENSORFLOW) return libraryFiles(process.env.PALIMPSEST_TENSORFLOW) !== undefined;
  return libraryFiles(join(cacheDir, "tensorflow", `${version}-full`)) !== undefined;
}

export async function ensurePython() {
  const found = ["python3", "python"].find((name) => output(name, ["-m", "pip", "--version"]));
  if (found) return found;
  await ensureProgram("pip3", { "apt-get": "python3-pip", dnf: "python3-pip", apk: "py3-pip" });
  return "python3";
}

/** The folder of a libtensorflow: the user's own, the cache's, or one downloaded now. */
async function ensureLibrary(say) {
  const own = process.env.PALIMPSEST_TENSORFLOW;
  if (own) {
    if (!libraryFiles(own))
      throw new Error(
        `PALIMPSEST_TENSORFLOW=${own} contains no libtensorflow with include/: name the tensorflow folder of a wheel or an unpacked C archive`,
      );
    return own;
  }
  const wheel = wheelOf();
  if (!wheel) throw new Error(`no libtensorflow is published for ${process.platform} ${process.arch}`);
  const dir = join(cacheDir, "tensorflow", `${version}-${wheel.name === "tensorflow-cpu" ? "cpu" : "full"}`);
  if (libraryFiles(dir)) return dir;
  const waiting = () => say("another process is downloading libtensorflow; waiting for it");
  await withLock(`${dir}.lock`, waiting, async () => {
    if (!libraryFiles(dir)) await unpackWheel(wheel, dir, say);
  });
  if (!libraryFiles(dir)) throw new Error(`the wheel ${wheel.name} ${version} contains no libtensorflow_cc`);
  return dir;
}

/** The folder appears whole; whoever is stopped before that goes on with what has arrived. */
async function unpackWheel({ name, platform, sizeMb }, dir, say) {
  const python = await ensurePython();
  const work = `${dir}.partial`;
  say(`downloading ${name} ${version} (${sizeMb} MB, once) into ${dirname(dir)}`);
  const args = ["--python-version", "3.12", "--implementation", "cp", "--platform", platform];
  const file = await fetchWheel(`${name}==${version}`, work, { python, args, sizeMb, say });
  try {
    await run(python, ["-c", extract, file, work]);
    rmSync(dir, { recursive: true, force: true });
    renameSync(join(work, "tensorflow"), dir);
  } finally {
    // A wheel that is damaged would be found again by the next try.
    rmSync(work, { recursive: true, force: true });
  }
}

function link(target, path) {
  rmSync(path, { force: true, recursive: true });
  symlinkSync(target, path);
}

/** What our addon has of its own. */
const ownSource = (name) => fileURLToPath(new URL(name, import.meta.url));
const headers = ["session-options.h", "large-arrays.h"].map(ownSource);
const logLevel = ownSource("log-level.cc");
const addonOf = (addonDir) => join(addonDir, "lib/napi-v8/tfjs_binding.node");
/** Beside the addon: what it was built of. */
const keyFileOf = (addonDir) => `${addonOf(addonDir)}.key`;

function addonKey(library) {
  const parts = [realpathSync(library.main), process.platform, process.arch, "4.22.0"];
  return createHash("sha256")
    .update([...parts, ...[...headers, logLevel].map((path) => readFileSync(path, "utf8"))].join("\n"))
    .digest("hex")
    .slice(0, 16);
}

function addonIsFresh(addonDir, library) {
  const keyFile = keyFileOf(addonDir);
  return (
    existsSync(addonOf(addonDir)) &&
    existsSync(keyFile) &&
    readFileSync(keyFile, "utf8") === addonKey(library)
  );
}

async function buildAddon(addonDir, library, say) {
  const require = createRequire(join(packageDir("jit"), "package.json"));
  const nodeHeaders = join(dirname(require.resolve("node-api-headers/package.json")), "include");
  const addon = addonOf(addonDir);
  const key = addonKey(library);
  const cached = join(cacheDir, "tfjs-addon", key, "tfjs_binding.node");
  if (!existsSync(cached)) {
    await ensureProgram("c++", { "apt-get": "g++", dnf: "gcc-c++", apk: "g++" });
    say("building the tfjs addon");
    mkdirSync(dirname(cached), { recursive: true });
    const partial = `${cached}.${process.pid}`;
    const rpath = apple ? "@loader_path/../../deps/lib" : "$ORIGIN/../../deps/lib";
    await run(
      "c++",
      [
        ...[
          "-O2",
          "-std=c++17",
          "-fPIC",
          "-shared",
          "-w",
          "-DNAPI_VERSION=8",
          "-DNODE_GYP_MODULE_NAME=tfjs_binding",
          "-DBUILDING_NODE_EXTENSION",
        ],
        ...[
          "-I.",
          `-I${library.include}`,
          `-I${nodeHeaders}`,
          ...headers.flatMap((path) => ["-include", path]),
          "binding/tfjs_backend.cc",
          "binding/tfjs_binding.cc",
          logLevel,
        ],
        ...(apple ? ["-undefined", "dynamic_lookup"] : []),
        ...["-Ldeps/lib", `-Wl,-rpath,${rpath}`, "-ltensorflow", "-ltensorflow_framework", "-o", partial],
      ],
      { cwd: addonDir },
    );
    renameSync(partial, cached);
  }
  mkdirSync(dirname(addon), { recursive: true });
  rmSync(addon, { force: true });
  copyFileSync(cached, addon);
  writeFileSync(keyFileOf(addonDir), key);
}

const smokeTest = `
import("@tensorflow/tfjs-node-gpu").then(({ default: tf }) => {
  const four = tf.matMul([[1, 1], [1, 1]], [[2, 2], [2, 2]]).dataSync()[0];
  if (four !== 4) throw new Error("2x2 matmul gave " + four);
  process.stdout.write(JSON.stringify({ version: tf.backend().binding.TF_Version, gpu: tf.backend().isUsingGpuDevice }));
});`;

/**
 * What the trial found: Node.js and libtensorflow write before it, and Node.js warns after it of what tfjs-node still uses.
 * @public A test loads this file by a path that it computes.
 */
export function smokeFindings(log) {
  const [found] = /\{"version":[^}]*\}/.exec(log) ?? [];
  if (found === undefined) throw new Error(`the test of the backend printed nothing: ${log.slice(-200)}`);
  return JSON.parse(found);
}

async function smoke(jitDir) {
  // Node 23 and later lack two functions that tfjs-node calls at load time.
  const shim = 'const u=require("util");u.isNullOrUndefined??=(v)=>v==null;u.isArray??=Array.isArray;';
  const log = await run(process.execPath, ["-e", shim + smokeTest], {
    cwd: jitDir,
    env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: "3", TF_FORCE_GPU_ALLOW_GROWTH: "true" },
  });
  return smokeFindings(log);
}

/** Builds what is missing and tries it. Throws with the reason; the caller goes on with the wasm backend. */
export async function ensureTensorflow(say) {
  const jitDir = packageDir("jit");
  const require = createRequire(join(jitDir, "package.json"));
  const addonDir = dirname(require.resolve("@tensorflow/tfjs-node-gpu/package.json"));
  const dir = await ensureLibrary(say);
  const library = libraryFiles(dir);
  const linked = join(addonDir, "deps/lib", apple ? "libtensorflow.dylib" : "libtensorflow.so");
  if (
    !addonIsFresh(addonDir, library) ||
    !existsSync(linked) ||
    realpathSync(linked) !== realpathSync(library.main)
  ) {
    mkdirSync(join(addonDir, "deps/lib"), { recursive: true });
    link(library.include, join(addonDir, "deps/include"));
    const names = apple
      ? {
          main: ["libtensorflow.dylib", "libtensorflow.2.dylib", "libtensorflow_cc.2.dylib"],
          framework: ["libtensorflow_framework.dylib", "libtensorflow_framework.2.dylib"],
        }
      : {
          main: ["libtensorflow.so", "libtensorflow.so.2", "libtensorflow_cc.so.2"],
          framework: ["libtensorflow_framework.so", "libtensorflow_framework.so.2"],
        };
    for (const name of names.main) link(library.main, join(addonDir, "deps/lib", name));
    for (const name of names.framework) link(library.framework, join(addonDir, "deps/lib", name));
    await buildAddon(addonDir, library, say);
  }
  return smoke(jitDir);
}
