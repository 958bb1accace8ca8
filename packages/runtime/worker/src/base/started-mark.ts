import { openSync, writeSync } from "node:fs";

/**
 * A file that says which call began last. It is written before the call runs, and the kernel keeps it whatever
 * happens to the process: after a kill it shows which calls have not run.
 */
export class StartedMark {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(8);

  private constructor(file: number) {
    this.#file = file;
    this.write(0);
  }

  /** @throws if the file cannot be created */
  static open(path: string): StartedMark {
    return new StartedMark(openSync(path, "w", 0o600));
  }

  write(callId: number): void {
    this.#bytes.writeBigUInt64LE(BigInt(callId));
    writeSync(this.#file, this.#bytes, 0, 8, 0);
  }
}
