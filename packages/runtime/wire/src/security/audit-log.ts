/**
 * Responsibility: writes one JSON line for each refused call and for each administrative call that a process answers.
 * Refusals have a file and a budget of their own, since strangers decide how many there are.
 * Not responsible for: which calls are audited (access.ts), or admitting and refusing them (authorization.ts).
 *
 * Invariants:
 * - AUDIT-1. A file and its predecessor together never exceed twice the bound.
 * - AUDIT-2. No line contains a token: a caller is named by role, certificate and the first characters of a digest.
 * - AUDIT-3. However many refusals there are, no line of an administrative call is omitted or removed because of them.
 * - AUDIT-4. When `record` returns, the line has been handed to the operating system, so that it survives a kill of the
 *   process that has already answered the call.
 */
import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@palimpsest/std";
import type { CallRecord } from "./authorization.js";

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

/** Returns the paths of the audit log's files in a folder. */
export function auditPathsOf(folder: string): Required<AuditPaths> {
  return { calls: join(folder, "audit.log"), refusals: join(folder, "refused.log") };
}

/** The files in which administrative calls and refusals are noted. */
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

  /** Closes the files. A later line opens its file again. */
  close(): void {
    this.#calls?.close();
    this.#refusals.close();
  }
}

class AuditFile {
  readonly #path: string;
  readonly #linesPerSecond: number;
  readonly #options: AuditOptions;
  readonly #maxBytes: number;
  /** The file stays open, because opening and closing it costs four times as much as writing a line. */
  #descriptor: number | undefined;
  #sizeBytes = 0;
  /** True once per second, when the file's path is checked before the next line. */
  #mayHaveMoved = false;
  #secondStartsMs = 0;
  #lines = 0;
  #left = 0;

  constructor(path: string, linesPerSecond: number, options: AuditOptions) {
    this.#path = path;
    this.#linesPerSecond = linesPerSecond;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
  }

  write(call: CallRecord): void {
    const now = this.#options.clock.monotonicMs();
    if (now - this.#secondStartsMs >= 1_000) {
      this.#secondStartsMs = now;
      this.#lines = 0;
      this.#mayHaveMoved = true;
      if (this.#left > 0) this.#append({ at: this.#at(), leftOut: this.#left });
      this.#left = 0;
    }
    if (this.#lines >= this.#linesPerSecond) {
      this.#left += 1;
      return;
    }
    this.#lines += 1;
    const { method, peer, outcome, refused, caller } = call;
    this.#append({
      at: this.#at(),
      // A stranger chooses the path of a refused request, so its length is bounded.
      method: method.slice(0, longestMethod),
      peer,
      outcome,
      refused,
      role: caller?.tokenRole,
      tokenId: caller?.tokenId,
      certificate: caller?.certificate,
    });
  }

  #at(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }

  #append(fields: object): void {
    const line = `${JSON.stringify(fields)}\n`;
    const sizeBytes = Buffer.byteLength(line);
    try {
      if (this.#mayHaveMoved) this.#closeIfMoved();
      const isOpen = this.#descriptor ?? this.#open();
      const rotates = this.#sizeBytes > 0 && this.#sizeBytes + sizeBytes > this.#maxBytes;
      if (rotates) {
        this.close();
        renameSync(this.#path, `${this.#path}.1`);
      }
      writeAll(rotates ? this.#open() : isOpen, line);
      this.#sizeBytes += sizeBytes;
    } catch (reason) {
      this.close();
      // A full disk must not stop the process, so the line goes to the process's own log.
      this.#options.onError(reason, fields);
    }
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #open(): number {
    const descriptor = openSync(this.#path, "a", 0o600);
    this.#descriptor = descriptor;
    this.#sizeBytes = fstatSync(descriptor).size;
    return descriptor;
  }

  /**
   * Closes the file if its path now names another one or none, as after a log rotation, so that the next line opens a
   * new file.
   */
  #closeIfMoved(): void {
    this.#mayHaveMoved = false;
    if (this.#descriptor === undefined) return;
    const named = statSync(this.#path, { throwIfNoEntry: false });
    const open = fstatSync(this.#descriptor);
    if (named?.ino !== open.ino || named.dev !== open.dev) this.close();
  }
}

function writeAll(descriptor: number, line: string): void {
  const bytes = Buffer.from(line);
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(descriptor, bytes, written);
}
