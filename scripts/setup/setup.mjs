import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./command.mjs";
import { ensurePackages } from "./packages.mjs";
import { isCheckout, root } from "./paths.mjs";
import { ensurePnpm } from "./pnpm.mjs";
import { checkNode, ensureBackend, ensureBundles, ensureRedis, step } from "./steps.mjs";

/** Everything that the project needs on this machine. Fast and without effect when it is all there. */
export async function setup() {
  process.stdout.write("Setup\n");
  await step("Node", checkNode);
  if (isCheckout) await installPackages();
  await ensureRedis();
  await ensureBackend();
  if (isCheckout) await build();
  await ensureBundles();
}

async function installPackages() {
  let pnpm;
  await step("pnpm", async () => {
    pnpm = await ensurePnpm();
    return pnpm.version;
  });
  await step("packages", async (say) => {
    return (await ensurePackages(pnpm, say)) ? "installed" : "up to date";
  });
}

/** Builds the packages whose sources have changed. @throws where they do not compile */
export async function compile() {
  // One checker per package: several check the same types again, which costs half as much processor time on top.
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-b", "--checkers", "1"], { cwd: root });
}

async function build() {
  await step("build", compile);
  await step("dashboard", async () => {
    const { buildPages } = await import(pathToFileURL(join(root, "packages/dashboard/build.mjs")).href);
    await buildPages();
  });
}
