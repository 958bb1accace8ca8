/**
 * Job: all calls of this process to one actor: finds the actor, keeps a stream to its current process, and
 * decides what happens to calls when that process goes.
 * Non-job: encoding, typing (actor-handle.ts); transport (call-stream.ts).
 *
 * H1. Calls made before the actor is alive wait and are sent in the order in which they were made.
 * H2. A call is sent at most once, unless it has retries left and none of its items was seen.
 * H3. When the process dies, calls in flight fail: ACTOR_DIED when it does not come back, else ACTOR_UNAVAILABLE.
 * H4. After ACTOR_DIED every call fails at once with the same certificate.
 * H5. At most `maxOutstandingCalls` wait or fly; one more fails with PENDING_CALLS_LIMIT.
 */
import { type Network, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { CallStream } from "./call-stream.js";
import { actorTitle, certificateDetails, diedError } from "./death.js";
import { delay } from "./delay.js";
import { type CallCarrier, PendingCall, type PendingCallOptions } from "./pending-call.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

/** How long calls in flight wait for news of a process whose stream broke. */
const firstNewsWaitMs = 1_000;
const resolveWaitMs = 10_000;
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
}

export class ActorChannel implements CallCarrier {
  readonly actorId: string;
  readonly #network: Network;
  readonly #resolver: ActorResolver;
  readonly #maxOutstandingCalls: number;
  readonly #abort = new AbortController();
  #waiting: PendingCall[] = [];
  #stream: CallStream | undefined;
  /** On its way to be #stream. */
  #opening: CallStream | undefined;
  /** Calls that were in flight when the stream broke, until the first news. */
  #inFlight: PendingCall[] = [];
  #searching = false;
  #incarnation = 0;
  #dead: PalimpsestError | undefined;
  #closed = false;
  #readyWaiters = new Set<() => void>();

  constructor(options: ActorChannelOptions) {
    this.actorId = options.actorId;
    this.#network = options.network;
    this.#resolver = options.resolver;
    this.#maxOutstandingCalls = options.maxOutstandingCalls ?? 100_000;
  }

  call(options: PendingCallOptions): PendingCall {
    const call = new PendingCall(options, this);
    const refusal = this.#refusal();
    if (refusal) call.fail(refusal);
    else if (this.#stream && this.#waiting.length === 0) this.#stream.send(call);
    else {
      this.#waiting.push(call);
      this.#find();
    }
    return call;
  }

  /** Returns when the actor is alive. @throws {PalimpsestError} ACTOR_DIED, GET_TIMEOUT, CANCELLED */
  async ready(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const deadlineAt = Date.now() + timeoutMs;
    while (!this.#stream) {
      const refusal = this.#refusal();
      if (refusal) throw refusal;
      if (signal?.aborted) {
        throw new PalimpsestError("CANCELLED", "the wait for the actor was cancelled", {
          cause: signal.reason,
        });
      }
      const leftMs = deadlineAt - Date.now();
      if (leftMs <= 0) {
        throw new PalimpsestError(
          "GET_TIMEOUT",
          `actor ${this.actorId} was not alive within ${timeoutMs} ms`,
        );
      }
      this.#find();
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#readyWaiters.delete(wake);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const timer = setTimeout(wake, Math.min(leftMs, longestTimerMs));
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
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) call.fail(error);
    this.#stream?.close(error);
    this.#opening?.close(error);
    this.#abort.abort();
    this.#wake();
  }

  abandon(call: PendingCall): void {
    const index = call.callId === 0 ? this.#waiting.indexOf(call) : -1;
    if (index >= 0) this.#waiting.splice(index, 1);
    else this.#stream?.abandon(call);
  }

  grant(call: PendingCall, items: number): void {
    this.#stream?.grant(call, items);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
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
    if (this.#waiting.length + (this.#stream?.size ?? 0) < this.#maxOutstandingCalls) return undefined;
    return new PalimpsestError(
      "PENDING_CALLS_LIMIT",
      `${this.#maxOutstandingCalls} calls to ${this.actorId} have no answer yet; await some before making more`,
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
      // H3: the first news, or the lack of any, decides about calls in flight.
      this.#waiting.unshift(...this.#sort(this.#inFlight.splice(0), info, cause));
      waitMs = resolveWaitMs;
      const alive = info?.state === ACTOR_STATE_ALIVE;
      if (alive && (await this.#open(info.address ?? "", info.incarnation ?? 0))) return;
      // No news, or the process that the head still believes in cannot be reached.
      if (alive) waitMs = firstNewsWaitMs;
      if (alive || !info) {
        await delay(backoff, this.#abort.signal);
        backoff = Math.min(backoff * 2, backoffMs.longest);
      }
    }
    this.#searching = false;
    const error = this.#dead ?? closedError();
    for (const call of this.#inFlight.splice(0)) call.fail(error);
  }

  async #ask(waitMs: number): Promise<proto.ActorInfo.$Properties | undefined> {
    try {
      return await this.#resolver.resolve(this.actorId, this.#incarnation, waitMs, this.#abort.signal);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (error.code === "NOT_FOUND" || error.code === "UNAUTHENTICATED") {
        this.noticeDeath({ spec: { actorId: this.actorId }, certificate: { reason: error.message } });
      }
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
      incarnation,
      onBreak: (error, unanswered) => this.#broken(stream, error, unanswered),
    });
    this.#opening = stream;
    try {
      await ready;
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (error.code === "UNAUTHENTICATED") this.#die(error);
      return false;
    } finally {
      this.#opening = undefined;
    }
    this.#searching = false;
    this.#stream = stream;
    for (const call of this.#waiting.splice(0)) stream.send(call);
    this.#wake();
    return true;
  }

  #broken(stream: CallStream, error: PalimpsestError, unanswered: readonly PendingCall[]): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    if (this.#dead || this.#closed) {
      for (const call of unanswered) call.fail(this.#dead ?? error);
      return;
    }
    this.#inFlight.push(...unanswered);
    this.#find(error);
  }
}

function closedError(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
}
