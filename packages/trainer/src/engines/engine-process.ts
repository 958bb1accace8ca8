/** Responsibility: the process of a server that a run starts: started, watched, ended with its actor.
 *  Not responsible for: what the server serves.
 *
 *  Invariants:
 *  ENGINE-1. The server ends when its actor does, however that ends: a guard between the two ends it when the pipe from the
 *            actor closes. So does a program that prepares its file. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { EngineError } from "@palimpsest/engines";
import { engineGuard } from "./engine-guard.js";
import { endOfLog } from "./engine-log.js";

const graceMs = 10_000;
/** Of a log; as much of what was printed before is kept beside it. */
const defaultLogBytes = 16 * 2 ** 20;

export interface EngineCommand {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What it prints goes there, from the beginning; in a second file lies what came before the newest `logBytes`. */
  readonly logFile: string;
  readonly logBytes?: number;
}

export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #ended: Promise<number>;
  #running = true;
  /** Why there is no guard. */
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
    // A guard that has gone has closed its end.
    this.#child.stdin?.on("error", () => undefined);
  }

  get running(): boolean {
    return this.#running;
  }

  /** Resolves with the exit code when the program and what it started are gone; 1 where a signal ended it. */
  get ended(): Promise<number> {
    return this.#ended;
  }

  /** The last of what it printed; empty where it printed nothing. */
  get said(): string {
    return this.#failure || endOfLog(this.#logFile);
  }

  /** Resolves when the server and what it started are gone. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}

/**
 * Runs what prepares a server's file.
 * @param timeoutMs longest time that it may take
 * @throws {EngineError} UNREACHABLE with what the program said; the signal's reason; in each case when it is gone
 */
export async function runToEnd(
  program: EngineCommand,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const running = new EngineProcess(program);
  const late = AbortSignal.timeout(timeoutMs);
  const stop = () => void running.stop();
  for (const end of [signal, late]) end.addEventListener("abort", stop, { once: true });
  const code = await running.ended;
  for (const end of [signal, late]) end.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (code === 0 && !late.aborted) return;
  const what = late.aborted ? `did not end within startTimeoutMs ${timeoutMs}` : "failed";
  const said = running.said || `exit code ${code}, and it printed nothing`;
  throw new EngineError("UNREACHABLE", `rollout.engine.start.prepare: ${program.command} ${what}: ${said}`);
}
