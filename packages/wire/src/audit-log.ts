/**
 * Responsibility: writes one JSON line for each refused call and for each administrative call that a process answers.
 * Refusals have a file and a budget of their own, since strangers decide how many there are.
 * Not responsible for: which calls are audited (access.ts), or admitting and refusing them (authorization.ts).
 *
 * Invariants:
 * - AUDIT-1. A file and its predecessor together never exceed twice the bound.
 * - AUDIT-2. No line contains a token: a caller is named by role, certificate and the first characters of a digest.
 * - AUDIT-3. However many refusals there are, no line of an administrative call is omitted or removed because of them.
 */
import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CallRecord } from "./authorization.js";
import type { Clock } from "./clock.js";

const defaultMaxBytes = 16 * 1024 * 1024;
/**
 * Refusals above this number per second are counted and not written, because strangers can send refused calls as fast
 * as they like.
 */
const refusalsPerSecond = 200;
/**
 * Administrative calls above this number per second are counted and not written. The rate limit of a connection already
 * bounds them; this bounds what a program in a loop writes.
 */
const callsPerSecond = 2_000;
/** How many characters of a method or path a line shows. */
const longestMethod = 200;

export interface AuditOptions {
  readonly clock: Clock;
  /** Called with the fields of a line that cannot be written, so that the caller can log them elsewhere. */
  readonly onError: (reason: unknown, fields: object) => void;
  /** The largest size of one file in bytes. */
  readonly maxBytes?: number;
}

/** Paths of the two files. A process without administrative calls has only the file of refusals. */
export interface AuditPaths {
  readonly calls?: string;
  readonly refusals: string;
}

export function auditPathsOf(folder: string): Required<AuditPaths> {
  return { calls: join(folder, "audit.log"), refusals: join(folder, "refused.log") };
}

export class AuditLog {
  readonly #calls: AuditFile | undefined;
  readonly #refusals: AuditFile;

  constructor(paths: AuditPaths, options: AuditOptions) {
    this.#calls = paths.calls === undefined ? undefined : new AuditFile(paths.calls, callsPerSecond, options);
    this.#refusals = new AuditFile(paths.refusals, refusalsPerSecond, options);
  }

  readonly record = (call: CallRecord): void => {
    const file = call.refused ? this.#refusals : this.#calls;
    file?.write(call);
  };
}

class AuditFile {
  readonly #path: string;
  readonly #linesPerSecond: number;
  readonly #options: AuditOptions;
  readonly #maxBytes: number;
  #sizeBytes: number;
  #secondStartsMs = 0;
  #lines = 0;
  #left = 0;

  constructor(path: string, linesPerSecond: number, options: AuditOptions) {
    this.#path = path;
    this.#linesPerSecond = linesPerSecond;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
    this.#sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(call: CallRecord): void {
    const now = this.#options.clock.monotonicMs();
    if (now - this.#secondStartsMs >= 1_000) {
      this.#secondStartsMs = now;
      this.#lines = 0;
      if (this.#left > 0) this.#append({ leftOut: this.#left });
      this.#left = 0;
    }
    if (this.#lines >= this.#linesPerSecond) {
      this.#left += 1;
      return;
    }
    this.#lines += 1;
    const { method, peer, outcome, refused, caller } = call;
    this.#append({
      // A stranger chooses the path of a refused request, so its length is bounded.
      method: method.slice(0, longestMethod),
      peer,
      outcome,
      refused,
      ...(caller ? { role: caller.tokenRole, tokenId: caller.tokenId } : {}),
      ...(caller?.certificate ? { certificate: caller.certificate } : {}),
    });
  }

  #append(fields: object): void {
    const at = new Date(this.#options.clock.now()).toISOString();
    const line = `${JSON.stringify({ at, ...fields })}\n`;
    const sizeBytes = Buffer.byteLength(line);
    try {
      if (this.#sizeBytes + sizeBytes > this.#maxBytes) {
        renameSync(this.#path, `${this.#path}.1`);
        this.#sizeBytes = 0;
      }
      appendFileSync(this.#path, line, { mode: 0o600 });
      this.#sizeBytes += sizeBytes;
    } catch (reason) {
      // A full disk must not stop the process, so the line goes to the process's own log.
      this.#options.onError(reason, fields);
    }
  }
}
