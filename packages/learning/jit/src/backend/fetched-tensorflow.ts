/**
 * Fetches libtensorflow when the first process of a machine needs it. An installed command joins a cluster and runs actors
 * without it, and most machines never need it.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { JitError } from "../base/error.js";

/** This package as it is installed, where its setup is; a checkout has been set up as a whole. */
const ownFolder = fileURLToPath(new URL("../..", import.meta.url));

export interface FetchOptions {
  /** Folder of this package, for tests. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where it says that the machine waits for a download. Default: standard error. */
  readonly say?: (line: string) => void;
}

/**
 * Runs the setup of TensorFlow if this package was installed with the command and nothing has been set up. Does nothing
 * with PALIMPSEST_SETUP=off, or where a setup has already found out that there is none.
 * @throws {JitError} BACKEND_UNAVAILABLE with the reason and what to do
 */
export async function fetchTensorflow(options: FetchOptions = {}): Promise<void> {
  const { folder = ownFolder, environment = process.env, say = sayOnStderr } = options;
  const setup = join(folder, "scripts/tensorflow.mjs");
  // node_modules/palimpsest/node_modules/@palimpsest/jit
  const command = join(folder, "../../..");
  const isOfCommand = existsSync(join(command, "scripts/first-use.mjs"));
  if (environment["PALIMPSEST_SETUP"] === "off" || !isOfCommand || !existsSync(setup)) return;
  if (existsSync(join(command, ".set-up.json")) || hasAddon(folder)) return;
  say(
    "libtensorflow is needed for the first time on this machine: it is fetched now, once, as `palimpsest setup` does\n",
  );
  const { code, said } = await run(setup, say);
  if (code === 0) return;
  const cause =
    /, because (.*)$/m.exec(said)?.[1] ?? said.trim().split("\n").at(-1) ?? `it ended with ${code}`;
  throw new JitError(
    "BACKEND_UNAVAILABLE",
    `libtensorflow is not on this machine and could not be fetched: ${cause}; run \`npx palimpsest setup\` there, ` +
      "or start the worker with PALIMPSEST_SETUP=off to compute on wasm, more slowly",
  );
}

function hasAddon(folder: string): boolean {
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve(
      "@tensorflow/tfjs-node-gpu/package.json",
    );
    return existsSync(join(dirname(manifest), "lib/napi-v8/tfjs_binding.node"));
  } catch {
    return false;
  }
}

function sayOnStderr(line: string): void {
  process.stderr.write(line);
}

/** Passes on what the setup says while it works, such as how much of a download has arrived. */
function run(
  script: string,
  say: (line: string) => void,
): Promise<{ readonly code: number | null; readonly said: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    createInterface(child.stdout).on("line", (line) => {
      if (/^ +· /.test(line)) say(`${line}\n`);
    });
    child.once("error", (reason) => resolve({ code: null, said: reason.message }));
    child.once("close", (code) => resolve({ code, said }));
  });
}
