/**
 * Responsibility: one caller's stream: its frames, its calls in progress, its replies.
 * Not responsible for: running calls (actor-host.ts), or choosing the actor for a frame.
 *
 * Invariants:
 * - HOST-2. When a caller's stream ends, its waiting calls are removed and its running ones aborted.
 */
import { Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import { callerNamed, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Invocation } from "./invocation.js";
import { KeptReplies } from "./kept-replies.js";
import { ReplyWriter } from "./reply-writer.js";

export type CallerStream = ServerDuplexStream<proto.CallBatch.$Properties, proto.ReplyBatch.$Properties>;

/** An actor that has calls of the caller. */
export interface Called {
  /** Called with whether the caller has to read replies before more of its calls may start. */
  pace(caller: Caller, behind: boolean): void;
}

export interface CallerEvents {
  /**
   * The calls on the stream. own: its calls are to one actor; mesh: one call to several actors of the process; shared:
   * each call to any of them. Default own.
   */
  readonly kind?: "own" | "mesh" | "shared";
  /** Accepts a frame with calls. */
  take(frame: proto.CallFrame.$Properties): void;
  onLeft(): void;
}

export class Caller {
  readonly invocations = new Map<number, Invocation>();
  readonly kept = new KeptReplies();
  /** The caller, for listings of calls. */
  readonly callerId: ReturnType<typeof callerNamed>;
  readonly #writer: ReplyWriter;
  readonly #called = new Set<Called>();
  readonly #events: CallerEvents;
  #behind = false;

  constructor(stream: CallerStream, events: CallerEvents) {
    this.#events = events;
    this.callerId = callerNamed(stream.metadata);
    this.#writer = new ReplyWriter(stream, (behind) => this.#pace(behind));
    // Headers are sent at once, so that the caller knows that it has reached an actor.
    stream.sendMetadata(new Metadata());
    stream.on("data", (batch: proto.CallBatch.$Properties) => {
      for (const frame of batch.frames ?? []) this.#receive(frame);
    });
    const leave = () => this.#leave();
    stream.on("cancelled", leave);
    stream.on("error", leave);
    stream.on("end", () => {
      leave();
      stream.end();
    });
  }

  reply(reply: proto.Reply.$Properties): void {
    this.#writer.post(reply);
  }

  /** Records that the actor gets calls of this caller. */
  calls(called: Called): void {
    if (this.#called.has(called)) return;
    this.#called.add(called);
    if (this.#behind) called.pace(this, true);
  }

  get kind(): "own" | "mesh" | "shared" {
    return this.#events.kind ?? "own";
  }

  /** Handles the end of an actor of this process: everything that it answered was posted before. */
  hasLeft(host: Called & { readonly actorId: string; readonly incarnation: number }): void {
    this.#called.delete(host);
    const { actorId, incarnation } = host;
    if (this.kind === "shared") this.#writer.postLeft({ actorId, incarnation });
  }

  #receive(frame: proto.CallFrame.$Properties): void {
    if (frame.takenCallId != null) this.kept.taken(frame.takenCallId);
    else if (frame.cancelCallId != null) this.invocations.get(frame.cancelCallId)?.cancel(cancelled());
    else if (frame.credit) {
      const { callId, items, bytes } = frame.credit;
      this.invocations.get(callId ?? 0)?.grant(items ?? 0, bytes ?? 0);
    } else this.#events.take(frame);
  }

  #pace(behind: boolean): void {
    this.#behind = behind;
    for (const called of this.#called) called.pace(this, behind);
  }

  #leave(): void {
    this.#events.onLeft();
    this.#writer.close();
    this.kept.callerLeft();
    for (const invocation of [...this.invocations.values()]) invocation.drop();
    this.#pace(false);
    this.#called.clear();
  }
}

function cancelled(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "cancelled by the caller");
}
