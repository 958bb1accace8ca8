/**
 * Responsibility: one gRPC stream to one process of an actor: sends calls on it, many per message, and passes on the
 * replies.
 * Not responsible for: where the actor is, or what happens to calls after a break (actor-channel.ts).
 *
 * Invariants:
 * - STREAM-1. Calls reach the actor in the order of send().
 * - STREAM-2. Frames of one turn of the event loop travel in one message, up to `maxBatchBytes`.
 * - STREAM-3. While the transport is full nothing is written; frames wait in order.
 * - STREAM-4. Nothing is sent before the actor has accepted the stream, whose opening names the actor and its
 *   incarnation: a call that was not sent has not run, and no other actor ever reads it.
 * - STREAM-5. After a break each call without an outcome is passed on exactly once, and no reply is processed any
 *   more.
 * - STREAM-6. The references in a reply are registered as being taken before its call resolves, because the worker
 *   that holds them may be returned as soon as the call resolves.
 */
import type { ClientDuplexStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import {
  actorHostService,
  addresseeMetadata,
  errorFromProto,
  fromGrpcError,
  type Network,
  PalimpsestError,
  type Peer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorStream, OnBreak } from "./actor-stream.js";
import type { CallIdentities } from "./call-identities.js";
import type { PendingCall } from "./pending-call.js";
import { streamWindow, streamWindowBytes } from "./stream-items.js";

const maxBatchBytes = 1024 * 1024;
const defaultConnectTimeoutMs = 5_000;

export interface CallStreamOptions {
  /** host:port of the actor's ActorHost service. */
  readonly address: string;
  readonly network: Network;
  readonly clock: Clock;
  readonly actorId: string;
  readonly incarnation: number;
  /** The caller's name, which listings of calls show. */
  readonly callerId?: string | undefined;
  readonly connectTimeoutMs?: number;
  /**
   * own: calls to one actor; mesh: MeshCalls; shared: calls to any light actors of the process, each naming its
   * actor. Default own.
   */
  readonly kind?: "own" | "mesh" | "shared";
  /** For a stream of the kind shared: these actors of the process have ended. */
  readonly onLeft?: (actors: readonly proto.MeshMember.$Properties[]) => void;
  /** If it is absent, calls have no identities, and each is sent once to this process. */
  readonly identities?: CallIdentities;
  /** Called once, with the calls without an outcome, in the order in which they were sent. */
  readonly onBreak: OnBreak;
}

/** One of the actors that share a stream. */
export interface Recipient {
  readonly to: proto.MeshMember.$Properties;
  /** Called when the process does not host the actor, so that the call certainly has not run. */
  notThere(call: PendingCall, error: PalimpsestError): void;
  /** Called with the last reply to a call. */
  replied(call: PendingCall): void;
}

export class CallStream implements ActorStream {
  readonly incarnation: number;
  readonly #clock: Clock;
  readonly #peer: Peer;
  readonly #identities: CallIdentities | undefined;
  readonly #onBreak: CallStreamOptions["onBreak"];
  readonly #onLeft: CallStreamOptions["onLeft"];
  readonly #calls = new Map<number, PendingCall>();
  /** The recipients of calls on a shared stream. */
  readonly #recipients = new Map<number, Recipient>();
  readonly #taking = new Set<Promise<void>>();
  #stream: ClientDuplexStream<proto.CallBatch.$Properties, proto.ReplyBatch.$Properties> | undefined;
  #outbox: proto.CallFrame.$Properties[] = [];
  #nextCallId = 1;
  #flushing = false;
  #full = false;
  #heardAtMs = 0;
  #failed: (error: PalimpsestError) => void = () => undefined;

  private constructor(options: CallStreamOptions) {
    this.incarnation = options.incarnation;
    this.#clock = options.clock;
    this.#peer = options.network.connect(options.address, "calls");
    this.#onBreak = options.onBreak;
    this.#onLeft = options.onLeft;
    this.#identities = options.identities;
  }

  /** Resolves when the actor has accepted the stream. @throws {PalimpsestError} after onBreak was called */
  static open(options: CallStreamOptions): { readonly stream: CallStream; readonly ready: Promise<void> } {
    const opened = new CallStream(options);
    const stream = opened.#peer.bidi(methods[options.kind ?? "own"], {
      metadata: addresseeMetadata(options, options.callerId),
      // Calls keep the process running (outstanding-calls.ts).
      background: true,
    });
    opened.#stream = stream;
    const timeoutMs = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
    const cancelTimer = options.clock.after(timeoutMs, () => {
      opened.#break(
        new PalimpsestError("ACTOR_UNAVAILABLE", `no answer from ${options.address} within ${timeoutMs} ms`),
      );
    });
    const ready = new Promise<void>((resolve, reject) => {
      stream.once("metadata", () => resolve());
      opened.#failed = reject;
    }).finally(cancelTimer);
    ready.catch(() => undefined);
    stream.on("data", (batch: proto.ReplyBatch.$Properties) => opened.#receive(batch));
    stream.on("drain", () => {
      opened.#full = false;
      opened.#flush();
    });
    stream.on("error", (reason) => opened.#break(fromGrpcError(reason)));
    stream.on("end", () =>
      opened.#break(new PalimpsestError("ACTOR_UNAVAILABLE", "the actor closed its stream")),
    );
    return { stream: opened, ready };
  }

  /** The number of calls that were sent, or wait to be sent, and have no reply. */
  get size(): number {
    return this.#calls.size;
  }

  get broken(): boolean {
    return this.#stream === undefined;
  }

  /** Milliseconds for which calls have waited without a message from the actor; 0 if none waits. */
  get silentMs(): number {
    return this.#calls.size === 0 ? 0 : this.#clock.monotonicMs() - this.#heardAtMs;
  }

  /** @param recipient the actor that the call is for, on a shared stream */
  send(call: PendingCall, recipient?: Recipient): void {
    if (this.#calls.size === 0) this.#heardAtMs = this.#clock.monotonicMs();
    call.callId = this.#nextCallId++;
    this.#calls.set(call.callId, call);
    if (recipient) this.#recipients.set(call.callId, recipient);
    this.#post({ call: callOf(call, this.#identities, recipient) });
  }

  /** Sends one message with a call to several actors of the process, whose arguments are the same. */
  sendMesh(
    calls: readonly PendingCall[],
    members: readonly proto.MeshMember.$Properties[],
    call: proto.Call.$Properties,
  ): void {
    if (this.#calls.size === 0) this.#heardAtMs = this.#clock.monotonicMs();
    const callId = this.#nextCallId;
    this.#nextCallId += calls.length;
    for (const [index, one] of calls.entries()) {
      one.callId = callId + index;
      this.#calls.set(one.callId, one);
    }
    this.#post({ meshCall: { call: { ...call, callId }, members: [...members] } });
  }

  /** Records that the caller no longer waits for the call. */
  abandon(call: PendingCall): void {
    this.#recipients.delete(call.callId);
    if (this.#calls.delete(call.callId)) this.#post({ cancelCallId: call.callId });
  }

  /** Records that the call gets no more replies. */
  forget(call: PendingCall): void {
    this.#recipients.delete(call.callId);
    this.#calls.delete(call.callId);
  }

  /** Records that the caller no longer waits for the call. Its reply still shows when the process is done with it. */
  cancel(call: PendingCall): void {
    if (this.#calls.has(call.callId)) this.#post({ cancelCallId: call.callId });
  }

  grant(call: PendingCall, items: number, bytes: number): void {
    if (this.#calls.has(call.callId)) this.#post({ credit: { callId: call.callId, items, bytes } });
  }

  /** Ends the stream. Calls without an outcome are passed to onBreak. */
  close(error: PalimpsestError): void {
    this.#break(error);
  }

  #post(frame: proto.CallFrame.$Properties): void {
    if (!this.#stream) return;
    this.#outbox.push(frame);
    if (this.#flushing || this.#full) return;
    this.#flushing = true;
    // Runs after the current turn, with all its promise callbacks, has made its calls.
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    while (this.#stream && !this.#full && this.#outbox.length > 0) {
      this.#full = !this.#stream.write({ frames: this.#takeBatch() });
    }
  }

  #takeBatch(): proto.CallFrame.$Properties[] {
    let bytes = 0;
    let count = 0;
    for (const frame of this.#outbox) {
      bytes += 64 + (frame.call?.args?.byteLength ?? 0);
      if (count > 0 && bytes > maxBatchBytes) break;
      count++;
    }
    if (count === this.#outbox.length) {
      const all = this.#outbox;
      this.#outbox = [];
      return all;
    }
    return this.#outbox.splice(0, count);
  }

  /** Resolves when this program has leased the references of the replies that have arrived; undefined if it has. */
  get taking(): Promise<unknown> | undefined {
    return this.#taking.size === 0 ? undefined : Promise.allSettled(this.#taking);
  }

  #receive(batch: proto.ReplyBatch.$Properties): void {
    this.#heardAtMs = this.#clock.monotonicMs();
    for (const reply of batch.replies ?? []) {
      const callId = reply.callId ?? 0;
      const call = this.#calls.get(callId);
      if (!call) {
        // No caller waits for it, so the actor need not keep the references of its reply.
        if (reply.taking) this.#post({ takenCallId: callId });
        continue;
      }
      if (reply.item != null || reply.itemObject != null) {
        call.push(reply);
        continue;
      }
      this.#calls.delete(callId);
      if (reply.taking) this.#take(call, reply);
      else this.#answered(call, reply);
    }
    if (batch.left && batch.left.length > 0) this.#onLeft?.(batch.left);
  }

  #answered(call: PendingCall, reply: proto.Reply.$Properties): void {
    const { callId } = call;
    const recipient = this.#recipients.get(callId);
    if (recipient === undefined) {
      call.answer(reply);
      return;
    }
    this.#recipients.delete(callId);
    const { code, details } = reply.error ?? {};
    if (reply.error && code === "ACTOR_UNAVAILABLE" && details?.["reached"] === "false")
      recipient.notThere(call, errorFromProto(reply.error));
    else {
      // The recipient comes first, because the answer may send the call again, which gives it another number.
      recipient.replied(call);
      call.answer(reply);
    }
  }

  /** Tells the actor when this program has leased the references of the reply (STREAM-6). */
  #take(call: PendingCall, reply: proto.Reply.$Properties): void {
    const taking = Promise.resolve()
      .then(() => call.held())
      .finally(() => {
        this.#taking.delete(taking);
        this.#post({ takenCallId: reply.callId ?? 0 });
      });
    this.#taking.add(taking);
    this.#answered(call, reply);
  }

  #break(error: PalimpsestError): void {
    const stream = this.#stream;
    if (!stream) return;
    this.#stream = undefined;
    this.#outbox = [];
    const unanswered = [...this.#calls.values()];
    this.#calls.clear();
    this.#recipients.clear();
    stream.cancel();
    this.#peer.close();
    this.#onBreak(error, unanswered);
    this.#failed(error);
  }
}

const methods = {
  own: actorHostService.calls,
  mesh: actorHostService.meshCalls,
  shared: actorHostService.sharedCalls,
} as const;

const noBytes = new Uint8Array();

/** Most calls have only the first fields. Absent fields are left out, because each field costs encoding time. */
function callOf(
  pending: PendingCall,
  identities: CallIdentities | undefined,
  recipient: Recipient | undefined,
): proto.Call.$Properties {
  const { args, resultId, concurrencyGroup, span } = pending;
  const call: proto.Call.$Properties = {
    callId: pending.callId,
    method: pending.method,
    args: args?.bytes ?? noBytes,
    timeoutMs: pending.remainingMs(),
    streamCredit: streamWindow,
    streamCreditBytes: streamWindowBytes,
  };
  if (args?.object) {
    const { objectId, sizeBytes } = args.object;
    call.argsObject = { objectId: Buffer.from(objectId, "hex"), sizeBytes };
  }
  if (resultId !== "") call.resultObjectId = Buffer.from(resultId, "hex");
  if (concurrencyGroup !== "") call.concurrencyGroup = concurrencyGroup;
  if (identities) call.identity = identities.of(pending);
  if (recipient) call.to = recipient.to;
  if (span) call.traceparent = span.traceparent;
  return call;
}
