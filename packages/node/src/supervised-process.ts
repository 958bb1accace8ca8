/**
 * Job: one child process from spawn to end: knows its pid, keeps its last words, ends it in order or by force.
 * Non-job: what the process is for.
 *
 * E1. `ended` settles exactly once, also when the process could not be started, and never rejects.
 * E2. After stop() the process is gone when the promise settles: SIGTERM, then SIGKILL after the grace.
 */
import type { ChildProcess } from "node:child_process";
import type { DeathCertificate } from "@palimpsest/wire/protocol";
import { LineTail } from "./lines.js";

const maxStderrLines = 50;
/** How long output of a process that has exited is waited for: a grandchild may hold the pipe. */
const outputGraceMs = 300;

export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly signal: string;
  readonly lastStderrLines: readonly string[];
  readonly lastSignMs: number;
  readonly diedAtMs: number;
  /** Why it could not be started at all. */
  readonly spawnError: Error | undefined;
}

export class SupervisedProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #stderr = new LineTail(maxStderrLines);
  #lastSignMs = Date.now();
  #stopReason: string | undefined;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr.push(chunk);
      this.alive();
    });
    child.stdout?.on("data", () => this.alive());
    this.ended = this.#watch();
  }

  /** Notes a sign of life. */
  alive(): void {
    this.#lastSignMs = Date.now();
  }

  /** Why it was asked to end; undefined when nobody asked. */
  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  stop(graceMs: number, reason: string): Promise<ProcessEnd> {
    this.#stopReason ??= reason;
    this.#child.kill(graceMs > 0 ? "SIGTERM" : "SIGKILL");
    if (graceMs > 0) {
      clearTimeout(this.#killTimer);
      this.#killTimer = setTimeout(() => this.#child.kill("SIGKILL"), graceMs);
    }
    return this.ended;
  }

  #watch(): Promise<ProcessEnd> {
    return new Promise((resolve) => {
      const end = (exitCode: number | null, signal: string | null, spawnError?: Error) => {
        clearTimeout(this.#killTimer);
        resolve({
          exitCode: exitCode ?? undefined,
          signal: signal ?? "",
          lastStderrLines: this.#stderr.lines(),
          lastSignMs: this.#lastSignMs,
          diedAtMs: Date.now(),
          spawnError,
        });
      };
      this.#child.once("error", (error) => {
        if (this.#child.pid === undefined) end(null, null, error);
      });
      this.#child.once("exit", (exitCode, signal) => {
        const timer = setTimeout(() => end(exitCode, signal), outputGraceMs);
        this.#child.once("close", () => {
          clearTimeout(timer);
          end(exitCode, signal);
        });
      });
    });
  }
}

/** What is written on the death certificate. */
export function certificateOf(
  end: ProcessEnd,
  facts: { readonly reason: string; readonly nodeId: string; readonly ownerId: string; readonly pid: number },
): DeathCertificate.$Properties {
  return {
    ...facts,
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    signal: end.signal,
    lastStderrLines: [...end.lastStderrLines],
    lastHeartbeatMs: end.lastSignMs,
    diedAtMs: end.diedAtMs,
  };
}

/** "its process …": how it ended, for a person. */
export function endSentence(end: ProcessEnd): string {
  if (end.spawnError) return `its process could not be started: ${end.spawnError.message}`;
  if (end.signal) return `its process was killed by ${end.signal}`;
  return `its process exited with code ${end.exitCode}`;
}
