import { appendFileSync } from "node:fs";

/** Writes the number of every call that it runs, so that a file says which calls ran, and how often, over its restarts. */
export class CallLedger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  note(call: number): number {
    appendFileSync(this.#path, `${call}\n`);
    return call;
  }
}
