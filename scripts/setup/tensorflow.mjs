// Puts a libtensorflow under @tensorflow/tfjs-node-gpu and builds its addon against it: the package's own
// installer pins a version older than today's GPUs. The C API is stable, so any version from 2.9 on serves.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { output, run } from "./command.mjs";
import { machineGpus } from "./gpu/find.mjs";
import { cacheDir, root } from "./paths.mjs";
import { ensureProgram } from "./system-package.mjs";

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
        `PALIMPSEST_TENSORFLOW=${own} holds no libtensorflow with include/: name a wheel's tensorflow folder or an unpacked C archive`,
      );
    return own;
  }
  const wheel = wheelOf();
  if (!wheel) throw new Error(`no libtensorflow is published for ${process.platform} ${process.arch}`);
  const dir = join(cacheDir, "tensorflow", `${version}-${wheel.name === "tensorflow-cpu" ? "cpu" : "full"}`);
  if (libraryFiles(dir)) return dir;
  const interpreter = await ensurePython();
  mkdirSync(dirname(dir), { recursive: true });
  const work = mkdtempSync(`${dir}.partial-`);
  try {
    say(`downloading ${wheel.name} ${version} (${wheel.sizeMb} MB, once)`);
    const tags = ["--python-version", "3.12", "--implementation", "cp", "--platform", wheel.platform];
    await run(interpreter, [
      "-m",
      "pip",
      "download",
      "--quiet",
      "--no-deps",
      "--only-binary=:all:",
      ...tags,
      "-d",
      work,
      `${wheel.name}==${version}`,
    ]);
    const file = readdirSync(work).find((name) => name.endsWith(".whl"));
    await run(interpreter, ["-c", extract, join(work, file), work]);
    rmSync(dir, { recursive: true, force: true });
    renameSync(join(work, "tensorflow"), dir);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  if (!libraryFiles(dir)) throw new Error(`the wheel ${wheel.name} ${version} holds no libtensorflow_cc`);
  return dir;
}

function link(target, path) {
  rmSync(path, { force: true, recursive: true });
  symlinkSync(target, path);
}

/** What our sessions have of their own. */
const sessionOptions = join(root, "scripts/setup/session-options.h");
const addonOf = (packageDir) => join(packageDir, "lib/napi-v8/tfjs_binding.node");
/** Beside the addon: what it was built of. */
const keyFileOf = (packageDir) => `${addonOf(packageDir)}.key`;

function addonKey(library) {
  const parts = [realpathSync(library.main), process.platform, process.arch, "4.22.0"];
  return createHash("sha256")
    .update([...parts, readFileSync(sessionOptions, "utf8")].join("\n"))
    .digest("hex")
    .slice(0, 16);
}

function addonIsFresh(packageDir, library) {
  const keyFile = keyFileOf(packageDir);
  return (
    existsSync(addonOf(packageDir)) &&
    existsSync(keyFile) &&
    readFileSync(keyFile, "utf8") === addonKey(library)
  );
}

async function buildAddon(packageDir, library, say) {
  const require = createRequire(join(root, "package.json"));
  const headers = join(dirname(require.resolve("node-api-headers/package.json")), "include");
  const addon = addonOf(packageDir);
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
          `-I${headers}`,
          ...["-include", sessionOptions],
          "binding/tfjs_backend.cc",
          "binding/tfjs_binding.cc",
        ],
        ...(apple ? ["-undefined", "dynamic_lookup"] : []),
        ...["-Ldeps/lib", `-Wl,-rpath,${rpath}`, "-ltensorflow", "-ltensorflow_framework", "-o", partial],
      ],
      { cwd: packageDir },
    );
    renameSync(partial, cached);
  }
  mkdirSync(dirname(addon), { recursive: true });
  rmSync(addon, { force: true });
  copyFileSync(cached, addon);
  writeFileSync(keyFileOf(packageDir), key);
}

const smokeTest = `
import("@tensorflow/tfjs-node-gpu").then(({ default: tf }) => {
  const four = tf.matMul([[1, 1], [1, 1]], [[2, 2], [2, 2]]).dataSync()[0];
  if (four !== 4) throw new Error("2x2 matmul gave " + four);
  process.stdout.write(JSON.stringify({ version: tf.backend().binding.TF_Version, gpu: tf.backend().isUsingGpuDevice }));
});`;

async function smoke(jitDir) {
  // Node 23 and later lack two functions that tfjs-node calls at load time.
  const shim = 'const u=require("util");u.isNullOrUndefined??=(v)=>v==null;u.isArray??=Array.isArray;';
  const log = await run(process.execPath, ["-e", shim + smokeTest], {
    cwd: jitDir,
    env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: "3", TF_FORCE_GPU_ALLOW_GROWTH: "true" },
  });
  return JSON.parse(log.slice(log.indexOf('{"version"')));
}

/** Builds what is missing and tries it. Throws with the reason; the caller goes on with the wasm backend. */
export async function ensureTensorflow(say) {
  const jitDir = join(root, "packages/jit");
  const require = createRequire(join(jitDir, "package.json"));
  const packageDir = dirname(require.resolve("@tensorflow/tfjs-node-gpu/package.json"));
  const dir = await ensureLibrary(say);
  const library = libraryFiles(dir);
  const linked = join(packageDir, "deps/lib", apple ? "libtensorflow.dylib" : "libtensorflow.so");
  if (
    !addonIsFresh(packageDir, library) ||
    !existsSync(linked) ||
    realpathSync(linked) !== realpathSync(library.main)
  ) {
    mkdirSync(join(packageDir, "deps/lib"), { recursive: true });
    link(library.include, join(packageDir, "deps/include"));
    const names = apple
      ? {
          main: ["libtensorflow.dylib", "libtensorflow.2.dylib", "libtensorflow_cc.2.dylib"],
          framework: ["libtensorflow_framework.dylib", "libtensorflow_framework.2.dylib"],
        }
      : {
          main: ["libtensorflow.so", "libtensorflow.so.2", "libtensorflow_cc.so.2"],
          framework: ["libtensorflow_framework.so", "libtensorflow_framework.so.2"],
        };
    for (const name of names.main) link(library.main, join(packageDir, "deps/lib", name));
    for (const name of names.framework) link(library.framework, join(packageDir, "deps/lib", name));
    await buildAddon(packageDir, library, say);
  }
  return smoke(jitDir);
}
