/**
 * Responsibility: the driver's lease at the head: one stream under one session id, renewed while it is open and
 * reopened after every break.
 * Not responsible for: what the head does with actors of a lost session, or the thread in which it runs
 * (session-thread.ts).
 *
 * Invariants:
 * - SESSION-1. From open() to close() or release() the stream is open, or is being reopened under the same id.
 * - SESSION-2. close() says goodbye, so that the session's actors end now and not after the grace period.
 * - SESSION-3. Only a refusal of the token, the certificate, the session or the protocol ends it early, and onLost reports that
 *   once. Credentials that may be renewed in the meantime are presented again for `refusalGraceMs`.
 * - SESSION-4. While the stream is open a renewal is sent at least four times per session lease of the head.
 * - SESSION-8. close() takes at most three times `goodbyeTimeoutMs`, whatever the head or a released stream does.
 */
import type { ClientDuplexStream } from "@grpc/grpc-js";
import { Backoff, backgroundClock, type Clock, delay, every } from "@palimpsest/std";
import {
  fromGrpcError,
  headService,
  ownProtocols,
  PalimpsestError,
  type Peer,
  retryUntil,
  softwareVersion,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { atMost } from "../base/at-most.js";

const backoffLimits = { firstMs: 50, longestMs: 1_000 };
const goodbyeTimeoutMs = 2_000;
const renewalsPerLease = 4;
const defaultLeaseMs = 120_000;

export interface SessionOptions {
  readonly sessionId: string;
  readonly name: string;
  readonly jobId: string;
  /** Its objects count against the quotas of this namespace. */
  readonly namespace: string;
  readonly onActorDied: (info: proto.ActorInfo.$Properties) => void;
  /** Called when the cluster's token was replaced, with the token that this driver sends from now on. */
  readonly onNewToken?: (token: string, graceMs: number) => void;
  readonly onLost?: (error: PalimpsestError) => void;
  /**
   * For how many milliseconds a session that is refused as UNAUTHENTICATED is retried, because a certificate may be
   * revoked before its renewal was read. Default 0.
   */
  readonly refusalGraceMs?: number;
  /** Answers with the stack of the driver, or a profile. Default: reports that there is none. */
  readonly stack?: (request: proto.StackRequest.$Properties) => Promise<proto.StackReport.$Properties>;
  readonly clock?: Clock;
}

type SessionStream = ClientDuplexStream<proto.SessionMessage.$Properties, proto.SessionEvent.$Properties>;

export class Session {
  readonly #peer: Peer;
  readonly #options: SessionOptions;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  #stream: SessionStream | undefined;
  #keeping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(peer: Peer, options: SessionOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
  }

  /** Resolves when the head has opened the session. @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED */
  static async open(peer: Peer, options: SessionOptions, timeoutMs: number): Promise<Session> {
    const session = new Session(peer, options);
    const mayRetry = ({ retryable }: PalimpsestError) => retryable;
    const settings = { timeoutMs, backoff: backoffLimits, clock: session.#clock, mayRetry };
    return await retryUntil(settings, async (leftMs) => {
      const attempt = session.#attempt(Math.min(10_000, leftMs));
      await attempt.opened;
      session.#keeping = session.#keep(attempt.closed);
      return session;
    });
  }

  /** @param reopen whether the head may have closed the stream in favor of another one, which has ended since */
  close(reopen = false): Promise<void> {
    this.#closing ??= this.#close(reopen);
    return this.#closing;
  }

  /** SESSION-8 */
  async #close(reopen: boolean): Promise<void> {
    this.#abort.abort();
    const stream = this.#stream ?? (reopen ? await this.#openedAgain() : undefined);
    if (stream) {
      stream.write({ ...this.#hello(), goodbye: true });
      stream.end();
    }
    if (await atMost(goodbyeTimeoutMs, this.#keeping, this.#clock)) return;
    this.#stream?.cancel();
    await atMost(goodbyeTimeoutMs, this.#keeping, this.#clock);
  }

  /** Returns a stream on which to say goodbye. */
  async #openedAgain(): Promise<SessionStream | undefined> {
    const { opened, closed } = this.#attempt(goodbyeTimeoutMs);
    this.#keeping = Promise.all([this.#keeping, closed]).then(() => undefined);
    return opened.then(
      () => this.#stream,
      () => undefined,
    );
  }

  /**
   * Leaves the session to another stream, which opens it under the same id. It is not reopened from here, and this
   * stream stays until the head closes it in favor of the newer one.
   */
  release(): void {
    this.#abort.abort();
  }

  #hello(): proto.SessionMessage.$Properties {
    const { sessionId, name, jobId, namespace } = this.#options;
    return {
      sessionId,
      name,
      jobId,
      namespace,
      pid: process.pid,
      version: softwareVersion(),
      protocols: ownProtocols(),
    };
  }

  #attempt(openTimeoutMs: number): { opened: Promise<void>; closed: Promise<PalimpsestError> } {
    const stream = this.#peer.bidi(headService.session, { background: true });
    this.#stream = stream;
    let settleClosed!: (error: PalimpsestError) => void;
    const closed = new Promise<PalimpsestError>((resolve) => {
      settleClosed = resolve;
    });
    const opened = new Promise<void>((resolve, reject) => {
      const cancelTimer = this.#clock.after(openTimeoutMs, () => stream.cancel());
      let stopRenewing: () => void = () => undefined;
      const leave = (error: PalimpsestError) => {
        cancelTimer();
        stopRenewing();
        if (this.#stream === stream) this.#stream = undefined;
        reject(error);
        settleClosed(error);
      };
      stream.on("data", (event: proto.SessionEvent.$Properties) => {
        if (event.opened) {
          cancelTimer();
          const leaseMs = event.opened.sessionLeaseMs || defaultLeaseMs;
          stopRenewing();
          stopRenewing = every(this.#clock, leaseMs / renewalsPerLease, () =>
            stream.write({ sessionId: this.#options.sessionId }),
          );
          resolve();
        } else if (event.actorDied) this.#options.onActorDied(event.actorDied);
        else if (event.newToken?.use)
          this.#options.onNewToken?.(event.newToken.token ?? "", event.newToken.graceMs ?? 0);
        else if (event.stackRequest) void this.#answer(stream, event.stackRequest);
      });
      stream.on("error", (reason) => leave(fromGrpcError(reason)));
      stream.on("end", () => leave(new PalimpsestError("UNAVAILABLE", "the head closed the session")));
    });
    stream.write(this.#hello());
    return { opened, closed };
  }

  async #answer(stream: SessionStream, request: proto.StackRequest.$Properties): Promise<void> {
    const { sessionId, stack } = this.#options;
    const report = stack
      ? await stack(request).catch((reason: unknown) => ({ problem: PalimpsestError.from(reason).message }))
      : { problem: "the thread that could read its stack has not started yet; ask again in a second" };
    stream.write({ sessionId, stack: { ...report, requestId: request.requestId ?? "", pid: process.pid } });
  }

  /** SESSION-1: waits for the end of the stream and opens the next one. */
  async #keep(firstClosed: Promise<PalimpsestError>): Promise<void> {
    let closed = firstClosed;
    const backoff = new Backoff(backoffLimits);
    let refusedAtMs: number | undefined;
    for (;;) {
      const error = await closed;
      if (this.#abort.signal.aborted) return;
      if (error.code === "UNAUTHENTICATED") refusedAtMs ??= this.#clock.monotonicMs();
      if (this.#isFinal(error, refusedAtMs)) {
        this.#options.onLost?.(error);
        return;
      }
      await delay(backoff.next(), this.#abort.signal, this.#clock);
      if (this.#abort.signal.aborted) return;
      const attempt = this.#attempt(10_000);
      closed = attempt.closed;
      await attempt.opened.then(
        () => {
          backoff.reset();
          refusedAtMs = undefined;
        },
        () => undefined,
      );
    }
  }

  #isFinal({ code }: PalimpsestError, refusedAtMs = 0): boolean {
    const { refusalGraceMs = 0 } = this.#options;
    if (code === "UNAUTHENTICATED") return this.#clock.monotonicMs() - refusedAtMs >= refusalGraceMs;
    return code === "OWNER_DIED" || code === "NOT_FOUND" || code === "PROTOCOL_MISMATCH";
  }
}
