/** Responsibility: the process of a server that a run starts: started, watched, ended with its actor.
 *  Not responsible for: what the server serves.
 *
 *  Invariants:
 *  ENGINE-1. The server ends when its actor does, however that ends: a guard between the two ends it when the pipe from the
 *            actor closes. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { EngineError } from "@palimpsest/engines";

const graceMs = 10_000;
const shownCharacters = 2_000;

/**
 * Starts what its arguments say in a process group of its own; ends the group when its own input closes. It is source
 * text since an actor's code may be a bundle, beside which no second file lies.
 */
const guard = `
const { spawn } = require("node:child_process");
const [graceMs, command, ...args] = process.argv.slice(1);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
const end = (signal) => { try { process.kill(-child.pid, signal); } catch {} };
child.on("error", (reason) => { console.error(String(reason)); process.exit(127); });
child.on("exit", (code) => { end("SIGKILL"); process.exit(code ?? 1); });
process.stdin.on("end", () => {
  end("SIGTERM");
  setTimeout(() => end("SIGKILL"), Number(graceMs));
});
process.stdin.resume();
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => {});
`;

export interface EngineCommand {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What it prints goes there, from the beginning. */
  readonly logFile: string;
}

export class EngineProcess {
  /** Source of the program between actor and server; its arguments: milliseconds of grace, command, arguments. */
  static readonly guard = guard;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  constructor({ command, arguments: args, environment, logFile }: EngineCommand) {
    const log = openSync(logFile, "w");
    try {
      this.#child = spawn(process.execPath, ["-e", guard, String(graceMs), command, ...args], {
        stdio: ["pipe", log, log],
        env: { ...environment },
        detached: true,
      });
    } finally {
      closeSync(log);
    }
    this.#logFile = logFile;
    // A guard that has gone has closed its end.
    this.#child.stdin?.on("error", () => undefined);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The last of what it printed. */
  get said(): string {
    return readFileSync(this.#logFile, "utf8").slice(-shownCharacters).trim();
  }

  /** Resolves when the server and what it started are gone. */
  async stop(): Promise<void> {
    if (!this.running) return;
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    await ended;
  }
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** @throws {EngineError} UNREACHABLE with what the program said */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: { readonly environment: EngineCommand["environment"]; readonly signal: AbortSignal },
): Promise<void> {
  const { environment, signal } = options;
  try {
    await promisify(execFile)(command, [...args], { env: { ...environment }, signal, maxBuffer: 2 ** 26 });
  } catch (reason) {
    signal.throwIfAborted();
    const { stderr = "", message = "" } = reason as { stderr?: string; message?: string };
    const said = (stderr.trim() || message).slice(-shownCharacters);
    throw new EngineError("UNREACHABLE", `rollout.engine.start.prepare: ${command} failed: ${said}`);
  }
}
