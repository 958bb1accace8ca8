/**
 * Responsibility: separating what light actors write to standard output and standard error: a file for each, created
 * at its first write.
 * Not responsible for: the file of the process, which has all output and is written by the node, or how long files
 * are kept.
 *
 * Output from outside of any actor's code is only in the file of the process: that of a module while it loads, and
 * that of native code and child processes, which does not pass through here.
 *
 * Invariants:
 * - SHAREDOUTPUT-1. A file has its actor's output, in order, and no other; at most `maxBytes`.
 * - SHAREDOUTPUT-2. Output that a full or broken disk cannot take is dropped; when it takes output again, a line in
 *   the file says how much is missing. No writer waits for it.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";

const maxFileBytes = 64 * 1024 * 1024;
const retryEveryMs = 1_000;

type Write = NodeJS.WriteStream["write"];

interface WriterOf {
  readonly actorId: string;
  readonly incarnation: number;
}

export interface SharedOutputOptions {
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

export class SharedOutput {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** The sizes of existing files in bytes, by path. */
  readonly #written = new Map<string, number>();
  /** Output that the disk did not take, by file. */
  readonly #lost = new Map<string, { readonly bytes: number; readonly failedAtMs: number }>();
  readonly #clock: Clock;

  constructor(folder: string, { maxBytes = maxFileBytes, clock = systemClock }: SharedOutputOptions = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /**
   * Separates what is written to these streams.
   * @param writer returns the actor whose code is running; undefined if it is none
   */
  watch(streams: readonly NodeJS.WriteStream[], writer: () => WriterOf | undefined): void {
    if (this.#folder === "") return;
    for (const stream of streams) {
      const write: Write = stream.write.bind(stream);
      const watched = (chunk: string | Uint8Array, ...rest: unknown[]) => {
        const whose = writer();
        if (whose) this.#append(whose, chunk, rest[0]);
        return Reflect.apply(write, stream, [chunk, ...rest]) as boolean;
      };
      stream.write = watched as Write;
    }
  }

  /** Forgets an actor that has ended. */
  ended(writer: WriterOf): void {
    this.#written.delete(fileName(writer));
    this.#lost.delete(fileName(writer));
  }

  #append(writer: WriterOf, chunk: string | Uint8Array, encoding: unknown): void {
    const name = fileName(writer);
    const bytes =
      typeof chunk === "string"
        ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
        : chunk;
    const had = this.#written.get(name) ?? 0;
    if (had >= this.#maxBytes) return;
    const kept = bytes.subarray(0, this.#maxBytes - had);
    const lost = this.#lost.get(name);
    const nowMs = this.#clock.monotonicMs();
    try {
      if (lost && nowMs - lost.failedAtMs < retryEveryMs)
        throw new Error("the disk took nothing a moment ago");
      const mark = lost
        ? `\n[… ${lost.bytes} bytes of output were lost here: the disk did not take them]\n`
        : "";
      appendFileSync(join(this.#folder, name), Buffer.concat([Buffer.from(mark), kept]), { mode: 0o600 });
      this.#lost.delete(name);
      this.#written.set(name, had + kept.byteLength);
    } catch {
      // SHAREDOUTPUT-2. The node has the line, too.
      const failedAtMs = lost && nowMs - lost.failedAtMs < retryEveryMs ? lost.failedAtMs : nowMs;
      this.#lost.set(name, { bytes: (lost?.bytes ?? 0) + kept.byteLength, failedAtMs });
    }
  }
}

function fileName({ actorId, incarnation }: WriterOf): string {
  return `${actorId}-${incarnation}.log`;
}
