// Runs the bundled programs, the long ones in a small cluster, so that what they compile on their way is kept beside them.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { packageDir } from "../paths.mjs";

const timeoutMs = 60_000;
const actorSource = "export class Echo { echo(value) { return value; } }\n";

async function until(what, reached) {
  const endMs = performance.now() + timeoutMs;
  while (!(await reached())) {
    if (performance.now() > endMs) throw new Error(`${what} took longer than ${timeoutMs / 1_000} s`);
    await delay(20);
  }
}

/** Ends what a cluster that does not answer would let setup wait for. */
async function within(what, promise) {
  const late = delay(5 * timeoutMs, undefined, { ref: false }).then(() => {
    throw new Error(`${what} took longer than ${(5 * timeoutMs) / 1_000} s`);
  });
  return await Promise.race([promise, late]);
}

async function record(child, pid, cacheFile) {
  process.kill(pid, "SIGUSR2");
  await until(`the code cache ${cacheFile}`, () => {
    if (child.exitCode !== null) throw new Error(`the process that should record ${cacheFile} ended`);
    return existsSync(cacheFile);
  });
}

/** One step of training, which compiles most of what processes with a sampler or a learner run. */
const trained = {
  name: "recording",
  model: { path: "builtin:quickstart" },
  agent: { preset: "tiny" },
  data: {
    source: "ruler",
    ruler: {
      ...{ names: ["ben", "ken", "len"], values: ["bats", "cats", "hats"], fillers: [" rain and wind."] },
      ...{ count: 4, seed: 1, sentences: { min: 8, max: 8 } },
    },
  },
  rollout: { maxBatch: 8, maxTokens: 52 },
  learner: { preset: "memagent", groupSize: 4, buckets: [{ rows: 4, length: 52 }] },
  train: { steps: 1, groupsPerStep: 1 },
};

/** A GPU would compile each function for seconds. A setup that found no libtensorflow must not look for it again. */
const trains = { ...process.env, CUDA_VISIBLE_DEVICES: "-1", PALIMPSEST_SETUP: "off" };

/** Leaves a code cache of the commands, each of which adds itself to the program. @throws when they do not run */
export async function recordCommands(folder) {
  const dir = mkdtempSync(join(tmpdir(), "palimpsest-bundle-"));
  try {
    const recipe = join(dir, "recipe.yaml");
    writeFileSync(recipe, JSON.stringify(trained));
    const args = [join(folder, "commands.cjs"), "train", recipe, "--in-process"];
    await promisify(execFile)(process.execPath, args, { env: { ...trains, PALIMPSEST_DATA_DIR: dir } });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const learningProgram = `
import { createRequire } from "node:module";
const [program, recipe, ...shared] = process.argv.slice(1);
const bundled = {};
for (const text of shared) {
  const [name, url] = text.split("=");
  bundled[name] = await import(url);
}
globalThis[Symbol.for("palimpsest.bundled")] = bundled;
const { modules } = createRequire(import.meta.url)(program);
const names = Object.entries(modules).map(([specifier, load]) => [specifier, Object.keys(load())]);
const { parseRecipe, trainInProcess } = modules["@palimpsest/trainer"]();
await trainInProcess({ recipe: parseRecipe(recipe, process.cwd()) });
process.stdout.write(JSON.stringify(Object.fromEntries(names)), () => process.exit());
`;

/**
 * Leaves a code cache of the actors of training and of what they do, beside unbundled modules in place of those that they share.
 * @returns the names that each of their modules exports
 */
export async function recordLearning(folder, shared) {
  const places = shared.map(({ name, package: owner, file, original }) => {
    const path = join(packageDir(owner), file, "..", original);
    return `${name}=${pathToFileURL(path).href}`;
  });
  const flags = ["--input-type=module", "-e", learningProgram];
  const args = [...flags, join(folder, "learning.cjs"), JSON.stringify(trained), ...places];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: trains });
  return JSON.parse(stdout);
}

/** Leaves a code cache of each long program in the bundles' folder. @throws when the cluster does not run */
export async function recordCaches(folder) {
  const dir = mkdtempSync(join(tmpdir(), "palimpsest-bundle-"));
  const started = [];
  const run = async (args, until_) => {
    const child = spawn(process.execPath, [join(folder, "cli.cjs"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PALIMPSEST_DATA_DIR: dir, XDG_STATE_HOME: dir },
    });
    started.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    await until(`palimpsest ${args.slice(0, 2).join(" ")}`, () => {
      if (child.exitCode !== null) throw new Error(`palimpsest ${args.slice(0, 2).join(" ")}: ${output}`);
      return output.includes(until_);
    });
    return child;
  };
  let client;
  try {
    const headDir = join(dir, "head");
    const head = await run(["head", "start", "--data-dir", headDir], "listens on");
    const { address } = JSON.parse(readFileSync(join(headDir, "head.json"), "utf8"));
    const token = readFileSync(join(headDir, "token"), "utf8").trim();
    const joining = ["--address", address, "--token", token, "--node-dir", join(dir, "node")];
    const node = await run(["worker", "join", ...joining, "--cpus", "2"], "joined");
    const { connect } = await import(pathToFileURL(join(packageDir("client"), "dist/index.js")).href);
    client = await connect({ address, token, name: "bundle" });
    const actorFile = join(dir, "echo.mjs");
    writeFileSync(actorFile, actorSource);
    const { Echo } = await import(pathToFileURL(actorFile).href);
    const actor = await within(
      "the start of an actor",
      client.actor(Echo, { from: pathToFileURL(actorFile) }).spawn(),
    );
    await within("the first call of an actor", actor.echo("ok"));
    const [info] = await within("the list of actors", client.actors());
    await record(node, info.pid, join(folder, "worker.cache"));
    await record(node, node.pid, join(folder, "node.cache"));
    await record(head, head.pid, join(folder, "head.cache"));
  } finally {
    await within("the end of the client", Promise.resolve(client?.close())).catch(() => undefined);
    for (const child of started.reverse()) {
      if (child.exitCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(dir, { recursive: true, force: true });
  }
}
