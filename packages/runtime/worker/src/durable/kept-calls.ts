/**
 * Responsibility: which calls have run, and their replies, for as long as their callers may retry.
 *
 * Invariants:
 * - KEPTCALLS-1. A reply is kept until its caller has confirmed it, or was silent for `callerKeptMs`. Calls that are
 *   older than half of that and come from an unknown caller are refused instead of run. A wall clock that is set, or
 *   that is another machine's, shortens no silence below that half, as this process measures it.
 * - KEPTCALLS-2. Replies take at most `maxReplies` and `maxBytes` together.
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { Change } from "./commits.js";
import { type CallerMark, callerField, encodeMark, type Loaded, replyField } from "./record.js";

const callerKeptMs = 3_600_000;
const maxReplies = 10_000;
const maxBytes = 16 * 1024 * 1024;
export const maxReplyBytes = 1024 * 1024;

export interface CallId {
  readonly caller: string;
  readonly sequence: number;
  readonly acknowledged: number;
  readonly ageMs: number;
}

export class KeptCalls {
  readonly #marks: Map<string, CallerMark>;
  readonly #replies: Map<string, Map<number, Uint8Array>>;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  readonly #loadedAtMs: number;
  /** When this process last heard from each caller, on its monotonic clock. */
  readonly #heardAtMs = new Map<string, number>();
  #count = 0;
  #bytes = 0;

  constructor(
    { marks, replies }: Pick<Loaded, "marks" | "replies">,
    clock: Pick<Clock, "now" | "monotonicMs">,
  ) {
    this.#clock = clock;
    this.#loadedAtMs = clock.monotonicMs();
    this.#marks = marks;
    this.#replies = replies;
    for (const ofCaller of replies.values()) for (const reply of ofCaller.values()) this.#add(reply, 1);
  }

  /**
   * Returns the reply of the call; undefined if it has not run.
   * @throws {PalimpsestError} if that is no longer known
   */
  find({ caller, sequence, ageMs }: CallId): Uint8Array | undefined {
    const mark = this.#marks.get(caller);
    const reply = this.#replies.get(caller)?.get(sequence);
    if (reply !== undefined) return reply;
    if (mark !== undefined && sequence <= mark.acknowledged)
      throw new PalimpsestError("INVALID_ARGUMENT", `call ${sequence} of ${caller} has its outcome already`);
    if (mark === undefined && ageMs > callerKeptMs / 2)
      throw new PalimpsestError(
        "GET_TIMEOUT",
        `call ${sequence} of ${caller} was sent first ${ageMs} ms ago: whether it has run is no longer known`,
        { retryable: false },
      );
    return undefined;
  }

  /** @throws {PalimpsestError} LIMIT_EXCEEDED (KEPTCALLS-2) */
  checkRoom(method: string, reply: Uint8Array): void {
    if (reply.byteLength > maxReplyBytes)
      throw new PalimpsestError(
        "LIMIT_EXCEEDED",
        `${method} returned ${reply.byteLength} bytes; a durable actor stores replies of at most ${maxReplyBytes}: put it in the object store`,
      );
    if (this.#count < maxReplies && this.#bytes + reply.byteLength <= maxBytes) return;
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${this.#count} replies of ${this.#bytes} bytes wait to be acknowledged by their callers: at most ${maxReplies} and ${maxBytes} bytes are kept`,
      { retryable: true },
    );
  }

  /** Records that the call has run. @returns the change to be committed */
  keep(call: CallId, reply: Uint8Array): Change {
    const { caller, sequence } = call;
    const nowMs = this.#clock.now();
    this.#heardAtMs.set(caller, this.#clock.monotonicMs());
    const before = this.#marks.get(caller);
    const mark = { acknowledged: Math.max(before?.acknowledged ?? 0, call.acknowledged), heardAtMs: nowMs };
    this.#marks.set(caller, mark);
    const replies = this.#replies.get(caller) ?? new Map<number, Uint8Array>();
    this.#replies.set(caller, replies);
    const remove: string[] = [...this.#forgetSilent(nowMs)];
    for (const [number, old] of replies) {
      if (number > mark.acknowledged) continue;
      replies.delete(number);
      this.#add(old, -1);
      remove.push(replyField(caller, number));
    }
    replies.set(sequence, reply);
    this.#add(reply, 1);
    return {
      set: [
        { name: callerField(caller), value: encodeMark(mark) },
        { name: replyField(caller, sequence), value: reply },
      ],
      remove,
    };
  }

  *#forgetSilent(nowMs: number): Generator<string> {
    for (const [caller, { heardAtMs }] of this.#marks) {
      const silentMs = this.#clock.monotonicMs() - (this.#heardAtMs.get(caller) ?? this.#loadedAtMs);
      if (nowMs - heardAtMs <= callerKeptMs || silentMs <= callerKeptMs / 2) continue;
      this.#heardAtMs.delete(caller);
      this.#marks.delete(caller);
      yield callerField(caller);
      for (const [sequence, reply] of this.#replies.get(caller) ?? []) {
        this.#add(reply, -1);
        yield replyField(caller, sequence);
      }
      this.#replies.delete(caller);
    }
  }

  #add(reply: Uint8Array, sign: 1 | -1): void {
    this.#count += sign;
    this.#bytes += sign * reply.byteLength;
  }
}
