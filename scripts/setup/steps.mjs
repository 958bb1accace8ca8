// What a machine needs beside the packages: the same for a checkout and for an installed package.
import { bundlesAreFresh, makeBundles } from "./bundle/bundle.mjs";
import { CommandError } from "./command.mjs";
import { machineGpus } from "./gpu/find.mjs";
import { ensureGpuLibraries } from "./gpu/gpu.mjs";
import { ensureProgram } from "./system-package.mjs";
import { ensureTensorflow } from "./tensorflow.mjs";

const gpuCommand = "npx palimpsest setup gpu";
const redisPackages = { "apt-get": "redis-server", dnf: "redis", apk: "redis", brew: "redis" };

/** Runs one step and says in one line what came of it; a step that fails ends the process. */
export async function step(name, work) {
  const startedAt = performance.now();
  const say = (what) => process.stdout.write(`  · ${what}\n`);
  try {
    const found = await work(say);
    const seconds = (performance.now() - startedAt) / 1000;
    process.stdout.write(
      `  ✓ ${name}${found ? ` ${found}` : ""}${seconds > 1 ? ` (${seconds.toFixed(0)} s)` : ""}\n`,
    );
  } catch (error) {
    if (error instanceof CommandError)
      process.stderr.write(`${error.log.split("\n").slice(-20).join("\n")}\n`);
    process.stderr.write(`  ✗ ${name}: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

export function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Node ${process.versions.node} is too old: install Node 20.19, 22 or 24`);
  }
  return process.versions.node;
}

/** The queues' server, through the system's package manager. */
export async function ensureRedis() {
  await step("redis-server", () => ensureProgram("redis-server", redisPackages));
}

/** libtensorflow, its addon, and the GPU's libraries where there is one. Says whether TensorFlow runs. */
export async function ensureBackend() {
  const gpus = process.platform === "linux" && process.arch === "x64" ? machineGpus() : [];
  if (gpus.length > 0)
    await step("GPU", async (say) => {
      try {
        const { cuda, changed } = await ensureGpuLibraries(say);
        return `${gpus.join(", ")}: libraries of CUDA ${cuda} ${changed ? "linked" : "up to date"}`;
      } catch (error) {
        return `${gpus.join(", ")} is not used, because ${error instanceof Error ? error.message : error}`;
      }
    });
  let runs = false;
  await step("backend", async (say) => {
    try {
      const found = await ensureTensorflow(say);
      runs = true;
      const missed =
        gpus.length > 0 && !found.gpu ? ` on the CPU, NOT on the GPU: \`${gpuCommand}\` says why` : "";
      return `TensorFlow ${found.version}${found.gpu ? " on the GPU" : missed}`;
    } catch (error) {
      return `wasm (slower), because ${error instanceof Error ? error.message : error}`;
    }
  });
  return runs;
}

/** Bundles of the programs that are started often. */
export async function ensureBundles() {
  await step("bundles", async (say) => {
    if (await bundlesAreFresh()) return "up to date";
    say("bundling the programs, once, so that each starts in a third of the time; this can take a minute");
    try {
      await makeBundles();
      return "made";
    } catch (error) {
      // Of a program that failed only its error is told: the message names the program with its whole text.
      const [cause] = /^\w*Error: .*$/m.exec(error.stderr ?? "") ?? [error.message];
      return `none, so processes start more slowly, because ${cause}`;
    }
  });
}
