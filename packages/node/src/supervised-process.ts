/**
 * One child process from spawn to end: its pid, its last words, its end in order or by force.
 *
 * Responsibility: the process and all that it starts, which share a process group (spawn it with `detached`).
 * Not responsible for: what the process is for.
 *
 * Invariants:
 * - PROCESS-1. `ended` settles exactly once, also when the process could not be started, and never rejects.
 * - PROCESS-2. After stop() the process is gone when the promise settles: SIGTERM, then SIGKILL after the grace.
 * - PROCESS-3. What it started in its group does not outlive it.
 */
import type { ChildProcess } from "node:child_process";
import type { DeathCertificate } from "@palimpsest/wire/protocol";
import { LineTail } from "./lines.js";
import { killHint, oomKills, preferForOomKill } from "./oom.js";

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
  /** Who may have killed it, after a SIGKILL that nobody here sent; else empty. */
  readonly killHint: string;
}

export class SupervisedProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #stderr = new LineTail(maxStderrLines);
  #lastSignMs = Date.now();
  #stopReason: string | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #oomKillsBefore = oomKills();

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    if (this.pid > 0) preferForOomKill(this.pid);
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

  /** What its end tells counts from here on: it has waited for its work until now. */
  begin(): void {
    this.alive();
    this.#stderr = new LineTail(maxStderrLines);
    this.#oomKillsBefore = oomKills();
  }

  /** Why it was asked to end; undefined when nobody asked. */
  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  stop(graceMs: number, reason: string): Promise<ProcessEnd> {
    this.#stopReason ??= reason;
    if (graceMs > 0) this.#child.kill("SIGTERM");
    else this.#killGroup();
    if (graceMs > 0) {
      clearTimeout(this.#killTimer);
      this.#killTimer = setTimeout(() => this.#killGroup(), graceMs);
    }
    return this.ended;
  }

  /** Ends the process and what it started. The group's number is not given anew while one of them lives. */
  #killGroup(): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, "SIGKILL");
    } catch {
      // No group of its own, or nothing left of it.
    }
    this.#child.kill("SIGKILL");
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
          killHint:
            signal === "SIGKILL" && this.#stopReason === undefined
              ? killHint(this.#oomKillsBefore, oomKills())
              : "",
        });
      };
      this.#child.once("error", (error) => {
        if (this.#child.pid === undefined) end(null, null, error);
      });
      this.#child.once("exit", (exitCode, signal) => {
        this.#killGroup();
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
  if (end.signal) return `its process was killed by ${end.signal}${end.killHint}`;
  return `its process exited with code ${end.exitCode}`;
}
