/**
 * Responsibility: a driver's session in a thread of its own, so that a driver that computes, or is stopped at a
 * breakpoint, keeps its actors. The session is first opened in this thread, which costs one round trip, and the other
 * thread is started before connect() returns. That thread then takes the session over by itself, whatever this thread
 * does in the meantime.
 * Not responsible for: the session itself (session.ts), or the code of the thread (session-thread-main.ts).
 *
 * Invariants:
 * - SESSION-5. Once the thread has opened the session, only close() and the end of the process end it, whatever the
 *   main thread does.
 * - SESSION-6. close() says goodbye from the thread that has the session, and takes at most `closeTimeoutMs` plus the
 *   time of SESSION-8, whatever the thread does. The thread itself reads a certificate that is renewed on disk.
 * - SESSION-7. Until the thread has the session, this thread keeps it, so that a thread that fails to start loses
 *   nothing.
 */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import {
  type Credentials,
  errorFromProto,
  PalimpsestError,
  type Peer,
  processCredentials,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { atMost } from "../base/at-most.js";
import { Session, type SessionOptions } from "./session.js";
import type { SessionNews, SessionThreadData } from "./session-messages.js";

/** How the thread reaches the head, and its credentials. */
export interface SessionThreadLink {
  readonly address: string;
  readonly credentials: Credentials;
  /** Folder in which the certificate is renewed; empty without TLS. */
  readonly tlsFolder: string;
}

const closeTimeoutMs = 4_000;
/**
 * The milliseconds within which a thread that was told to end must end. One that has not ended by then is left running.
 */
const terminateTimeoutMs = 1_000;

// Threads run built code, even if tests run this module from its source.
const program = fileURLToPath(new URL("../../dist/session/session-thread-main.js", import.meta.url));

export class SessionThread {
  readonly #session: Session;
  readonly #link: SessionThreadLink;
  readonly #options: SessionOptions;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #hasSession = false;
  #closing = false;
  #closed: Promise<void> | undefined;

  private constructor(session: Session, link: SessionThreadLink, options: SessionOptions) {
    this.#session = session;
    this.#link = link;
    this.#options = options;
    this.#startThread();
  }

  /** Resolves when the head has opened the session. @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED */
  static async open(
    peer: Peer,
    link: SessionThreadLink,
    options: SessionOptions,
    timeoutMs: number,
  ): Promise<SessionThread> {
    const session = await Session.open(peer, options, timeoutMs);
    return new SessionThread(session, link, options);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (!worker || !this.#hasSession) {
      // A program that ends early does not wait for the thread to start.
      await atMost(terminateTimeoutMs, worker?.terminate());
      return this.#session.close(worker !== undefined);
    }
    worker.postMessage({ kind: "close" });
    if (await atMost(closeTimeoutMs, this.#ended)) return;
    await atMost(terminateTimeoutMs, worker.terminate());
  }

  #startThread(): void {
    const worker = new Worker(program, {
      name: "palimpsest session",
      workerData: this.#data(),
      execArgv: [],
    });
    this.#worker = worker;
    worker.on("message", (news: SessionNews) => {
      worker.postMessage("read");
      this.#learn(news);
    });
    let failure: unknown;
    worker.on("error", (error) => {
      failure = error;
    });
    this.#ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#worker = undefined;
        resolve();
        if (!this.#closing && failure !== undefined && this.#hasSession)
          this.#lost(PalimpsestError.from(failure));
      });
    });
    // The session lives as long as the program, and not the program as long as the session. A listener that is added
    // later would undo it.
    worker.unref();
  }

  #data(): SessionThreadData {
    const { address, credentials, tlsFolder } = this.#link;
    const { sessionId, name, jobId, namespace } = this.#options;
    const message = processCredentials({ token: credentials.token, accepted: [] }, credentials.tls);
    return {
      address,
      credentials: proto.ProcessCredentials.encode(message).finish(),
      tlsFolder,
      sessionId,
      name,
      jobId,
      namespace,
    };
  }

  #learn(news: SessionNews): void {
    if (news.kind === "opened") {
      // The thread has ended in the meantime, so this thread says goodbye.
      if (this.#closing) return;
      this.#hasSession = true;
      this.#session.release();
    } else if (news.kind === "actorDied") this.#options.onActorDied(proto.ActorInfo.decode(news.info));
    else if (news.kind === "newToken") this.#options.onNewToken?.(news.token, news.graceMs);
    else this.#lost(errorFromProto(proto.Error.decode(news.error)));
  }

  /** Returns whether the thread has the session. */
  get inThread(): boolean {
    return this.#hasSession;
  }

  #lost(error: PalimpsestError): void {
    if (!this.#closing) this.#options.onLost?.(error);
  }
}
