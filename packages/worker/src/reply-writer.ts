/**
 * Job: writes replies to one caller, many to a message.
 * Non-job: making replies.
 *
 * W1. Replies leave in the order of post().
 * W2. Replies of one turn of the event loop travel in one message, up to `maxBatchBytes`.
 * W3. While the transport is full nothing is written; above `highWaterBytes` of waiting replies the caller's own
 *     messages are not read, so that a caller that does not read its replies stops making calls.
 */
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type * as proto from "@palimpsest/wire/protocol";

const maxBatchBytes = 1024 * 1024;
const highWaterBytes = 4 * 1024 * 1024;

type CallerStream = ServerDuplexStream<proto.CallBatch.$Properties, proto.ReplyBatch.$Properties>;

export class ReplyWriter {
  readonly #stream: CallerStream;
  #replies: proto.Reply.$Properties[] = [];
  #waitingBytes = 0;
  #scheduled = false;
  #full = false;
  #closed = false;

  constructor(stream: CallerStream) {
    this.#stream = stream;
    stream.on("drain", () => {
      this.#full = false;
      this.#flush();
    });
  }

  post(reply: proto.Reply.$Properties): void {
    if (this.#closed) return;
    this.#replies.push(reply);
    this.#waitingBytes += sizeOf(reply);
    if (this.#full) {
      if (this.#waitingBytes > highWaterBytes) this.#stream.pause();
      return;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => this.#flush());
  }

  close(): void {
    this.#closed = true;
    this.#replies = [];
  }

  #flush(): void {
    this.#scheduled = false;
    while (!this.#full && !this.#closed && this.#replies.length > 0) {
      this.#full = !this.#stream.write({ replies: this.#takeBatch() });
    }
    if (this.#waitingBytes <= highWaterBytes && this.#stream.isPaused()) this.#stream.resume();
  }

  #takeBatch(): proto.Reply.$Properties[] {
    let bytes = 0;
    let count = 0;
    for (const reply of this.#replies) {
      const size = sizeOf(reply);
      if (count > 0 && bytes + size > maxBatchBytes) break;
      bytes += size;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#replies.splice(0, count);
  }
}

function sizeOf(reply: proto.Reply.$Properties): number {
  return 64 + (reply.value?.byteLength ?? reply.item?.byteLength ?? 0);
}
