import { Duplex } from "node:stream";
import type { Clock } from "@palimpsest/std";
import type { PalimpsestError } from "../base/error.js";
import type { FaultRule } from "./fault-plan.js";

/** What the relay needs of a call's real stream, whichever of its sides stream. */
export interface InnerStream {
  on(event: string, listener: (argument: never) => void): unknown;
  cancel(): void;
  getPeer(): string;
  readonly write?: (message: never, done: (error?: Error | null) => void) => unknown;
  readonly end?: () => unknown;
  readonly pause?: () => unknown;
  readonly resume?: () => unknown;
}

/**
 * Stands in for the stream of a call that is to fail: it relays the real stream and breaks it as the rule says. Without
 * a real stream (when a call fails before its callee receives it) it fails by itself.
 */
export class FaultyStream extends Duplex {
  readonly #inner: InnerStream | undefined;
  #ended = false;

  constructor(inner: InnerStream | undefined, rule: FaultRule, error: PalimpsestError, clock: Clock) {
    super({ objectMode: true, autoDestroy: false });
    this.#inner = inner;
    // A delay of zero still gives the caller one turn of the event loop to add its listeners.
    const breakOff = () => {
      inner?.cancel();
      this.#fail(error);
    };
    if (inner === undefined || rule.when === "in-flight") clock.after(rule.delayMs, breakOff);
    if (inner === undefined) return;
    for (const event of ["metadata", "status"]) inner.on(event, (value) => this.emit(event, value));
    inner.on("error", (reason: Error) => this.#fail(reason));
    if (inner.resume === undefined) return;
    inner.on("data", (message: unknown) => {
      if (!this.push(message)) inner.pause?.();
    });
    inner.on("end", () => {
      if (rule.when === "after") clock.after(rule.delayMs, () => this.#fail(error));
      else this.push(null);
    });
  }

  cancel(): void {
    if (this.#inner) this.#inner.cancel();
    else this.#ended = true;
  }

  getPeer(): string {
    return this.#inner?.getPeer() ?? "";
  }

  override _read(): void {
    this.#inner?.resume?.();
  }

  override _write(message: never, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.#inner?.write === undefined || this.#ended) done();
    else this.#inner.write(message, done);
  }

  override _final(done: () => void): void {
    this.#inner?.end?.();
    done();
  }

  #fail(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.emit("error", error);
  }
}
