/**
 * Responsibility: all calls of this process to one actor: finds the actor, keeps a stream to its current process, and
 * decides what happens to calls when that process ends.
 * Not responsible for: encoding and typing (actor-handle.ts), or transport (call-stream.ts).
 *
 * Invariants:
 * - CHANNEL-1. Calls made before the actor is alive wait and are sent in the order in which they were made.
 * - CHANNEL-2. A call is sent at most once, unless it has retries left and none of its items has been read.
 * - CHANNEL-8. An error thrown by the method ends the call, unless the call asks for retries on exceptions and has
 *   one left.
 * - CHANNEL-3. When the process dies, calls in flight fail: with ACTOR_DIED if the actor does not come back, else
 *   with ACTOR_UNAVAILABLE.
 * - CHANNEL-4. After ACTOR_DIED every call fails at once with the same certificate.
 * - CHANNEL-5. At most `maxOutstandingCalls` calls with `maxOutstandingBytes` bytes are outstanding; one more fails
 *   with PENDING_CALLS_LIMIT. A single call may be larger.
 * - CHANNEL-7. An actor that refuses this caller's token counts as temporarily unreachable, because during a rotation
 *   it may know only the old token. A token that the head refuses too is wrong, and every call fails with that error.
 * - CHANNEL-6. A process that is silent while calls are in flight is given up only when the head reports that this
 *   incarnation of the actor has ended, because an actor may compute for any length of time.
 */
