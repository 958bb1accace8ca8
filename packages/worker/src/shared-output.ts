/**
 * Responsibility: what light actors write to standard output and standard error, apart: the file of each, made when it
 * writes first.
 * Not responsible for: the file of the process, which has all of it and is written by the node; how long files are kept.
 *
 * What is written outside of any actor's code is in the file of the process alone: by a module while it loads, by native
 * code and child processes, which do not pass through here.
 *
 * Invariants:
 * - SHAREDOUTPUT-1. A file has what its actor wrote, in order, and nothing of another's; at most `maxBytes`.
 * - SHAREDOUTPUT-2. What a full or broken disk does not take is dropped; when it takes output again, a line in the file says how
 *   much is missing. Nobody waits for it.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/wire";

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
  /** Bytes of the files that there are. */
  readonly #written = new Map<string, number>();
  /** Of files that the disk did not take. */
  readonly #lost = new Map<string, { readonly bytes: number; readonly failedAtMs: number }>();
  readonly #clock: Clock;

  constructor(folder: string, { maxBytes = maxFileBytes, clock = systemClock }: SharedOutputOptions = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** @param writer whose code runs; undefined where it is nobody's */
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

  /** The actor has ended. */
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
