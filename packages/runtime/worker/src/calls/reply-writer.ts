/**
 * Responsibility: writing replies to one caller, many per message.
 * Not responsible for: making replies.
 *
 * Invariants:
 * - REPLIES-1. Replies are sent in the order of post().
 * - REPLIES-2. Replies of one turn of the event loop share one message, up to `maxBatchBytes`.
 * - REPLIES-3. Nothing is written while the transport is full. While more than `highWaterBytes` of replies are
 *   queued, the caller's messages are not read and none of its calls starts, so that unread replies cannot pile up.
 */
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type * as proto from "@palimpsest/wire/protocol";

const maxBatchBytes = 1024 * 1024;
const highWaterBytes = 4 * 1024 * 1024;

type CallerStream = ServerDuplexStream<proto.CallBatch.$Properties, proto.ReplyBatch.$Properties>;

export class ReplyWriter {
  readonly #stream: CallerStream;
  #replies: proto.Reply.$Properties[] = [];
  /** Actors that have left, which are reported with the last of the queued replies. */
  #left: proto.MeshMember.$Properties[] = [];
  #waitingBytes = 0;
  #scheduled = false;
  #full = false;
  #closed = false;
  #behind = false;
  readonly #onBehind: (behind: boolean) => void;

  /** @param onBehind called with whether the caller has to read replies before more of its calls may start */
  constructor(stream: CallerStream, onBehind: (behind: boolean) => void) {
    this.#stream = stream;
    this.#onBehind = onBehind;
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
      if (this.#waitingBytes > highWaterBytes) this.#setBehind(true);
    } else this.#schedule();
  }

  /** Reports that an actor has left, after everything that was posted before. */
  postLeft(actor: proto.MeshMember.$Properties): void {
    if (this.#closed) return;
    this.#left.push(actor);
    if (!this.#full) this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#replies = [];
    this.#left = [];
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    while (!this.#full && !this.#closed && this.#replies.length + this.#left.length > 0) {
      const replies = this.#takeBatch();
      const left = this.#replies.length === 0 ? this.#left.splice(0) : [];
      this.#full = !this.#stream.write({ replies, left });
    }
    if (this.#waitingBytes <= highWaterBytes) this.#setBehind(false);
  }

  #setBehind(behind: boolean): void {
    if (this.#behind === behind || this.#closed) return;
    this.#behind = behind;
    if (behind) this.#stream.pause();
    else this.#stream.resume();
    this.#onBehind(behind);
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
    if (count === this.#replies.length) {
      const all = this.#replies;
      this.#replies = [];
      return all;
    }
    return this.#replies.splice(0, count);
  }
}

function sizeOf(reply: proto.Reply.$Properties): number {
  if (reply.error) return 64 + sizeOfError(reply.error);
  return 64 + (reply.value?.byteLength ?? reply.item?.byteLength ?? 0);
}

/** Returns the approximate size of an error and its causes, which have much text together. */
function sizeOfError({ message, stack, fields, cause, errors }: proto.Error.$Properties): number {
  const own = (message?.length ?? 0) + (stack?.length ?? 0) + (fields?.byteLength ?? 0);
  const others = [...(errors ?? []), ...(cause ? [cause] : [])];
  return others.reduce((sum, error) => sum + sizeOfError(error), own);
}
