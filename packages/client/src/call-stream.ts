/**
 * Responsibility: one gRPC stream to one process of an actor: puts calls on it, many to a message, and hands replies
 * back.
 * Not responsible for: where the actor is, what happens to calls after a break (actor-channel.ts).
 *
 * Invariants:
 * - STREAM-1. Calls reach the actor in the order of send().
 * - STREAM-2. Frames of one turn of the event loop travel in one message, up to `maxBatchBytes`.
 * - STREAM-3. While the transport is full nothing is written; frames wait in order.
 * - STREAM-4. Nothing is sent before the actor has answered the stream's opening, which names the actor and its
 *   incarnation: what was not sent has not run, and no other actor ever reads it.
 * - STREAM-5. After a break each call that has no outcome is handed back exactly once, and nothing settles any more.
 */
import type { ClientDuplexStream } from "@grpc/grpc-js";
import {
  actorHostService,
  addresseeMetadata,
  type Clock,
  fromGrpcError,
  type Network,
  PalimpsestError,
  type Peer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { CallIdentities } from "./call-identities.js";
import { type PendingCall, streamWindow, streamWindowBytes } from "./pending-call.js";

const maxBatchBytes = 1024 * 1024;
const defaultConnectTimeoutMs = 5_000;

export interface CallStreamOptions {
  /** host:port of the actor's ActorHost service. */
  readonly address: string;
  readonly network: Network;
  readonly clock: Clock;
  readonly actorId: string;
  readonly incarnation: number;
  /** Who calls, for lists of calls. */
  readonly callerId?: string | undefined;
  readonly connectTimeoutMs?: number;
  /** Whether its calls are MeshCalls, to any actors of the process. Default false. */
  readonly isMesh?: boolean;
  /** Default: calls have none, and each is sent once to this process. */
  readonly identities?: CallIdentities;
  /** Called once, with the calls that have no outcome, in the order in which they were sent. */
  readonly onBreak: (error: PalimpsestError, unanswered: readonly PendingCall[]) => void;
}

export class CallStream {
  readonly incarnation: number;
  readonly #clock: Clock;
  readonly #peer: Peer;
  readonly #identities: CallIdentities | undefined;
  readonly #onBreak: CallStreamOptions["onBreak"];
  readonly #calls = new Map<number, PendingCall>();
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
    this.#identities = options.identities;
  }

  /** Settles when the actor has taken the stream. @throws {PalimpsestError} after onBreak was called */
  static open(options: CallStreamOptions): { readonly stream: CallStream; readonly ready: Promise<void> } {
    const opened = new CallStream(options);
    const { calls, meshCalls } = actorHostService;
    const stream = opened.#peer.bidi(options.isMesh ? meshCalls : calls, {
      metadata: addresseeMetadata(options, options.callerId),
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

  /** Calls on their way or waiting for their reply. */
  get size(): number {
    return this.#calls.size;
  }

  get broken(): boolean {
    return this.#stream === undefined;
  }

  /** Milliseconds for which calls have waited without a word from the actor; 0 when none waits. */
  get silentMs(): number {
    return this.#calls.size === 0 ? 0 : this.#clock.monotonicMs() - this.#heardAtMs;
  }

  send(call: PendingCall): void {
    if (this.#calls.size === 0) this.#heardAtMs = this.#clock.monotonicMs();
    call.callId = this.#nextCallId++;
    this.#calls.set(call.callId, call);
    this.#post({
      call: {
        callId: call.callId,
        method: call.method,
        ...argumentsOf(call),
        ...(call.resultId === "" ? {} : { resultObjectId: Buffer.from(call.resultId, "hex") }),
        timeoutMs: call.remainingMs(),
        streamCredit: streamWindow,
        streamCreditBytes: streamWindowBytes,
        concurrencyGroup: call.concurrencyGroup,
        identity: this.#identities?.of(call) ?? null,
      },
    });
  }

  /** One message for the calls to several actors of the process, whose arguments are the same. */
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

  /** The caller does not wait for it any more. */
  abandon(call: PendingCall): void {
    if (this.#calls.delete(call.callId)) this.#post({ cancelCallId: call.callId });
  }

  /** The caller does not wait for it any more, and its reply tells when the process has done with it. */
  cancel(call: PendingCall): void {
    if (this.#calls.has(call.callId)) this.#post({ cancelCallId: call.callId });
  }

  grant(call: PendingCall, items: number, bytes: number): void {
    if (this.#calls.has(call.callId)) this.#post({ credit: { callId: call.callId, items, bytes } });
  }

  /** Ends the stream; calls without an outcome are handed to onBreak. */
  close(error: PalimpsestError): void {
    this.#break(error);
  }

  #post(frame: proto.CallFrame.$Properties): void {
    if (!this.#stream) return;
    this.#outbox.push(frame);
    if (this.#flushing || this.#full) return;
    this.#flushing = true;
    // Runs when the current turn, with all its promise callbacks, has made its calls.
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

  #receive(batch: proto.ReplyBatch.$Properties): void {
    this.#heardAtMs = this.#clock.monotonicMs();
    for (const reply of batch.replies ?? []) {
      const callId = reply.callId ?? 0;
      const call = this.#calls.get(callId);
      if (!call) {
        // Nobody waits for it any more: the actor need not keep what it refers to.
        if (reply.taking) this.#post({ takenCallId: callId });
        continue;
      }
      if (reply.item != null) {
        call.push(reply.item);
        continue;
      }
      this.#calls.delete(callId);
      call.answer(reply);
      if (reply.taking) this.#taken(call, callId);
    }
  }

  /** Says so when this program holds what the reply refers to. */
  #taken(call: PendingCall, callId: number): void {
    void call.held().finally(() => this.#post({ takenCallId: callId }));
  }

  #break(error: PalimpsestError): void {
    const stream = this.#stream;
    if (!stream) return;
    this.#stream = undefined;
    this.#outbox = [];
    const unanswered = [...this.#calls.values()];
    this.#calls.clear();
    stream.cancel();
    this.#peer.close();
    this.#onBreak(error, unanswered);
    this.#failed(error);
  }
}

function argumentsOf({ args }: PendingCall): Pick<proto.Call.$Properties, "args" | "argsObject"> {
  if (!args?.object) return { args: args?.bytes ?? new Uint8Array() };
  const { objectId, sizeBytes } = args.object;
  return { argsObject: { objectId: Buffer.from(objectId, "hex"), sizeBytes } };
}
