import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./command.mjs";
import { ensurePackages } from "./packages.mjs";
import { isCheckout, packageFolders, root } from "./paths.mjs";
import { ensurePnpm } from "./pnpm.mjs";
import { checkNode, ensureBackend, ensureBundles, ensureRedis, step } from "./steps.mjs";

/** Everything that the project needs on this machine. Fast and without effect when it is all there. */
export async function setup() {
  process.stdout.write("Setup\n");
  await step("Node", checkNode);
  if (isCheckout) await installPackages();
  await ensureRedis();
  // The compiler computes while libtensorflow is downloaded. What it builds is run only after both.
  await Promise.all([ensureBackend(), ...(isCheckout ? [step("build", compile)] : [])]);
  if (isCheckout) await makePages();
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

/** Builds the packages whose sources or protos have changed. @throws where they do not compile */
export async function compile() {
  const { generateProtos } = await import(pathToFileURL(join(root, "scripts/generate-protos.mjs")).href);
  generateProtos();
  // One checker per package: several check the same types again, which costs half as much processor time on top.
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-b", "--checkers", "1"], { cwd: root });
}

/** Writes what is made from sources and not committed: Grafana's dashboards, and pages where something was built after them. */
export async function writePages() {
  await run(process.execPath, [join(root, "scripts/generate-grafana.mjs")], { cwd: root });
  const schema = join(root, "docs/recipe.schema.json");
  const builtAtMs = [...packageFolders.values()].map(
    (folder) => statSync(join(root, folder, "tsconfig.tsbuildinfo")).mtimeMs,
  );
  if (existsSync(schema) && statSync(schema).mtimeMs >= Math.max(...builtAtMs)) return;
  await run(process.execPath, [join(root, "scripts/generate-docs.mjs"), "--pages"], { cwd: root });
}

async function makePages() {
  await step("documents", writePages);
  await step("dashboard", async () => {
    const { buildPages } = await import(pathToFileURL(join(root, "packages/apps/dashboard/build.mjs")).href);
    await buildPages();
  });
}
