/**
 * Responsibility: the answers to one program's orders about values: many per message, no faster than the program
 * reads them.
 * Not responsible for: the content of the answers (object-link.ts).
 *
 * Invariants:
 * - ANSWERS-1. Answers of one turn of the event loop share one message, up to `maxBatchBytes`. Nothing is written
 *   while the transport is full, and the program's orders are not read while more than `highWaterBytes` of answers
 *   are queued.
 * - ANSWERS-2. At most `maxValueBytes` of values for answers are in memory, from before they are read until the
 *   transport has taken them. The others wait in the order of the requests.
 */
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type * as proto from "@palimpsest/wire/protocol";
import { ByteBudget } from "../base/byte-budget.js";

const maxBatchBytes = 1024 * 1024;
const highWaterBytes = 4 * 1024 * 1024;
const maxValueBytes = 4 * 1024 * 1024;
/** A rough estimate of an answer's size besides its value. */
const overheadBytes = 128;

export type LinkStream = ServerDuplexStream<proto.ObjectOrders.$Properties, proto.ObjectAnswers.$Properties>;

interface Waiting {
  readonly answer: proto.ObjectAnswer.$Properties;
  readonly sizeBytes: number;
  readonly onTaken: (() => void) | undefined;
}

export class AnswerWriter {
  readonly #stream: LinkStream;
  /** An unbounded number of requests for values may wait here, because their orders are small. */
  readonly #values = new ByteBudget(maxValueBytes, Number.POSITIVE_INFINITY);
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #scheduled = false;
  #full = false;
  #paused = false;
  #closed = false;

  constructor(stream: LinkStream) {
    this.#stream = stream;
    stream.on("drain", () => {
      this.#full = false;
      this.#flush();
    });
  }

  /**
   * Waits until a value of this size may be read for an answer. @returns a function that releases the budget
   * (ANSWERS-2)
   */
  room(sizeBytes: number): Promise<() => void> {
    return this.#values.take(sizeBytes);
  }

  /** @param onTaken called when the transport has taken it */
  post(answer: proto.ObjectAnswer.$Properties, onTaken?: () => void): void {
    if (this.#closed) return;
    const sizeBytes = overheadBytes + (answer.data?.byteLength ?? 0);
    this.#waiting.push({ answer, sizeBytes, onTaken });
    this.#waitingBytes += sizeBytes;
    if (!this.#full) this.#schedule();
    else if (this.#waitingBytes > highWaterBytes) this.#pause(true);
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    while (!this.#full && !this.#closed && this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      const answers = batch.map(({ answer }) => answer);
      this.#full = !this.#stream.write({ answers }, () => {
        for (const { onTaken } of batch) onTaken?.();
      });
    }
    if (this.#waitingBytes <= highWaterBytes) this.#pause(false);
  }

  #pause(paused: boolean): void {
    if (this.#paused === paused || this.#closed) return;
    this.#paused = paused;
    if (paused) this.#stream.pause();
    else this.#stream.resume();
  }

  #takeBatch(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { sizeBytes } of this.#waiting) {
      if (count > 0 && bytes + sizeBytes > maxBatchBytes) break;
      bytes += sizeBytes;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }
}
