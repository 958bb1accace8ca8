/**
 * Responsibility: all calls of this process to one actor: finds the actor, keeps a stream to its current process, and
 * decides what happens to calls when that process goes.
 * Not responsible for: encoding, typing (actor-handle.ts); transport (call-stream.ts).
 *
 * Invariants:
 * - CHANNEL-1. Calls made before the actor is alive wait and are sent in the order in which they were made.
 * - CHANNEL-2. A call is sent at most once, unless it has retries left and none of its items was seen.
 * - CHANNEL-3. When the process dies, calls in flight fail: ACTOR_DIED when it does not come back, else
 *   ACTOR_UNAVAILABLE.
 * - CHANNEL-4. After ACTOR_DIED every call fails at once with the same certificate.
 * - CHANNEL-5. At most `maxOutstandingCalls` calls of `maxOutstandingBytes` bytes have no outcome; one more fails with
 *   PENDING_CALLS_LIMIT. A single call may be larger.
 * - CHANNEL-7. An actor that refuses this caller's token counts as one that cannot be reached for now: while a token is
 *   replaced it may know the old one only. A token that the head refuses too is wrong, and every call fails with that.
 * - CHANNEL-6. A process that is silent while calls are in flight is given up only when the head says that the actor
 *   does not live in that incarnation any more: an actor may compute for as long as it likes.
 */
import { type Clock, type Network, PalimpsestError, systemClock } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { CallStream } from "./call-stream.js";
import { actorTitle, certificateDetails, diedError } from "./death.js";
import { delay } from "./delay.js";
import { type CallCarrier, callBytes, PendingCall, type PendingCallOptions } from "./pending-call.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD, ACTOR_STATE_PENDING, ACTOR_STATE_RESTARTING } = proto.ActorState;

/** How long calls in flight wait for news of a process whose stream broke. */
const firstNewsWaitMs = 1_000;
const resolveWaitMs = 10_000;
/** Silence after which the head is asked about the actor; asked again at intervals that grow to the longest. */
const silenceMs = { first: 5_000, longest: 30_000 };
const longestTimerMs = 2 ** 31 - 1;
const backoffMs = { first: 100, longest: 2_000 };

/** The head, as far as a channel needs it. */
export interface ActorResolver {
  /** As Head.ResolveActor. */
  resolve(
    actorId: string,
    knownIncarnation: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<proto.ActorInfo.$Properties>;
}

export interface ActorChannelOptions {
  readonly actorId: string;
  readonly network: Network;
  readonly resolver: ActorResolver;
  readonly maxOutstandingCalls?: number;
  readonly maxOutstandingBytes?: number;
  readonly silenceMs?: { readonly first: number; readonly longest: number };
  readonly clock?: Clock;
  /** Called once when the actor has died for good. */
  readonly onDead?: () => void;
}

export class ActorChannel implements CallCarrier {
  readonly actorId: string;
  readonly clock: Clock;
  readonly #network: Network;
  readonly #resolver: ActorResolver;
  readonly #maxOutstandingCalls: number;
  readonly #maxOutstandingBytes: number;
  readonly #silenceMs: typeof silenceMs;
  readonly #onDead: () => void;
  readonly #abort = new AbortController();
  #waiting: PendingCall[] = [];
  #stream: CallStream | undefined;
  /** On its way to be #stream. */
  #opening: CallStream | undefined;
  /** Calls that were in flight when the stream broke, until the first news. */
  #inFlight: PendingCall[] = [];
  /** Of #waiting, those that have an outcome already. */
  #settledWaiting = 0;
  #outstanding = 0;
  #outstandingBytes = 0;
  /** Set while a timer runs: an idle channel has none. */
  #cancelWatch: (() => void) | undefined;
  #searching = false;
  #incarnation = 0;
  #dead: PalimpsestError | undefined;
  /** Why the process that the head names did not take the last stream. */
  #hindrance: PalimpsestError | undefined;
  #closed = false;
  #readyWaiters = new Set<() => void>();

  constructor(options: ActorChannelOptions) {
    this.actorId = options.actorId;
    this.#network = options.network;
    this.#resolver = options.resolver;
    this.clock = options.clock ?? systemClock;
    this.#maxOutstandingCalls = options.maxOutstandingCalls ?? 100_000;
    this.#maxOutstandingBytes = options.maxOutstandingBytes ?? 256 * 1024 * 1024;
    this.#silenceMs = options.silenceMs ?? silenceMs;
    this.#onDead = options.onDead ?? (() => undefined);
  }

