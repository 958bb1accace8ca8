/**
 * Responsibility: prints what the processes of this program's actors and tasks print, line by line, as
 * `connect({ output: "inherit" })` asks.
 * Not responsible for: reading the output (actor-output.ts), which stays in the logs of its node.
 *
 * Invariants:
 * - ECHO-1. At most `maxFollowed` processes are followed at once, at most `maxLines` lines are printed per second, and none while
 *   `maxWaitingBytes` wait for a slow reader of this program's output; what is left out is said.
 * - ECHO-2. A failure to read output is no failure of the program.
 */
import type { Clock } from "@palimpsest/std";
import { located } from "@palimpsest/wire";

export interface EchoedOutputDeps {
  readonly clock: Clock;
  /** Resolves to the process id when the actor has a process; undefined if it will have none. */
  readonly started: (actorId: string, signal: AbortSignal) => Promise<number | undefined>;
  readonly output: (actorId: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** @returns the number of bytes that have been written and not yet taken */
  readonly write: (text: string) => number;
}

const maxFollowed = 100;
const maxLines = 1_000;
const maxLineLength = 16 * 1024;
const maxWaitingBytes = 4 * 1024 * 1024;
/** By characters, so that none is cut in two. */
const pieces = new RegExp(`.{1,${maxLineLength}}`, "gsu");

export class EchoedOutput {
  readonly #deps: EchoedOutputDeps;
  readonly #abort = new AbortController();
  #followed = 0;
  #secondAtMs = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #leftOut = 0;
  #saidMany = false;
  #waitingBytes = 0;

  constructor(deps: EchoedOutputDeps) {
    this.#deps = deps;
  }

  /** @param title the name of the actor, or of its class */
  created(actorId: string, title: string): void {
    if (this.#abort.signal.aborted) return;
    if (this.#followed < maxFollowed) void this.#follow(actorId, title);
    else if (!this.#saidMany) {
      this.#saidMany = true;
      const how = "`palimpsest logs ACTOR` prints that of others";
      this.#deps.write(`palimpsest: the output of ${maxFollowed} processes is printed at once; ${how}\n`);
    }
  }

  close(): void {
    this.#abort.abort();
    this.#sayLeftOut();
  }

  async #follow(actorId: string, title: string): Promise<void> {
    const { started, output } = this.#deps;
    const { signal } = this.#abort;
    this.#followed++;
    try {
      const pid = await started(actorId, signal);
      if (pid === undefined) return;
      const prefix = `(${title} pid=${pid}) `;
      const decoder = new TextDecoder();
      let rest = "";
      for await (const bytes of output(actorId, signal)) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#print(prefix, line);
        if (rest.length <= maxLineLength) continue;
        this.#print(prefix, rest);
        rest = "";
      }
      rest += decoder.decode();
      if (rest !== "") this.#print(prefix, rest);
    } catch {
      // ECHO-2: its output is in the logs of its node.
    } finally {
      this.#followed--;
    }
  }

  #sayLeftOut(): void {
    if (this.#leftOut > 0) this.#deps.write(`palimpsest: ${this.#leftOut} lines of output were left out\n`);
    this.#leftOut = 0;
  }

  /** A long line comes in several, each with the prefix. */
  #print(prefix: string, line: string): void {
    for (const piece of line.match(pieces) ?? [""]) this.#printPiece(prefix, piece);
  }

  #printPiece(prefix: string, line: string): void {
    const { clock, write } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#secondAtMs >= 1_000) {
      this.#waitingBytes = write("");
      if (this.#waitingBytes < maxWaitingBytes) this.#sayLeftOut();
      this.#secondAtMs = nowMs;
      this.#lines = 0;
    }
    this.#lines++;
    if (this.#lines > maxLines || this.#waitingBytes >= maxWaitingBytes) this.#leftOut++;
    else this.#waitingBytes = write(`${prefix}${located(line)}\n`);
  }
}
