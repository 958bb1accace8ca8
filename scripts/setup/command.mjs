import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of a program on PATH, or undefined. */
export function which(program) {
  for (const dir of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(dir, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The program is not in this folder; the next one is tried.
    }
  }
  return undefined;
}

/** Standard output of a short command, or undefined when it fails. */
export function output(program, args, options = {}) {
  const result = spawnSync(program, args, { encoding: "utf8", timeout: 60_000, ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** What a failed command said, for the one line that tells of it. */
export class CommandError extends Error {
  constructor(program, args, code, log) {
    super(`\`${[program, ...args].join(" ")}\` ended with ${code}`);
    this.log = log;
  }
}

/** Runs a command to its end, keeping what it prints; with `show`, prints it as it comes. */
export function run(program, args, { show = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: show ? "inherit" : ["ignore", "pipe", "pipe"], ...options });
    let log = "";
    child.stdout?.on("data", (chunk) => (log += chunk));
    child.stderr?.on("data", (chunk) => (log += chunk));
    child.on("error", (error) => reject(new CommandError(program, args, error.message, log)));
    child.on("close", (code, signal) =>
      code === 0 ? resolve(log) : reject(new CommandError(program, args, signal ?? code, log)),
    );
  });
}
