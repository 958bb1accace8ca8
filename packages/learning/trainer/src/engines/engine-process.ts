/** Responsibility: the process of a server that a run starts: starting, watching, and ending it with its actor.
 *  Not responsible for: what the server serves.
 *
 *  Invariants:
 *  ENGINE-1. The server ends when its actor ends, in whatever way: a guard process between the two ends the server
 *    when the pipe from the actor closes. The same holds for the program that prepares its file.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { EngineError } from "@palimpsest/engines";
import { withDeadline } from "@palimpsest/std";
import { engineGuard } from "./engine-guard.js";
import { endOfLog } from "./engine-log.js";

const graceMs = 10_000;
/** Size of a log; as much of the earlier output is kept in a second file. */
const defaultLogBytes = 16 * 2 ** 20;

export interface EngineCommand {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** File for its output, from the beginning; a second file has what came before the newest `logBytes`. */
  readonly logFile: string;
  readonly logBytes?: number;
}

export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #ended: Promise<number>;
  #running = true;
  /** The reason why the guard could not be started; empty if it could. */
  #failure = "";

  constructor(engine: EngineCommand) {
    const { command, arguments: args, environment, logFile, logBytes = defaultLogBytes } = engine;
    const given = [String(graceMs), logFile, String(logBytes), command, ...args];
    this.#child = spawn(process.execPath, ["-e", engineGuard, ...given], {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...environment },
      detached: true,
    });
    this.#logFile = logFile;
    this.#ended = once(this.#child, "exit")
      .then(([code]: unknown[]) => (typeof code === "number" ? code : 1))
      .catch((reason: unknown) => {
        this.#failure = String(reason);
        return 1;
      })
      .finally(() => {
        this.#running = false;
      });
    // A guard that has exited has closed its end.
    this.#child.stdin?.on("error", () => undefined);
  }

  get running(): boolean {
    return this.#running;
  }

  /** Resolves with the exit code when the program and everything it started have ended; 1 if a signal ended it. */
  get ended(): Promise<number> {
    return this.#ended;
  }

  /** The end of its output; empty if it printed nothing. */
  get said(): string {
    return this.#failure || endOfLog(this.#logFile);
  }

  /** Resolves when the server and everything it started have ended. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}

/**
 * Runs the program that prepares a server's file.
 * @param timeoutMs maximum duration
 * @throws {EngineError} UNREACHABLE with the program's output; the signal's reason; in each case after it has ended
 */
export async function runToEnd(
  program: EngineCommand,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const running = new EngineProcess(program);
  const [code, isLate] = await withDeadline({ timeoutMs, signals: [signal] }, async (within) => {
    within.addEventListener("abort", () => void running.stop(), { once: true });
    return [await running.ended, within.aborted] as const;
  });
  signal.throwIfAborted();
  if (code === 0 && !isLate) return;
  const what = isLate ? `did not end within startTimeoutMs ${timeoutMs}` : "failed";
  const said = running.said || `exit code ${code}, and it printed nothing`;
  throw new EngineError("UNREACHABLE", `rollout.engine.start.prepare: ${program.command} ${what}: ${said}`);
}
