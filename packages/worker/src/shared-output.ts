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
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const maxFileBytes = 64 * 1024 * 1024;

type Write = NodeJS.WriteStream["write"];

interface WriterOf {
  readonly actorId: string;
  readonly incarnation: number;
}

export class SharedOutput {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Bytes of the files that there are. */
  readonly #written = new Map<string, number>();

  constructor(folder: string, maxBytes = maxFileBytes) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
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
    this.#written.set(name, had + kept.byteLength);
    try {
      appendFileSync(join(this.#folder, name), kept, { mode: 0o600 });
    } catch {
      // A full disk must not end the process; the node has the line, too.
      this.#written.set(name, this.#maxBytes);
    }
  }
}

function fileName({ actorId, incarnation }: WriterOf): string {
  return `${actorId}-${incarnation}.log`;
}
