/**
 * Responsibility: finds the process in which an actor runs: asks the head until the actor is alive, and opens a
 * stream to it. The first report, or its absence, decides about calls that were in flight (CHANNEL-3).
 * Not responsible for: the use of the stream (actor-channel.ts).
 */
import { Backoff, type Clock, delay } from "@palimpsest/std";
import { type Network, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorResolver } from "../base/actor-resolver.js";
import type { ActorStream, OnBreak } from "./actor-stream.js";
import type { CallIdentities } from "./call-identities.js";
import { CallStream } from "./call-stream.js";
import type { InFlightCalls } from "./in-flight-calls.js";
import type { SharedStreams } from "./shared-streams.js";
import type { WaitingCalls } from "./waiting-calls.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

/** The milliseconds for which calls in flight wait for a report about a process whose stream broke. */
const firstNewsWaitMs = 1_000;
const resolveWaitMs = 10_000;
const backoffLimits = { firstMs: 100, longestMs: 2_000 };

export interface ActorSearchDeps {
  readonly actorId: string;
  readonly callerId?: string | undefined;
  readonly network: Network;
  readonly resolver: ActorResolver;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly inFlight: InFlightCalls;
  /** Assigns identities to calls; it is present only if the actor is durable. */
  readonly identities: CallIdentities;
  readonly waiting: WaitingCalls;
  /** The shared streams to light actors. If it is absent, each actor has a stream of its own. */
  readonly shared?: SharedStreams | undefined;
  /** Returns why the search has ended; undefined while the channel is in use. */
  readonly over: () => PalimpsestError | undefined;
  /** Called with the stream that the actor has accepted. */
  readonly onFound: (stream: ActorStream) => void;
  readonly onBreak: (stream: ActorStream, ...broken: Parameters<OnBreak>) => void;
  /** Called when the head reports that the actor has permanently died. */
  readonly onDeath: (info: proto.ActorInfo.$Properties) => void;
  /** Called when the head refuses this caller. */
  readonly onRefusal: (error: PalimpsestError) => void;
}

export class ActorSearch {
  readonly #deps: ActorSearchDeps;
  /** The stream that the actor has not accepted yet. */
  #opening: ActorStream | undefined;
  #searching = false;
  #incarnation = 0;
  #hindrance: PalimpsestError | undefined;

  constructor(deps: ActorSearchDeps) {
    this.#deps = deps;
  }

  /** Why the process that the head named did not accept the last stream. */
  get hindrance(): PalimpsestError | undefined {
    return this.#hindrance;
  }

  /** Starts the search unless one is in progress. @param cause why the last stream broke */
  start(cause?: PalimpsestError): void {
    if (this.#searching) return;
    this.#searching = true;
    void this.#search(cause);
  }

  /** Ends the stream that is being opened, after which the search ends by itself. */
  close(error: PalimpsestError): void {
    this.#opening?.close(error);
  }

  async #search(cause: PalimpsestError | undefined): Promise<void> {
    const { clock, signal, inFlight, waiting, over, onDeath } = this.#deps;
    const backoff = new Backoff(backoffLimits);
    let waitMs = cause ? firstNewsWaitMs : resolveWaitMs;
    while (!over()) {
      const info = await this.#ask(waitMs);
      if (over()) break;
      if (info?.state === ACTOR_STATE_DEAD) {
        onDeath(info);
        break;
      }
      waiting.putFirst(inFlight.decide(info, cause));
      waitMs = resolveWaitMs;
      const alive = info?.state === ACTOR_STATE_ALIVE;
      if (alive && (await this.#open(info))) return;
      // There is no report, or the process that the head believes to be alive cannot be reached.
      if (alive) waitMs = firstNewsWaitMs;
      if (alive || !info) {
        await delay(backoff.next(), signal, clock);
      }
    }
    this.#searching = false;
    const error = over();
    if (error) inFlight.fail(error);
  }

  async #ask(waitMs: number): Promise<proto.ActorInfo.$Properties | undefined> {
    const { actorId, network, resolver, signal, onDeath, onRefusal } = this.#deps;
    const token = network.credentials?.token;
    try {
      return await resolver.resolve(actorId, this.#incarnation, waitMs, signal);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (error.code === "NOT_FOUND") onDeath({ spec: { actorId }, certificate: { reason: error.message } });
      // CHANNEL-7, unless a new token has arrived since the request was sent.
      if (error.code === "UNAUTHENTICATED" && network.credentials?.token === token) onRefusal(error);
      return undefined;
    }
  }

  /** Opens a stream to the actor's process. Returns false if it cannot be reached. */
  async #open({ address, incarnation: number, spec }: proto.ActorInfo.$Properties): Promise<boolean> {
    const { actorId, callerId, network, clock, over, onFound, onBreak, identities } = this.#deps;
    const incarnation = number ?? 0;
    this.#incarnation = incarnation;
    const { shared } = this.#deps;
    const toBreak: OnBreak = (...broken) => onBreak(stream, ...broken);
    const where = { address: address ?? "", actorId, incarnation, onBreak: toBreak };
    const { stream, ready }: { readonly stream: ActorStream; readonly ready: Promise<void> } =
      spec?.sharedProcess && shared
        ? shared.open(where)
        : CallStream.open({ ...where, network, clock, callerId, ...(spec?.durable ? { identities } : {}) });
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
    const error = over();
    if (error) stream.close(error);
    if (stream.broken) return false;
    this.#searching = false;
    this.#hindrance = undefined;
    onFound(stream);
    return true;
  }
}
