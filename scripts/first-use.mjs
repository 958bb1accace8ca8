// The first use of an installed command: what its tarball cannot bring is fetched and built before the command runs.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheDir, isCheckout, root } from "./setup/paths.mjs";

/**
 * Commands that compute with tensors, or whose only use is to start processes that do. All others run as they are: a process
 * of theirs that turns out to need tensors fetches libtensorflow itself (packages/learning/jit/src/backend/fetched-tensorflow.ts). So does
 * `mcp`, whose client would give it up while it sets itself up.
 */
const computing = new Set(["quickstart", "train", "ask", "serve", "model", "eval", "loss"]);
/** With these a command computes nothing here. */
const elsewhere = /^(--help|-h|--dry-run|--endpoint(=.*)?)$/;
/** What setup left here: it is asked once for each Node.js and each version of the package. */
const markFile = join(root, ".set-up.json");

const state = () =>
  JSON.stringify({
    version: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version,
    node: process.versions.node,
  });

const isSetUp = () => existsSync(markFile) && readFileSync(markFile, "utf8") === state();

/** Remembers that setup has run; in a folder that cannot be written to, setup runs each time. */
export function rememberSetup() {
  if (isCheckout) return;
  try {
    writeFileSync(markFile, state());
  } catch {
    // The installation belongs to another user, who runs `palimpsest setup`.
  }
}

/**
 * Sets up what the command needs, unless that was done before or PALIMPSEST_SETUP=off forbids it. Setup prints to standard
 * error, because standard output belongs to the command. If the backend cannot be installed, the command runs with a slower one.
 * @returns whether the command may run
 */
export function firstUse(args) {
  const needs = computing.has(args[0]) && !args.some((arg) => elsewhere.test(arg));
  // What `ask` reads is looked for before the minutes of a setup; the command itself says what is wrong with it.
  const [command, source = "-"] = args;
  if (command === "ask" && !source.startsWith("-") && !existsSync(source)) return true;
  if (!needs || process.env.PALIMPSEST_SETUP === "off" || isSetUp()) return true;
  process.stderr.write(
    [
      "palimpsest runs here for the first time and sets itself up; PALIMPSEST_SETUP=off skips that.",
      `It fetches libtensorflow as a Python package with pip, once, into ${cacheDir} (PALIMPSEST_CACHE names another folder),`,
      `builds tfjs's addon for it and bundles of its programs in ${root}, and installs redis-server, pip and a C++ compiler`,
      "where they are missing. Each step says what it does, and the size of what it downloads; together they take minutes.",
      "It can be stopped and run again: what was downloaded is kept.",
      "",
    ].join("\n"),
  );
  const setup = fileURLToPath(new URL("setup.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [setup], { stdio: ["inherit", 2, 2] });
  return status === 0;
}
