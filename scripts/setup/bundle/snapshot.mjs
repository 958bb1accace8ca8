// A snapshot of V8's heap with the worker's bundle loaded: a process that starts from it has nothing to load. Where there is
// none, as on a machine on which it cannot be made, the bundle is loaded (packages/apps/cli/src/installation/bundled-programs.ts).
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

const timeoutMs = 60_000;
/** Modules of Node.js that cannot be in a snapshot, or are not known to work there: they are loaded when they are used. */
const late = [
  "async_hooks",
  "child_process",
  "cluster",
  "http",
  "http2",
  "https",
  "inspector",
  "module",
  "perf_hooks",
  "tls",
  "vm",
  "worker_threads",
];
/** The native half of the value codec, which reads strings faster and may be missing. */
const nativeStrings = /msgpackr-extract/;

function hasNativeStrings(folder, bundle) {
  const path = /require\("([^"]*msgpackr-extract[^"]*)"\)/.exec(bundle)?.[1];
  try {
    createRequire(join(folder, "worker.cjs"))(path);
    return true;
  } catch {
    return false;
  }
}

/** The script that makes the snapshot. The builder knows no modules but those of Node.js, and its process is not the actor's. */
function snapshotSource(folder) {
  const require = createRequire(import.meta.url);
  const bundle = readFileSync(join(folder, "worker.bundle.js"), "latin1");
  const names = Object.fromEntries(late.map((name) => [name, Object.keys(require(name))]));
  return `"use strict";
const lateNames = ${JSON.stringify(names)};
// What modules read of them as they are loaded.
const known = {
  http2: { constants: ${JSON.stringify(require("node:http2").constants)} },
  module: { createRequire: (...args) => process.getBuiltinModule("module").createRequire(...args) },
  perf_hooks: { constants: ${JSON.stringify(require("node:perf_hooks").constants)} },
  worker_threads: {
    isMainThread: true,
    Worker: function (...args) { return new (process.getBuiltinModule("worker_threads").Worker)(...args); },
  },
};
let requireExternal;
const lateModules = {};
for (const [name, keys] of Object.entries(lateNames)) {
  const module = {};
  const loaded = () => {
    if (!requireExternal) throw new Error("a module reads more of " + name + " as it is loaded");
    return process.getBuiltinModule(name);
  };
  for (const key of keys) {
    const value = known[name]?.[key];
    const property = value ? { value } : { get: () => loaded()[key], set: (other) => { loaded()[key] = other; } };
    Object.defineProperty(module, key, { ...property, enumerable: true });
  }
  lateModules[name] = module;
}
function external(name) {
  if (${nativeStrings}.test(name)) {
    if (!${hasNativeStrings(folder, bundle)}) throw new Error("not installed: " + name);
    let extract;
    return { extractStrings: (...args) => (extract ??= requireExternal(name).extractStrings)(...args) };
  }
  let module;
  return new Proxy({}, { get: (_, key) => (module ??= requireExternal(name))[key] });
}
function requireLate(name) {
  const bare = name.replace(/^node:/, "");
  if (lateModules[bare]) return lateModules[bare];
  if (name.startsWith(".")) return requireExternal ? requireExternal(name) : external(name);
  return require(bare);
}
const bundled = { exports: {}, import: (name) => requireExternal("./snapshot-import.cjs")(name) };
const filename = ${JSON.stringify(join(folder, "worker.bundle.js"))};
{
  // What an actor's process has run is compiled: the code cache is of the text as worker.cjs wraps it.
  const { readFileSync } = require("fs");
  const source = ${JSON.stringify(require("node:module").wrap("@"))}.split("@").join(readFileSync(filename, "latin1"));
  const cachedData = readFileSync(${JSON.stringify(join(folder, "worker.cache"))});
  const script = new (require("vm").Script)(source, { filename, cachedData });
  if (script.cachedDataRejected) throw new Error("rejected");
  script.runInThisContext()(bundled.exports, requireLate, bundled, filename, ${JSON.stringify(folder)});
}
require("v8").startupSnapshot.setDeserializeMainFunction(() => {
  requireExternal = process.getBuiltinModule("module").createRequire(${JSON.stringify(join(folder, "worker.cjs"))});
  // A process that this one forks is another program.
  const at = process.execArgv.indexOf("--snapshot-blob");
  if (at >= 0) process.execArgv.splice(at, 2);
  bundled.exports.runProgram();
});
`;
}

const importer = `// import() of a program that was not loaded from a file.
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
module.exports = (name) => import(name.startsWith(".") ? pathToFileURL(join(__dirname, name)).href : name);
`;

/** Starts a process from it. @throws when it does not come to take its orders */
async function tried(folder, blob) {
  const child = spawn(process.execPath, ["--snapshot-blob", blob, join(folder, "worker.cjs")], {
    // The last one is its channel to its node.
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const exit = once(child, "exit");
  const loaded = await Promise.race([once(child.stdio[3], "data"), exit.then(() => undefined)]);
  child.kill("SIGKILL");
  await exit;
  if (loaded === undefined) throw new Error("a process did not start from the snapshot");
}

/** Leaves worker.blob, and worker.blob.json with what must be as it is now for it to be used; neither where that fails. */
export async function makeSnapshot(folder) {
  const blob = join(folder, "worker.blob");
  const source = join(folder, "worker.snapshot.cjs");
  try {
    writeFileSync(join(folder, "snapshot-import.cjs"), importer);
    writeFileSync(source, snapshotSource(folder));
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(NODE_|GRPC_)/.test(name)),
    );
    const args = ["--snapshot-blob", blob, "--build-snapshot", source];
    await promisify(execFile)(process.execPath, args, { env, timeout: timeoutMs });
    await tried(folder, blob);
    const tag = ["-p", "require('v8').cachedDataVersionTag()"];
    const { stdout } = await promisify(execFile)(process.execPath, tag, { env });
    const made = { folder, node: process.version, arch: process.arch, tag: Number(stdout) };
    writeFileSync(`${blob}.json`, JSON.stringify(made));
  } catch {
    for (const path of [blob, `${blob}.json`]) rmSync(path, { force: true });
  }
}
