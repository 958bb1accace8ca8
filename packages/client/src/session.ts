/**
 * Job: the driver's life line to the head: one stream under one session id, opened again after every break.
 * Non-job: what the head does to actors of a session that stays away.
 *
 * S1. From open() to close() the stream is open or is being opened again under the same id.
 * S2. close() says goodbye, so that the session's actors end now and not after the grace.
 * S3. Only a refusal of the token or of the session ends it early; onLost says so once.
 */
import type { ClientDuplexStream } from "@grpc/grpc-js";
import { fromGrpcError, headService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { delay } from "./delay.js";

const backoffMs = { first: 50, longest: 1_000 };
const goodbyeTimeoutMs = 2_000;

export interface SessionOptions {
  readonly sessionId: string;
  readonly name: string;
  readonly jobId: string;
  readonly onActorDied: (info: proto.ActorInfo.$Properties) => void;
  readonly onLost?: (error: PalimpsestError) => void;
}

type SessionStream = ClientDuplexStream<proto.SessionMessage.$Properties, proto.SessionEvent.$Properties>;

export class Session {
  readonly #peer: Peer;
  readonly #options: SessionOptions;
  readonly #abort = new AbortController();
  #stream: SessionStream | undefined;
  #keeping: Promise<void> | undefined;

  private constructor(peer: Peer, options: SessionOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  /** Returns when the head has opened the session. @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED */
  static async open(peer: Peer, options: SessionOptions, timeoutMs: number): Promise<Session> {
    const session = new Session(peer, options);
    const deadlineAt = Date.now() + timeoutMs;
    for (let backoff = backoffMs.first; ; backoff = Math.min(backoff * 2, backoffMs.longest)) {
      const attempt = session.#attempt(Math.max(1, deadlineAt - Date.now()));
      try {
        await attempt.opened;
        session.#keeping = session.#keep(attempt.closed);
        return session;
      } catch (reason) {
        const error = fromGrpcError(reason);
        if (!error.retryable || Date.now() + backoff >= deadlineAt) throw error;
        await delay(backoff);
      }
    }
  }

  async close(): Promise<void> {
    if (this.#abort.signal.aborted) return this.#keeping;
    this.#abort.abort();
    const stream = this.#stream;
    if (stream) {
      stream.write({ ...this.#hello(), goodbye: true });
      stream.end();
      const force = setTimeout(() => stream.cancel(), goodbyeTimeoutMs);
      await this.#keeping;
      clearTimeout(force);
    }
    await this.#keeping;
  }

  #hello(): proto.SessionMessage.$Properties {
    const { sessionId, name, jobId } = this.#options;
    return { sessionId, name, jobId, pid: process.pid };
  }

  #attempt(openTimeoutMs: number): { opened: Promise<void>; closed: Promise<PalimpsestError> } {
    const stream = this.#peer.bidi(headService.session);
    this.#stream = stream;
    let settleClosed!: (error: PalimpsestError) => void;
    const closed = new Promise<PalimpsestError>((resolve) => {
      settleClosed = resolve;
    });
    const opened = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => stream.cancel(), openTimeoutMs);
      const leave = (error: PalimpsestError) => {
        clearTimeout(timer);
        if (this.#stream === stream) this.#stream = undefined;
        reject(error);
        settleClosed(error);
      };
      stream.on("data", (event: proto.SessionEvent.$Properties) => {
        if (event.opened) {
          clearTimeout(timer);
          resolve();
        } else if (event.actorDied) this.#options.onActorDied(event.actorDied);
      });
      stream.on("error", (reason) => leave(fromGrpcError(reason)));
      stream.on("end", () => leave(new PalimpsestError("UNAVAILABLE", "the head closed the session")));
    });
    stream.write(this.#hello());
    return { opened, closed };
  }

  /** S1: waits for the stream's end and opens the next. */
  async #keep(firstClosed: Promise<PalimpsestError>): Promise<void> {
    let closed = firstClosed;
    let backoff = backoffMs.first;
    for (;;) {
      const error = await closed;
      if (this.#abort.signal.aborted) return;
      if (error.code === "UNAUTHENTICATED" || error.code === "OWNER_DIED" || error.code === "NOT_FOUND") {
        this.#options.onLost?.(error);
        return;
      }
      await delay(backoff, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      const attempt = this.#attempt(10_000);
      closed = attempt.closed;
      await attempt.opened.then(
        () => {
          backoff = backoffMs.first;
        },
        () => {
          backoff = Math.min(backoff * 2, backoffMs.longest);
        },
      );
    }
  }
}
