/**
 * Responsibility: a channel to the cluster's head that stays usable when another head takes over. Each call goes to the
 * head that is believed to lead.
 * Not responsible for: retrying failed calls (its users), or knowing which heads there are (head-connection.ts).
 *
 * Invariants:
 * - HEADPEER-1. After a call has failed with UNAVAILABLE, the next call goes to the next head.
 * - HEADPEER-2. When there is another head, one that answers no probe for probe.timeoutMs counts as unavailable, and
 *   the calls in progress there end with UNAVAILABLE. This detects a suspended head, which keeps its connections open
 *   and sends nothing.
 * - HEADPEER-3. A peer that is used learns within lone.everyMs of a standby that is started later, also one that knows a
 *   single head. The only exception is a head with a Redis of its own, which can have no standby.
 */

import type { ClientDuplexStream, ClientReadableStream, ClientWritableStream } from "@grpc/grpc-js";
import { backgroundClock, type Clock, every, joinSignals, whenAborted } from "@palimpsest/std";
import { PalimpsestError } from "../base/error.js";
import { fromGrpcError } from "../failures/status.js";
import type { CallSettings, Network, Peer } from "../network/network.js";
import type { Method } from "../protocol/method.js";
import { headService } from "../protocol/services.js";
import { HeadConnection } from "./head-connection.js";

const probe = { everyMs: 2_000, timeoutMs: 3_000 };
/** How often a single head that is used is asked for others. */
const lone = { everyMs: 20_000 };

interface Stream {
  on(event: "error", listener: (reason: unknown) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  destroy(error?: Error): unknown;
  cancel(): void;
}

/** The head as a peer of RPCs, whichever of several heads it is at the moment. */
export class HeadPeer implements Peer {
  readonly #heads: HeadConnection;
  readonly #clock: Clock;
  readonly #streams = new Set<Stream>();
  /**
   * Aborts at the next move. All calls to one head share it, because nearly all of them are answered before it
   * aborts.
   */
  #moved = sharedController();
  #stopProbing: (() => void) | undefined;
  /** Stops asking a single head for others; undefined before its first use. */
  #stopAsking: (() => void) | undefined;
  /** Whether a call was made since the head was last asked. */
  #used = false;
  #probing = false;

  /** @param addresses host:port of each known head, separated by commas */
  constructor(network: Network, addresses: string, clock: Clock = backgroundClock) {
    this.#heads = new HeadConnection(network, addresses);
    this.#clock = clock;
    this.#heads.onMoved(() => this.#endAll());
    this.#probeIfNeeded();
  }

  get address(): string {
    return this.#heads.peer.address;
  }

  /** Every known address, the current one first, separated by commas. */
  get addresses(): string {
    return this.#heads.addresses;
  }

  /** Records the list of heads that a head sent. */
  learn(addresses: readonly string[] | null | undefined): void {
    this.#heads.learn(addresses);
    this.#probeIfNeeded();
  }

  /** Calls back after each move to another head. */
  onMoved(listener: () => void): () => void {
    return this.#heads.onMoved(listener);
  }

  async unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings: CallSettings & { readonly timeoutMs: number },
  ): Promise<Response> {
    const { peer } = this.#heads;
    this.#noteUse();
    return await this.#following(peer, settings.signal, (signal) =>
      peer.unary(method, request, { ...settings, signal }),
    );
  }

  serverStream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings?: CallSettings,
  ): ClientReadableStream<Response> {
    const { peer } = this.#heads;
    return this.#watched(peer, peer.serverStream(method, request, settings));
  }

  clientStream<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): { readonly stream: ClientWritableStream<Request>; readonly response: Promise<Response> } {
    const { peer } = this.#heads;
    let stream!: ClientWritableStream<Request>;
    const response = this.#following(peer, settings?.signal, (signal) => {
      const call = peer.clientStream(method, { ...settings, signal });
      stream = call.stream;
      return call.response;
    });
    return { stream, response };
  }

  bidi<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): ClientDuplexStream<Request, Response> {
    const { peer } = this.#heads;
    return this.#watched(peer, peer.bidi(method, settings));
  }

  close(): void {
    this.#stopProbing?.();
    this.#stopAsking?.();
    this.#heads.close();
  }

  /** Waits for the answer of one head. A move to another head ends the wait. */
  async #following<Response>(
    peer: Peer,
    signal: AbortSignal | undefined,
    ask: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const moved = this.#moved.signal;
    const either = signal && joinSignals(signal, moved);
    try {
      return await ask(either?.signal ?? moved);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      if (error.code === "CANCELLED" && moved.aborted && !signal?.aborted) throw silent(peer);
      this.#noteFailure(peer, error);
      throw error;
    } finally {
      either?.forget();
    }
  }

  #watched<S extends Stream>(peer: Peer, stream: S): S {
    this.#noteUse();
    this.#streams.add(stream);
    stream.on("error", (reason) => {
      this.#streams.delete(stream);
      this.#noteFailure(peer, fromGrpcError(reason));
    });
    stream.on("close", () => this.#streams.delete(stream));
    return stream;
  }

  #noteFailure(peer: Peer, error: PalimpsestError): void {
    if (error.code === "UNAVAILABLE") this.#heads.failed(peer);
  }

  /** Ends everything in progress on the old channel after a move. */
  #endAll(): void {
    const moved = this.#moved;
    // Calls made from now on go to the other head.
    this.#moved = sharedController();
    moved.abort();
    const streams = [...this.#streams];
    this.#streams.clear();
    for (const stream of streams) {
      // The stream is destroyed before it is canceled, so that this is the first error that its user sees.
      stream.destroy(new PalimpsestError("UNAVAILABLE", "the channel moved to another head: call again"));
      stream.cancel();
    }
  }

  #probeIfNeeded(): void {
    if (!this.#heads.hasOthers) return;
    this.#stopProbing ??= every(this.#clock, probe.everyMs, () => void this.#probe());
  }

  /** HEADPEER-3 */
  #noteUse(): void {
    this.#used = true;
    this.#stopAsking ??= every(this.#clock, lone.everyMs, () => {
      if (this.#heads.hasOthers || (!this.#used && this.#streams.size === 0)) return;
      this.#used = false;
      void this.#probe();
    });
  }

  async #probe(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    const { peer } = this.#heads;
    try {
      const settings = { timeoutMs: probe.timeoutMs, background: true };
      const info = await peer.unary(headService.getCluster, {}, settings);
      this.learn(info.headAddresses);
      if (info.redisPid) this.#stopAsking?.();
    } catch (reason) {
      const { code } = PalimpsestError.from(reason);
      if (code === "UNAVAILABLE" || code === "GET_TIMEOUT") this.#heads.failed(peer);
    } finally {
      this.#probing = false;
    }
  }
}

function silent(peer: Peer): PalimpsestError {
  return new PalimpsestError("UNAVAILABLE", `the head at ${peer.address} does not answer`);
}

/**
 * Creates a controller whose signal keeps one listener, so that calls do not add and remove listeners of their own.
 */
function sharedController(): AbortController {
  const controller = new AbortController();
  whenAborted(controller.signal, () => undefined);
  return controller;
}
