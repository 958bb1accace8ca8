/**
 * One child process from spawn to end: its pid, its last lines, and its end, in order or by force.
 *
 * Responsibility: the process and everything that it starts, which share a process group (spawn it with `detached`).
 * Not responsible for: the purpose of the process.
 *
 * Invariants:
 * - PROCESS-1. `ended` resolves exactly once, even if the process could not be started, and never rejects.
 * - PROCESS-2. When the promise of stop() resolves, the process is gone: SIGTERM, then SIGKILL after the grace
 *   period.
 * - PROCESS-3. No process that it started in its process group outlives it.
 */
import type { ChildProcess } from "node:child_process";
import { systemClock } from "@palimpsest/std";
import type { DeathCertificate } from "@palimpsest/wire/protocol";
import { LineTail } from "../base/lines.js";
import { killHint, oomKills, preferForOomKill } from "../base/oom.js";

const maxStderrLines = 50;
/**
 * The milliseconds for which the output of a process that has exited is awaited. A grandchild may keep the pipe open.
 */
const outputGraceMs = 300;

export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly signal: string;
  readonly lastStderrLines: readonly string[];
  readonly lastSignMs: number;
  readonly diedAtMs: number;
  /** Why it could not be started at all. */
  readonly spawnError: Error | undefined;
  /** Who may have killed it, after a SIGKILL that was not sent from here; otherwise empty. */
  readonly killHint: string;
}

export class SupervisedProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #stderr = new LineTail(maxStderrLines);
  #lastSignMs = Date.now();
  #stopReason: string | undefined;
  #cancelKill: (() => void) | undefined;
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

  /** Records a heartbeat. */
  alive(): void {
    this.#lastSignMs = Date.now();
  }

  /** Starts its record at this moment, because until now the process has only waited for its work. */
  begin(): void {
    this.alive();
    this.#stderr = new LineTail(maxStderrLines);
    this.#oomKillsBefore = oomKills();
  }

  /** Why it was stopped; undefined if it was not. */
  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  stop(graceMs: number, reason: string): Promise<ProcessEnd> {
    this.#stopReason ??= reason;
    if (graceMs > 0) this.#child.kill("SIGTERM");
    else this.#killGroup();
    if (graceMs > 0) {
      this.#cancelKill?.();
      this.#cancelKill = systemClock.after(graceMs, () => this.#killGroup());
    }
    return this.ended;
  }

  /** Kills the process and everything that it started. The group's id is not reused while one of them is alive. */
  #killGroup(): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, "SIGKILL");
    } catch {
      // The process leads no group, or all processes of the group have ended.
    }
    this.#child.kill("SIGKILL");
  }

  #watch(): Promise<ProcessEnd> {
    return new Promise((resolve) => {
      const end = (exitCode: number | null, signal: string | null, spawnError?: Error) => {
        this.#cancelKill?.();
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
        // Output that came while this process was busy is read between the timer and the immediate.
        const timer = setTimeout(() => setImmediate(() => end(exitCode, signal)), outputGraceMs);
        this.#child.once("close", () => {
          clearTimeout(timer);
          end(exitCode, signal);
        });
      });
    });
  }
}

/** Returns the fields of a death certificate. */
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

/** Returns how it ended, as a text for people that begins with "its process". */
export function endSentence(end: ProcessEnd): string {
  if (end.spawnError) return `its process could not be started: ${end.spawnError.message}`;
  if (end.signal) return `its process was killed by ${end.signal}${end.killHint}`;
  return `its process exited with code ${end.exitCode}`;
}
