/**
 * Responsibility: the sessions of drivers: which are connected, which are away, and for how long.
 * Not responsible for: killing actors (the lifecycle does, when an owner has ended).
 *
 * Invariants:
 * - OWNER-1. A driver whose stream broke has ownerGraceMs to open a new one; only then does its session end.
 * - OWNER-2. A goodbye, or the end of its job, ends the session at once.
 * - OWNER-3. An owner that this head has never seen has the same grace period from then on. Where heads take over
 *   from each other it is at least sessionLeaseMs: the owner's stream broke with the earlier head, so the owner may
 *   be suspended rather than dead.
 * - OWNER-4. An ended session never comes back.
 * - OWNER-5. A driver whose stream is open but silent keeps its session for sessionLeaseMs after its last message,
 *   because it may be suspended, or its machine may be gone.
 * - OWNER-6. Time in which the head itself stood still counts neither as grace nor as silence, because drivers could
 *   not be heard.
 */

import type { Clock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError, type ProtocolRange, protocolsFrom } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** The head's side of a driver's stream. */
export interface SessionConnection {
  send(event: proto.SessionEvent.$Properties): void;
  close(): void;
}

export interface SessionsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ownerGraceMs: number;
  readonly sessionLeaseMs: number;
}

export interface ConnectedSession {
  readonly sessionId: string;
  readonly name: string;
  readonly jobId: string;
  readonly namespace: string;
  readonly pid: number;
  /** Version of its software; empty if it named none. */
  readonly version: string;
  readonly protocols: ProtocolRange;
}

interface Session extends ConnectedSession {
  name: string;
  jobId: string;
  namespace: string;
  pid: number;
  version: string;
  protocols: ProtocolRange;
  /** Whether its driver has opened it, and it is not merely expected. */
  isOpened: boolean;
  connection: SessionConnection | undefined;
  cancelGrace: (() => void) | undefined;
  cancelLease: (() => void) | undefined;
  renewedAtMs: number;
}

/**
 * A timer that fires later than planned by more than this many milliseconds shows that the head stood still, so that
 * messages from drivers have not been read.
 */
const stoodStillMs = 1_000;

/** The maximum number of ended sessions that are remembered in order to refuse them. */
const maxEnded = 1000;

