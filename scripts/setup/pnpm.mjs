import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { output, run, which } from "./command.mjs";
import { cacheDir, root } from "./paths.mjs";

/** An installed package names none: pnpm is for checkouts. */
const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager?.split("@")[1];

/** The command line of the pinned pnpm; installed by npm into the cache when the PATH has another or none. */
export async function ensurePnpm() {
  if (which("pnpm") && output("pnpm", ["--version"], { cwd: root }) === wanted)
    return { command: ["pnpm"], version: wanted };
  const dir = join(cacheDir, "pnpm", wanted);
  const entry = join(dir, "node_modules/pnpm/bin/pnpm.cjs");
  if (!existsSync(entry)) {
    mkdirSync(dir, { recursive: true });
    await run("npm", ["install", "--prefix", dir, "--no-audit", "--no-fund", `pnpm@${wanted}`]);
  }
  return { command: [process.execPath, entry], version: wanted };
}
