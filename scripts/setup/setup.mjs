import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlesAreFresh, makeBundles } from "./bundle/bundle.mjs";
import { CommandError, run } from "./command.mjs";
import { machineGpus } from "./gpu/find.mjs";
import { ensureGpuLibraries } from "./gpu/gpu.mjs";
import { ensurePackages } from "./packages.mjs";
import { root } from "./paths.mjs";
import { ensurePnpm } from "./pnpm.mjs";
import { ensureProgram } from "./system-package.mjs";
import { ensureTensorflow } from "./tensorflow.mjs";

const redisPackages = { "apt-get": "redis-server", dnf: "redis", apk: "redis", brew: "redis" };

async function step(name, work) {
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

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Node ${process.versions.node} is too old: install Node 20.19, 22 or 24`);
  }
  return process.versions.node;
}

/** Everything that the project needs on this machine. Fast and without effect when it is all there. */
export async function setup() {
  process.stdout.write("Set-up\n");
  await step("Node", checkNode);
  let pnpm;
  await step("pnpm", async () => {
    pnpm = await ensurePnpm();
    return pnpm.version;
  });
  await step("packages", async (say) => {
    say("checking the lockfile");
    return (await ensurePackages(pnpm)) ? "installed" : "up to date";
  });
  await step("redis-server", () => ensureProgram("redis-server", redisPackages));
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
  await step("backend", async (say) => {
    try {
      const found = await ensureTensorflow(say);
      const missed =
        gpus.length > 0 && !found.gpu ? " on the CPU, NOT on the GPU: `npm run setup -- gpu` says why" : "";
      return `TensorFlow ${found.version}${found.gpu ? " on the GPU" : missed}`;
    } catch (error) {
      return `wasm (slower), because ${error instanceof Error ? error.message : error}`;
    }
  });
  await step("build", async () => {
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], { cwd: root });
  });
  await step("dashboard", async () => {
    const { buildPages } = await import(pathToFileURL(join(root, "packages/dashboard/build.mjs")).href);
    await buildPages();
  });
  await step("bundles", async () => {
    if (await bundlesAreFresh()) return "up to date";
    try {
      await makeBundles();
      return "made";
    } catch (error) {
      return `none, processes start slower, because ${error instanceof Error ? error.message : error}`;
    }
  });
}