import { backgroundClock, type Clock, systemClock, Waiters } from "@palimpsest/std";
import { Deadlines, type Network, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import { diedError } from "../base/death.js";
import { ActorSearch } from "./actor-search.js";
import type { ActorStream } from "./actor-stream.js";
import { CallIdentities } from "./call-identities.js";
import { InFlightCalls } from "./in-flight-calls.js";
import { OutstandingCalls } from "./outstanding-calls.js";
import { callBytes, PendingCall } from "./pending-call.js";
import { type ActorCallOptions, RetriedCall, type RetryCarrier } from "./retried-call.js";
import type { SharedStreams } from "./shared-streams.js";
import { StreamWatch } from "./stream-watch.js";
import { WaitingCalls } from "./waiting-calls.js";

/** The head is asked about a silent actor after `first` milliseconds, and then at intervals that grow to `longest`. */
const defaultSilenceMs = { first: 5_000, longest: 30_000 };
const defaultMaxOutstandingCalls = 100_000;
const defaultMaxOutstandingBytes = 256 * 1024 * 1024;

/** What a channel is made of. */
export interface ActorChannelOptions {
  readonly actorId: string;
  /** The caller's name, which listings of calls show. */
  readonly callerId?: string | undefined;
  readonly network: Network;
  readonly resolver: ActorResolver;
  /** The shared streams to light actors. If it is absent, each actor has a stream of its own. */
  readonly shared?: SharedStreams | undefined;
  readonly maxOutstandingCalls?: number;
  readonly maxOutstandingBytes?: number;
  readonly silenceMs?: { readonly first: number; readonly longest: number };
  readonly clock?: Clock;
  /** Called once when the actor has permanently died. */
  readonly onDead?: () => void;
}

/** Carries one program's calls to one actor: over its incarnations, in order, with retries. */
export class ActorChannel implements RetryCarrier {
  readonly actorId: string;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly #onDead: () => void;
  readonly #abort = new AbortController();
  readonly #outstanding: OutstandingCalls;
  readonly #waiting = new WaitingCalls();
  readonly #inFlight: InFlightCalls;
  readonly #identities: CallIdentities;
  readonly #search: ActorSearch;
  readonly #watch: StreamWatch;
  /** Callers that wait until the actor is alive, or until it is known that it never will be. */
  readonly #readyWaiters: Waiters;
  #stream: ActorStream | undefined;
  #dead: PalimpsestError | undefined;
  #closed = false;

  constructor(options: ActorChannelOptions) {
    const { actorId, callerId, network, resolver, shared, clock = systemClock } = options;
    this.actorId = actorId;
    this.clock = clock;
    this.deadlines = new Deadlines(clock);
    this.#onDead = options.onDead ?? (() => undefined);
    this.#outstanding = new OutstandingCalls(
      actorId,
      options.maxOutstandingCalls ?? defaultMaxOutstandingCalls,
      options.maxOutstandingBytes ?? defaultMaxOutstandingBytes,
    );
    this.#inFlight = new InFlightCalls(actorId);
    this.#identities = new CallIdentities(clock);
    this.#readyWaiters = new Waiters(clock);
    const { signal } = this.#abort;
    const onDeath = (info: proto.ActorInfo.$Properties) => this.noticeDeath(info);
    this.#search = new ActorSearch({
      ...{ actorId, callerId, network, resolver, shared, clock, signal, onDeath },
      inFlight: this.#inFlight,
      identities: this.#identities,
      waiting: this.#waiting,
      over: () => this.#refusal(),
      onFound: (stream) => this.#adopt(stream),
      onBreak: (stream, ...broken) => this.#broken(stream, ...broken),
      onRefusal: (error) => this.#die(error),
    });
    const silenceMs = options.silenceMs ?? defaultSilenceMs;
    const watchClock = options.clock ?? backgroundClock;
    this.#watch = new StreamWatch({ actorId, resolver, clock: watchClock, signal, silenceMs, onDeath });
  }

  call(options: ActorCallOptions): PendingCall {
    const sizeBytes = callBytes(options.args);
    const refusal = this.#refusal() ?? this.#outstanding.refusal(sizeBytes);
    this.#outstanding.add(sizeBytes);
    const call = options.retryExceptions ? new RetriedCall(options, this) : new PendingCall(options, this);
    if (refusal) call.fail(refusal);
    else this.#send(call);
    return call;
  }

  again(call: PendingCall): void {
    call.callId = 0;
    const refusal = this.#refusal();
    if (refusal) call.fail(refusal);
    else this.#send(call);
  }

  #send(call: PendingCall): void {
    if (this.#stream && this.#waiting.isEmpty && call.args) {
      this.#stream.send(call);
      this.#watch.start(this.#stream);
    } else {
      this.#waiting.push(call);
      this.#find();
    }
  }

  /** Resolves when the actor is alive. @throws {PalimpsestError} ACTOR_DIED, GET_TIMEOUT, CANCELLED */
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
          this.hindrance
            ? `actor ${this.actorId} accepted no call within ${timeoutMs} ms: ${this.hindrance.rawMessage}`
            : `actor ${this.actorId} was not alive within ${timeoutMs} ms`,
          { cause: this.hindrance },
        );
      }
      this.#find();
      await this.#readyWaiters.wait(leftMs, signal);
    }
  }

  /** Handles the head's report that the actor has permanently died. */
  noticeDeath(info: proto.ActorInfo.$Properties): void {
    this.#die(diedError(info));
  }

  #die(error: PalimpsestError): void {
    if (this.#dead || this.#closed) return;
    this.#dead = error;
    this.#end(error);
    this.#onDead();
  }

  get hindrance(): PalimpsestError | undefined {
    return this.#search.hindrance;
  }

  abandon(call: PendingCall): void {
    if (call.callId > 0) this.#stream?.abandon(call);
    else {
      this.#waiting.abandonOne();
      // The calls behind it may have waited for its arguments.
      this.prepared();
    }
  }

  grant(call: PendingCall, items: number, bytes: number): void {
    this.#stream?.grant(call, items, bytes);
  }

  prepared(): void {
    if (this.#stream) this.#sendReady(this.#stream);
  }

  settled(call: PendingCall): void {
    this.#outstanding.remove(call.sizeBytes);
    this.#identities.settled(call);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#end(closedError());
  }

  #end(error: PalimpsestError): void {
    this.#watch.stop();
    for (const call of this.#waiting.takeAll()) call.fail(error);
    this.#stream?.close(error);
    this.#search.close(error);
    this.#abort.abort();
    this.#readyWaiters.wakeAll();
  }

  #refusal(): PalimpsestError | undefined {
    if (this.#dead) return this.#dead;
    if (this.#closed) return closedError();
    return undefined;
  }

  /** Starts the search for the actor's process unless a search is in progress or not needed. */
  #find(cause?: PalimpsestError): void {
    if (!this.#stream) this.#search.start(cause);
  }

  /** Sends the waiting calls on a stream that the actor has accepted. */
  #adopt(stream: ActorStream): void {
    this.#stream = stream;
    this.#sendReady(stream);
    this.#readyWaiters.wakeAll();
  }

  #sendReady(stream: ActorStream): void {
    for (const call of this.#waiting.takeReady()) if (!call.settled) stream.send(call);
    this.#watch.start(stream);
  }

  #broken(
    stream: ActorStream,
    error: PalimpsestError,
    unanswered: readonly PendingCall[],
    unsent: readonly PendingCall[] = [],
  ): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#watch.stop();
    if (this.#dead || this.#closed) {
      for (const call of [...unanswered, ...unsent]) call.fail(this.#dead ?? error);
      return;
    }
    this.#waiting.putFirst(unsent);
    this.#inFlight.add(unanswered);
    this.#find(error);
  }
}

function closedError(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
}
