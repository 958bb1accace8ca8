/**
 * Responsibility: one JSON line for each refused call and each administrative one, in audit.log of the head's folder.
 *
 * Invariants:
 * - AUDIT-1. The log and the one before it never take more than twice the bound.
 * - AUDIT-2. No line holds a token: a caller is named by role, certificate and the first characters of a digest.
 */
import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "@palimpsest/telemetry";
import type { CallRecord, Clock } from "@palimpsest/wire";

const maxBytes = 16 * 1024 * 1024;
/** Refused calls come as fast as a stranger sends them: above this the rest of the second is counted, not written. */
const linesPerSecond = 200;
/** Characters of a method or path that a line shows. */
const longestMethod = 200;

export function auditPathOf(dataDir: string): string {
  return join(dataDir, "audit.log");
}

export class AuditLog {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #maxBytes: number;
  #sizeBytes: number;
  #secondStartsMs = 0;
  #lines = 0;
  #left = 0;

  constructor(
    path: string,
    deps: { readonly clock: Clock; readonly logger: Logger; readonly maxBytes?: number },
  ) {
    this.#path = path;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#maxBytes = deps.maxBytes ?? maxBytes;
    this.#sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  readonly record = (call: CallRecord): void => {
    const now = this.#clock.monotonicMs();
    if (now - this.#secondStartsMs >= 1_000) {
      this.#secondStartsMs = now;
      this.#lines = 0;
      if (this.#left > 0) this.#write({ leftOut: this.#left });
      this.#left = 0;
    }
    if (this.#lines >= linesPerSecond) {
      this.#left += 1;
      return;
    }
    this.#lines += 1;
    const { method, peer, outcome, refused, caller } = call;
    this.#write({
      // A stranger chooses the path of a refused request: it must not fill the log.
      method: method.slice(0, longestMethod),
      peer,
      outcome,
      refused,
      ...(caller ? { role: caller.tokenRole, tokenId: caller.tokenId } : {}),
      ...(caller?.certificate ? { certificate: caller.certificate } : {}),
    });
  };

  #write(fields: object): void {
    const line = `${JSON.stringify({ at: new Date(this.#clock.now()).toISOString(), ...fields })}\n`;
    try {
      if (this.#sizeBytes + line.length > this.#maxBytes) {
        renameSync(this.#path, `${this.#path}.1`);
        this.#sizeBytes = 0;
      }
      appendFileSync(this.#path, line, { mode: 0o600 });
      this.#sizeBytes += line.length;
    } catch (reason) {
      // A full disk must not stop the cluster: the line goes to the head's own log.
      this.#logger.error({ err: reason, audit: fields }, "audit log cannot be written");
    }
  }
}