export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #sessions = new Map<string, Session>();
  readonly #ended = new Set<string>();
  #onEnded: (sessionId: string, reason: string) => void = () => undefined;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Registers what is called once when a session has ended. */
  onEnded(listener: (sessionId: string, reason: string) => void): void {
    this.#onEnded = listener;
  }

  /** Opens a session, or reconnects it. @throws {PalimpsestError} OWNER_DIED when the session has ended before */
  open(message: proto.SessionMessage.$Properties, connection: SessionConnection): void {
    const sessionId = message.sessionId ?? "";
    this.refuseEnded(sessionId);
    const session = this.#sessions.get(sessionId) ?? this.#add(sessionId);
    session.cancelGrace?.();
    session.cancelGrace = undefined;
    session.connection?.close();
    session.connection = connection;
    session.name = message.name ?? "";
    session.jobId = message.jobId ?? "";
    session.namespace = message.namespace ?? "";
    session.isOpened = true;
    session.pid = message.pid ?? 0;
    session.version = message.version ?? "";
    session.protocols = protocolsFrom(message.protocols);
    session.renewedAtMs = this.#deps.clock.monotonicMs();
    session.cancelLease?.();
    this.#watchLease(session, this.#deps.sessionLeaseMs);
    this.#deps.logger.info({ sessionId, name: session.name, pid: message.pid }, "driver connected");
  }

  /** Renews the session's lease after a message from the driver. */
  renew(sessionId: string, connection: SessionConnection): void {
    const session = this.#sessions.get(sessionId);
    if (session?.connection === connection) session.renewedAtMs = this.#deps.clock.monotonicMs();
  }

  /** Returns the connected sessions. */
  connected(): readonly ConnectedSession[] {
    return [...this.#sessions.values()].filter((session) => session.connection !== undefined);
  }

  /** Handles the end of a stream without a goodbye. */
  broken(sessionId: string, connection: SessionConnection): void {
    const session = this.#sessions.get(sessionId);
    if (session?.connection !== connection) return;
    session.connection = undefined;
    session.cancelLease?.();
    this.#startGrace(session, this.#deps.ownerGraceMs);
  }

  goodbye(sessionId: string): void {
    this.#end(sessionId, "its driver ended");
  }

  /** Makes sure that an owner is either connected or in its grace period. */
  expect(ownerId: string, graceMs = this.#deps.ownerGraceMs): void {
    if (this.#sessions.has(ownerId)) return;
    this.refuseEnded(ownerId);
    this.#startGrace(this.#add(ownerId), graceMs);
  }

  /** Returns whether the session is known to have ended. */
  hasEnded(sessionId: string): boolean {
    return this.#ended.has(sessionId);
  }

  /** @throws {PalimpsestError} OWNER_DIED */
  refuseEnded(sessionId: string): void {
    if (!this.hasEnded(sessionId)) return;
    throw new PalimpsestError("OWNER_DIED", `session ${sessionId} has ended: connect again for a new one`);
  }

  /** Returns the job and the namespace of a session that its driver has opened. */
  claimantOf(sessionId: string): Pick<ConnectedSession, "jobId" | "namespace"> | undefined {
    const session = this.#sessions.get(sessionId);
    return session?.isOpened ? session : undefined;
  }

  stateOf(sessionId: string): "alive" | "ended" | "unknown" {
    if (this.#sessions.has(sessionId)) return "alive";
    return this.#ended.has(sessionId) ? "ended" : "unknown";
  }

  jobEnded(jobId: string): void {
    for (const session of [...this.#sessions.values()]) {
      if (session.jobId === jobId) this.#end(session.sessionId, `its job ${jobId} ended`);
    }
  }

  send(sessionId: string, event: proto.SessionEvent.$Properties): void {
    this.#sessions.get(sessionId)?.connection?.send(event);
  }

  /** Stops all timers because the head ends; no owner is reported as dead. */
  close(): void {
    for (const session of this.#sessions.values()) {
      session.cancelGrace?.();
      session.cancelLease?.();
      session.connection?.close();
    }
    this.#sessions.clear();
  }

  #add(sessionId: string): Session {
    const session: Session = {
      sessionId,
      name: "",
      jobId: "",
      namespace: "",
      isOpened: false,
      connection: undefined,
      cancelGrace: undefined,
      cancelLease: undefined,
      pid: 0,
      version: "",
      protocols: protocolsFrom(undefined),
      renewedAtMs: 0,
    };
    this.#sessions.set(sessionId, session);
    return session;
  }

  #startGrace(session: Session, graceMs: number): void {
    const { sessionId } = session;
    this.#deps.logger.info({ sessionId, name: session.name, graceMs }, "driver away");
    this.#watchGrace(session, graceMs);
  }

  #watchGrace(session: Session, graceMs: number): void {
    const { clock } = this.#deps;
    const dueAtMs = clock.monotonicMs() + graceMs;
    session.cancelGrace = clock.after(graceMs, () => {
      // OWNER-6: drivers that tried to come back in the meantime wait unread in a socket, so the grace period starts
      // again.
      if (clock.monotonicMs() - dueAtMs > stoodStillMs) this.#watchGrace(session, graceMs);
      else this.#end(session.sessionId, `its driver was disconnected for longer than ${graceMs} ms`);
    });
  }

  #watchLease(session: Session, delayMs: number): void {
    const { clock, sessionLeaseMs } = this.#deps;
    const dueAtMs = clock.monotonicMs() + delayMs;
    session.cancelLease = clock.after(delayMs, () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - dueAtMs > stoodStillMs) session.renewedAtMs = nowMs;
      const leftMs = session.renewedAtMs + sessionLeaseMs - nowMs;
      if (leftMs > 0) this.#watchLease(session, leftMs);
      else this.#end(session.sessionId, `its driver was silent for longer than ${sessionLeaseMs} ms`);
    });
  }

  #end(sessionId: string, reason: string): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    session.cancelGrace?.();
    session.cancelLease?.();
    session.connection?.close();
    this.#sessions.delete(sessionId);
    this.#ended.add(sessionId);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= maxEnded) break;
      this.#ended.delete(oldest);
    }
    this.#deps.logger.info({ sessionId, name: session.name, reason }, "driver's session ended");
    this.#onEnded(sessionId, reason);
  }
}
