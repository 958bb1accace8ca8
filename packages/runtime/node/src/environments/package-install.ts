/** Installs npm packages in a folder with package.json and a lockfile, exactly as the lockfile says. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";
import { LineTail } from "../base/lines.js";
import { OutputFile } from "../base/output-file.js";

const maxLogBytes = 4 * 1024 * 1024;
/** The number of lines of the log that an error shows. */
const maxLines = 20;

export interface PackageInstall {
  /** The folder that has package.json and the lockfile, and gets the packages. */
  readonly folder: string;
  readonly installScripts: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** The file for the output of the package manager. */
  readonly logPath: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** @throws {PalimpsestError} ENVIRONMENT_FAILED with the end of the log; CANCELLED if the signal is aborted */
export async function installPackages(install: PackageInstall): Promise<void> {
  const { folder, environment, logPath, deadlineMs, signal } = install;
  const { program, args } = commandFor(install);
  const sentence = [program, ...args].join(" ");
  makeFolder(dirname(logPath), 0o700);
  const log = new OutputFile(logPath, { maxBytes: maxLogBytes });
  const last = new LineTail(maxLines);
  log.write(Buffer.from(`$ ${sentence}\n`));
  const child = spawn(program, args, {
    cwd: folder,
    env: speaking(environment),
    stdio: ["ignore", "pipe", "pipe"],
    // The package manager gets its own process group, so that scripts that it started end with it.
    detached: true,
  });
  let ended = "";
  const end = (why: string) => {
    ended ||= why;
    try {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process group has ended already.
    }
  };
  const onAbort = () => end("the node ends");
  const cancelTimer = systemClock.after(deadlineMs, () => end(`it took longer than ${deadlineMs} ms`));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    for (const source of [child.stdout, child.stderr])
      source.on("data", (chunk: Buffer) => {
        log.write(chunk);
        last.push(chunk);
      });
    const failure = await new Promise<string>((resolve) => {
      child.once("error", (reason) => resolve(startFailure(program, reason)));
      child.once("close", (code, by) =>
        resolve(ended || (code === 0 ? "" : `it ended with ${by ?? `exit code ${code}`}`)),
      );
    });
    if (signal.aborted) throw new PalimpsestError("CANCELLED", "the node ends");
    if (failure === "") return;
    throw new PalimpsestError(
      "ENVIRONMENT_FAILED",
      [`\`${sentence}\` failed: ${failure}`, ...last.lines()].join("\n"),
      { details: { log: logPath } },
    );
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
    log.close();
    // Kills whatever its scripts have left running.
    end("it has ended");
  }
}

/**
 * Returns an environment in which npm reports failures. A node that was started by an npm script has inherited that
 * script's log level, which may be silent.
 */
function speaking(environment: PackageInstall["environment"]): Record<string, string> {
  const others = Object.entries(environment).filter(([name]) => !/^npm_config_loglevel$/i.test(name));
  return { ...Object.fromEntries(others), CI: "true", npm_config_loglevel: "notice" };
}

function commandFor({ folder, installScripts }: PackageInstall): Command {
  const has = (name: string) => existsSync(join(folder, name));
  const scripts = installScripts ? "--ignore-scripts=false" : "--ignore-scripts";
  if (has("package-lock.json") || has("npm-shrinkwrap.json"))
    return { program: "npm", args: ["ci", "--omit=dev", scripts, "--no-audit", "--no-fund"] };
  if (has("pnpm-lock.yaml"))
    return {
      program: "pnpm",
      args: ["install", "--prod", "--frozen-lockfile", "--ignore-workspace", scripts],
    };
  throw new PalimpsestError(
    "ENVIRONMENT_FAILED",
    "there is no lockfile beside package.json: send package-lock.json, npm-shrinkwrap.json or pnpm-lock.yaml with it",
  );
}

function startFailure(program: string, reason: Error & { readonly code?: string }): string {
  return reason.code === "ENOENT"
    ? `${program} is not on the PATH of this node: install it there`
    : `it could not be started: ${reason.message}`;
}