  call(options: PendingCallOptions): PendingCall {
    const refusal = this.#refusal() ?? this.#overLimit(callBytes(options.args));
    this.#outstanding++;
    this.#outstandingBytes += callBytes(options.args);
    const call = new PendingCall(options, this);
    if (refusal) call.fail(refusal);
    else if (this.#stream && this.#waiting.length === 0) {
      this.#stream.send(call);
      if (this.#cancelWatch === undefined) this.#watch(this.#stream, this.#silenceMs.first);
    } else {
      this.#waiting.push(call);
      this.#find();
    }
    return call;
  }

  /** Returns when the actor is alive. @throws {PalimpsestError} ACTOR_DIED, GET_TIMEOUT, CANCELLED */
  async ready(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const deadlineAt = this.clock.monotonicMs() + timeoutMs;
    while (!this.#stream) {
      const refusal = this.#refusal();
      if (refusal) throw refusal;
      if (signal?.aborted) {
        throw new PalimpsestError("CANCELLED", "the wait for the actor was cancelled", {
          cause: signal.reason,
        });
      }
      const leftMs = deadlineAt - this.clock.monotonicMs();
      if (leftMs <= 0) {
        throw new PalimpsestError(
          "GET_TIMEOUT",
          this.#hindrance
            ? `actor ${this.actorId} took no call within ${timeoutMs} ms: ${this.#hindrance.rawMessage}`
            : `actor ${this.actorId} was not alive within ${timeoutMs} ms`,
          { cause: this.#hindrance },
        );
      }
      this.#find();
      await new Promise<void>((resolve) => {
        const wake = () => {
          cancelTimer();
          this.#readyWaiters.delete(wake);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const cancelTimer = this.clock.after(Math.min(leftMs, longestTimerMs), wake);
        this.#readyWaiters.add(wake);
        signal?.addEventListener("abort", wake, { once: true });
      });
    }
  }

  /** The head says that it died for good. */
  noticeDeath(info: proto.ActorInfo.$Properties): void {
    this.#die(diedError(info));
  }

  #die(error: PalimpsestError): void {
    if (this.#dead || this.#closed) return;
    this.#dead = error;
    this.#stopWatching();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) call.fail(error);
    this.#stream?.close(error);
    this.#opening?.close(error);
    this.#abort.abort();
    this.#wake();
    this.#onDead();
  }

  get hindrance(): PalimpsestError | undefined {
    return this.#hindrance;
  }

  abandon(call: PendingCall): void {
    if (call.callId > 0) {
      this.#stream?.abandon(call);
      return;
    }
    // Taken out many at a time: each by itself would cost a search.
    this.#settledWaiting++;
    if (this.#settledWaiting * 2 <= this.#waiting.length) return;
    this.#waiting = this.#waiting.filter((waiting) => !waiting.settled);
    this.#settledWaiting = 0;
  }

  grant(call: PendingCall, items: number, bytes: number): void {
    this.#stream?.grant(call, items, bytes);
  }

  settled(call: PendingCall): void {
    this.#outstanding--;
    this.#outstandingBytes -= call.sizeBytes;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopWatching();
    const error = closedError();
    for (const call of this.#waiting.splice(0)) call.fail(error);
    this.#stream?.close(error);
    this.#opening?.close(error);
    this.#abort.abort();
    this.#wake();
  }

  #refusal(): PalimpsestError | undefined {
    if (this.#dead) return this.#dead;
    if (this.#closed) return closedError();
    return undefined;
  }

  #overLimit(sizeBytes: number): PalimpsestError | undefined {
    if (this.#outstanding >= this.#maxOutstandingCalls) {
      return new PalimpsestError(
        "PENDING_CALLS_LIMIT",
        `${this.#outstanding} calls to ${this.actorId} have no answer yet; await some before making more`,
      );
    }
    if (this.#outstanding === 0 || this.#outstandingBytes + sizeBytes <= this.#maxOutstandingBytes)
      return undefined;
    return new PalimpsestError(
      "PENDING_CALLS_LIMIT",
      `calls of ${this.#outstandingBytes} bytes to ${this.actorId} have no answer yet, and one of ${sizeBytes} more would exceed ${this.#maxOutstandingBytes}; await some before making more, or pass large data by reference`,
    );
  }

  #wake(): void {
    for (const wake of [...this.#readyWaiters]) wake();
  }

  /** Starts looking for the actor's process unless that is under way or not needed. */
  #find(cause?: PalimpsestError): void {
    if (this.#searching || this.#stream) return;
    this.#searching = true;
    void this.#search(cause);
  }

  async #search(cause: PalimpsestError | undefined): Promise<void> {
    let backoff = backoffMs.first;
    let waitMs = cause ? firstNewsWaitMs : resolveWaitMs;
    while (!this.#closed && !this.#dead) {
      const info = await this.#ask(waitMs);
      if (this.#closed || this.#dead) break;
      if (info?.state === ACTOR_STATE_DEAD) {
        this.noticeDeath(info);
        break;
      }
      // CHANNEL-3: the first news, or the lack of any, decides about calls in flight.
      const inFlight = this.#inFlight;
      this.#inFlight = [];
      this.#waiting = [...this.#sort(inFlight, info, cause), ...this.#waiting];
      waitMs = resolveWaitMs;
      const alive = info?.state === ACTOR_STATE_ALIVE;
      if (alive && (await this.#open(info.address ?? "", info.incarnation ?? 0))) return;
      // No news, or the process that the head still believes in cannot be reached.
      if (alive) waitMs = firstNewsWaitMs;
      if (alive || !info) {
        await delay(backoff, this.#abort.signal, this.clock);
        backoff = Math.min(backoff * 2, backoffMs.longest);
      }
    }
    this.#searching = false;
    const error = this.#dead ?? closedError();
    for (const call of this.#inFlight.splice(0)) call.fail(error);
  }

  async #ask(waitMs: number): Promise<proto.ActorInfo.$Properties | undefined> {
    const token = this.#network.credentials?.token;
    try {
      return await this.#resolver.resolve(this.actorId, this.#incarnation, waitMs, this.#abort.signal);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (error.code === "NOT_FOUND") {
        this.noticeDeath({ spec: { actorId: this.actorId }, certificate: { reason: error.message } });
      }
      // CHANNEL-7: unless a new token has come since the question was sent.
      if (error.code === "UNAUTHENTICATED" && this.#network.credentials?.token === token) this.#die(error);
      return undefined;
    }
  }

  /** Fails the calls that must not run twice and returns those to send again. */
  #sort(
    inFlight: readonly PendingCall[],
    info: proto.ActorInfo.$Properties | undefined,
    cause: PalimpsestError | undefined,
  ): PendingCall[] {
    const again: PendingCall[] = [];
    for (const call of inFlight) {
      if (call.settled) continue;
      if (call.retriesLeft > 0 && !call.started) {
        call.retriesLeft--;
        call.callId = 0;
        again.push(call);
        continue;
      }
      const title = info ? actorTitle(info) : this.actorId;
      const reason = info?.certificate?.reason || (cause?.message ?? "its stream broke");
      call.fail(
        new PalimpsestError(
          "ACTOR_UNAVAILABLE",
          `${title} went away while ${call.method} was in flight (${reason}); it may or may not have run`,
          { details: info ? certificateDetails(info) : { actorId: this.actorId }, cause },
        ),
      );
    }
    return again;
  }

  /** Opens a stream to the actor's process and sends what waits; false when it cannot be reached. */
  async #open(address: string, incarnation: number): Promise<boolean> {
    this.#incarnation = incarnation;
    const { stream, ready } = CallStream.open({
      address,
      network: this.#network,
      clock: this.clock,
      actorId: this.actorId,
      incarnation,
      onBreak: (error, unanswered) => this.#broken(stream, error, unanswered),
    });
    this.#opening = stream;
    try {
      await ready;
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      this.#hindrance = error.code === "UNAUTHENTICATED" ? error : undefined;
      return false;
    } finally {
      this.#opening = undefined;
    }
    // It may have broken between its answer and this continuation.
    if (stream.broken || this.#dead || this.#closed) {
      stream.close(this.#dead ?? closedError());
      return false;
    }
    this.#searching = false;
    this.#hindrance = undefined;
    this.#stream = stream;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#settledWaiting = 0;
    for (const call of waiting) if (!call.settled) stream.send(call);
    this.#watch(stream, this.#silenceMs.first);
    this.#wake();
    return true;
  }

  /** CHANNEL-6: looks after a stream that may have ended without a word, as when its machine vanished. */
  #watch(stream: CallStream, intervalMs: number): void {
    this.#cancelWatch = this.clock.after(intervalMs, () => {
      if (this.#stream !== stream) return;
      if (stream.size === 0) {
        this.#cancelWatch = undefined;
        return;
      }
      if (stream.silentMs < this.#silenceMs.first) {
        this.#watch(stream, this.#silenceMs.first);
        return;
      }
      void this.#verify(stream).then(() => {
        if (this.#stream === stream) this.#watch(stream, Math.min(intervalMs * 2, this.#silenceMs.longest));
      });
    });
  }

  #stopWatching(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
  }

  async #verify(stream: CallStream): Promise<void> {
    let info: proto.ActorInfo.$Properties;
    try {
      info = await this.#resolver.resolve(this.actorId, 0, 0, this.#abort.signal);
    } catch {
      // A head that is away or has lost its tables says nothing about the actor.
      return;
    }
    if (this.#stream !== stream) return;
    const { state } = info;
    if (state === ACTOR_STATE_DEAD) {
      this.noticeDeath(info);
      return;
    }
    const incarnation = info.incarnation ?? 0;
    const ended = state === ACTOR_STATE_RESTARTING || state === ACTOR_STATE_PENDING;
    if (incarnation < stream.incarnation || (incarnation === stream.incarnation && !ended)) return;
    stream.close(
      new PalimpsestError(
        "ACTOR_UNAVAILABLE",
        `incarnation ${stream.incarnation} of ${actorTitle(info)} has ended, says the head`,
      ),
    );
  }

  #broken(stream: CallStream, error: PalimpsestError, unanswered: readonly PendingCall[]): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#stopWatching();
    if (this.#dead || this.#closed) {
      for (const call of unanswered) call.fail(this.#dead ?? error);
      return;
    }
    this.#inFlight = this.#inFlight.concat(unanswered);
    this.#find(error);
  }
}

function closedError(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
}
