/**
 * Responsibility: the node's stream to the leading head: it registers, sends and receives, and starts again after
 * every break, at whichever address a head serves.
 * Not responsible for: the effect of messages (node-orders.ts).
 *
 * Invariants:
 * - LINK-1. The first message of every stream is register, made from what runs at that moment.
 * - LINK-2. After register come the messages that the head may have missed, and only then the first heartbeat.
 * - LINK-3. Nothing is queued for a head that is away: `replay` repeats what must not be lost.
 * - LINK-4. The head's absence is counted from the break; above the limit onLost is called once.
 * - LINK-5. A head of another cluster, or with a lower epoch than was seen before, is not obeyed and counts as away.
 * - LINK-6. A refusal ends the node only at its very first registration; later it counts as the head's absence.
 * - LINK-7. If there is another head, one that answers no heartbeat for its headTimeoutMs counts as away.
 * - LINK-8. An order to start something is obeyed only within headTimeoutMs of the last message that the head has
 *   answered. Later the head may have declared this node dead and started the same elsewhere. The link is then opened
 *   again, and a head that still wants the start repeats it.
 * - LINK-9. At most `maxUnreadBytes` and one message are queued for a head that does not read. Beyond that the link
 *   is opened again, and the registration and `replay` repeat what was lost. These two are not counted: they are as
 *   large as the node's state, and others would be just as large.
 */
import { randomUUID } from "node:crypto";
import type { ClientDuplexStream } from "@grpc/grpc-js";
import { Backoff, type Clock, every, jittered } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import {
  type ErrorCode,
  fromGrpcError,
  type HeadConnection,
  meetProtocols,
  nodeLinkService,
  PalimpsestError,
  type Peer,
  type ProtocolRange,
  protocolsFrom,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

const reconnection = { firstMs: 50, longestMs: 2_000 };
const goodbyeTimeoutMs = 1_000;
const maxUnreadBytes = 32 * 1024 * 1024;
/** Messages that may be lost are not sent while more than this many bytes are unread. */
const maxUnreadForLossy = 1024 * 1024;
/**
 * The milliseconds that a connected head has to answer the registration before another head is tried, if there is one.
 */
const registrationTimeoutMs = 5_000;
/** The interval in milliseconds at which a refused connection, which is retried, is logged. */
const refusalLogMs = 60_000;

export interface HeadLinkDeps {
  readonly heads: HeadConnection;
  /** What this node speaks. */
  readonly protocols: ProtocolRange;
  readonly clock: Clock;
  readonly headAwayLimitMs: number;
  readonly register: () => proto.RegisterNode.$Properties;
  readonly heartbeat: () => proto.NodeHeartbeat.$Properties;
  /** Repeats what the head may have missed. */
  readonly replay: () => void;
  readonly onRegistered: (message: proto.Registered.$Properties) => void;
  readonly onMessage: (message: proto.HeadMessage.$Properties) => void;
  /** Called when the head has answered a message that was sent at this time on the monotonic clock. */
  readonly onRenewed: (sentAtMs: number, fenceAfterMs: number, taskEventsPerSecond: number) => void;
  readonly onReconnect: () => void;
  /** Called when the head was away for too long, or refused this node's first registration. */
  readonly onLost: (error: PalimpsestError) => void;
  readonly logger: Logger;
}

/** Refusals of a first registration that another attempt would get again (LINK-6). */
const finalRefusals: ReadonlySet<ErrorCode> = new Set([
  "UNAUTHENTICATED",
  "INVALID_ARGUMENT",
  "PROTOCOL_MISMATCH",
]);

type LinkStream = ClientDuplexStream<proto.NodeMessage.$Properties, proto.HeadMessage.$Properties>;

export class HeadLink {
  readonly #deps: HeadLinkDeps;
  /** Distinguishes this process from another one with the same node id. */
  readonly #instanceId = randomUUID();
  #stream: LinkStream | undefined;
  #peer: Peer;
  #clusterId = "";
  #epoch = 0;
  #fenceAfterMs = 0;
  #answeredAtMs = 0;
  #unreadBytes = 0;
  /**
   * When the last message that the head has answered was sent. The head cannot have declared this node dead before
   * that.
   */
  #provenAtMs = 0;
  #headTimeoutMs = Number.POSITIVE_INFINITY;
  #refusalLoggedAtMs = Number.NEGATIVE_INFINITY;
  #stopBeating: () => void = () => undefined;
  #stopRetry: () => void = () => undefined;
  #stopWaiting: () => void = () => undefined;
  #stopAway: () => void = () => undefined;
  readonly #backoff = new Backoff(reconnection);
  #registered = false;
  #everRegistered = false;
  #closed = false;
  /** Whether the messages of a registration are being sent (LINK-9). */
  #telling = false;

  constructor(deps: HeadLinkDeps) {
    this.#deps = deps;
    this.#peer = deps.heads.peer;
  }

  /** Starts to connect. onRegistered reports success. */
  open(): void {
    this.#countAbsence();
    this.#connect();
  }

  /** Sends the message if the head is connected (LINK-3). */
  send(message: proto.NodeMessage.$Properties): void {
    const stream = this.#stream;
    if (!stream) return;
    if (this.#telling) {
      stream.write(message);
      return;
    }
    const sizeBytes = proto.NodeMessage.encode(message).finish().byteLength;
    if (this.#unreadBytes > 0 && this.#unreadBytes + sizeBytes > maxUnreadBytes) {
      this.#refuse(stream, `the head at ${this.#peer.address} left ${this.#unreadBytes} bytes unread`);
      return;
    }
    this.#unreadBytes += sizeBytes;
    stream.write(message, () => {
      if (this.#stream === stream) this.#unreadBytes -= sizeBytes;
    });
  }

  /** Sends a message that may be lost, unless the head is behind with others. */
  sendIfRead(message: proto.NodeMessage.$Properties): void {
    if (this.#registered && this.#unreadBytes < maxUnreadForLossy) this.send(message);
  }

  /** Says goodbye, which the head takes as the node's orderly end. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopTimers();
    const stream = this.#stream;
    if (!stream) return;
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#deps.clock.after(goodbyeTimeoutMs, resolve);
      const done = () => {
        stopWaiting();
        resolve();
      };
      stream.once("end", done);
      stream.once("error", done);
      stream.write({ goodbye: {} });
      stream.end();
    });
    this.#stream = undefined;
    stream.cancel();
  }

  #connect(): void {
    const { heads, clock } = this.#deps;
    this.#peer = heads.peer;
    const stream = this.#peer.bidi(nodeLinkService.link);
    this.#stream = stream;
    this.#unreadBytes = 0;
    this.#registered = false;
    stream.on("data", (message: proto.HeadMessage.$Properties) => this.#receive(stream, message));
    stream.on("error", (reason) => this.#broken(stream, fromGrpcError(reason)));
    stream.on("end", () => {
      this.#broken(stream, new PalimpsestError("UNAVAILABLE", "the head closed the link"));
    });
    // A head that is frozen, or whose machine is gone, leaves the connection open.
    this.#stopWaiting = clock.after(registrationTimeoutMs, () => {
      if (this.#stream !== stream || this.#registered || !heads.hasOthers) return;
      this.#refuse(stream, `the head at ${this.#peer.address} did not answer in ${registrationTimeoutMs} ms`);
    });
    const known = { clusterId: this.#clusterId, epoch: this.#epoch, instanceId: this.#instanceId };
    this.#provenAtMs = clock.monotonicMs();
    stream.write({ register: { ...this.#deps.register(), ...known } });
    this.#telling = true;
    this.#deps.replay();
    this.#telling = false;
  }

  #receive(stream: LinkStream, message: proto.HeadMessage.$Properties): void {
    if (this.#stream !== stream) return;
    if (message.registered) this.#welcome(stream, message.registered);
    else if (!this.#registered) return;
    else if (message.leaseRenewed) this.#renewed(stream, message.leaseRenewed);
    else if ((message.startActor || message.startDriver) && this.#unprovenMs() > this.#headTimeoutMs) {
      // LINK-8
      const silentMs = Math.round(this.#unprovenMs());
      this.#refuse(
        stream,
        `an order to start arrived ${silentMs} ms after the last message that the head answered`,
      );
    } else this.#deps.onMessage(message);
  }

  #welcome(stream: LinkStream, registered: proto.Registered.$Properties): void {
    const { heads, clock } = this.#deps;
    const head = {
      what: `the head at ${this.#peer.address}`,
      protocols: protocolsFrom(registered.protocols),
    };
    try {
      meetProtocols({ what: "this node", protocols: this.#deps.protocols }, head);
    } catch (reason) {
      this.#broken(stream, PalimpsestError.from(reason));
      stream.cancel();
      return;
    }
    const stranger = this.#strangeness(registered.clusterId ?? "", registered.epoch ?? 0);
    if (stranger !== undefined) {
      this.#refuse(stream, stranger);
      return;
    }
    this.#clusterId = registered.clusterId ?? "";
    this.#epoch = registered.epoch ?? 0;
    this.#fenceAfterMs = registered.fenceAfterMs ?? 0;
    this.#headTimeoutMs = registered.headTimeoutMs || Number.POSITIVE_INFINITY;
    heads.learn(registered.headAddresses);
    this.#stopAway();
    this.#stopWaiting();
    this.#backoff.reset();
    this.#registered = true;
    if (this.#everRegistered) this.#deps.onReconnect();
    this.#everRegistered = true;
    // The registration renews no lease: only a head whose own lease is valid answers the heartbeat that follows.
    this.#telling = true;
    this.#deps.onRegistered(registered);
    this.#telling = false;
    this.#answeredAtMs = clock.monotonicMs();
    this.#beat();
    this.#stopBeating();
    this.#stopBeating = every(clock, Math.max(10, registered.heartbeatIntervalMs || 1_000), () => {
      // LINK-7
      const silentMs = clock.monotonicMs() - this.#answeredAtMs;
      if (silentMs <= this.#headTimeoutMs || !heads.hasOthers) this.#beat();
      else this.#refuse(stream, `the head at ${this.#peer.address} has answered nothing for ${silentMs} ms`);
    });
  }

  #unprovenMs(): number {
    return this.#deps.clock.monotonicMs() - this.#provenAtMs;
  }

  #beat(): void {
    const sentAtMs = Math.floor(this.#deps.clock.monotonicMs());
    this.send({ heartbeat: { ...this.#deps.heartbeat(), sentAtMs } });
  }

  #renewed(stream: LinkStream, renewal: proto.LeaseRenewed.$Properties): void {
    const { epoch, headAddresses, sentAtMs, taskEventsPerSecond } = renewal;
    const stranger = this.#strangeness(this.#clusterId, epoch ?? 0);
    if (stranger !== undefined) {
      this.#refuse(stream, stranger);
      return;
    }
    this.#epoch = epoch ?? 0;
    this.#answeredAtMs = this.#deps.clock.monotonicMs();
    this.#provenAtMs = Math.max(this.#provenAtMs, sentAtMs ?? 0);
    this.#deps.heads.learn(headAddresses);
    this.#deps.onRenewed(sentAtMs ?? 0, this.#fenceAfterMs, taskEventsPerSecond ?? 0);
  }

  /** Returns why the head that answers is not obeyed (LINK-5); undefined if it is. */
  #strangeness(clusterId: string, epoch: number): string | undefined {
    const { address } = this.#peer;
    if (this.#clusterId !== "" && clusterId !== this.#clusterId) {
      return `the head at ${address} leads cluster ${clusterId}, this node belongs to ${this.#clusterId}`;
    }
    if (epoch >= this.#epoch) return undefined;
    return `the head at ${address} leads with epoch ${epoch}, this node has seen epoch ${this.#epoch}`;
  }

  #refuse(stream: LinkStream, reason: string): void {
    this.#broken(stream, new PalimpsestError("UNAVAILABLE", reason));
    stream.cancel();
  }

  #broken(stream: LinkStream, error: PalimpsestError): void {
    if (this.#stream !== stream || this.#closed) return;
    const { heads, clock, logger } = this.#deps;
    this.#stream = undefined;
    this.#stopBeating();
    this.#stopWaiting();
    // LINK-6
    if (!this.#everRegistered && finalRefusals.has(error.code)) {
      this.#lost(error);
      return;
    }
    if (this.#registered) {
      logger.warn({ err: error, head: this.#peer.address }, "link to the head broke");
      this.#countAbsence();
    } else if (clock.monotonicMs() - this.#refusalLoggedAtMs > refusalLogMs) {
      this.#refusalLoggedAtMs = clock.monotonicMs();
      // The stack of a failed attempt tells nothing; the first registration may be minutes away.
      const reason = error.rawMessage;
      logger.warn({ reason, head: this.#peer.address }, "no head accepts this node, will retry");
    }
    this.#registered = false;
    heads.failed(this.#peer);
    // Jittered, so that nodes do not all reconnect at the same moment.
    this.#stopRetry = clock.after(jittered(this.#backoff.next()), () => this.#connect());
  }

  #countAbsence(): void {
    const { headAwayLimitMs, clock } = this.#deps;
    this.#stopAway();
    this.#stopAway = clock.after(headAwayLimitMs, () => {
      this.#lost(
        new PalimpsestError("UNAVAILABLE", `the head was unreachable for longer than ${headAwayLimitMs} ms`),
      );
    });
  }

  #lost(error: PalimpsestError): void {
    this.#stopTimers();
    this.#deps.onLost(error);
  }

  #stopTimers(): void {
    this.#stopRetry();
    this.#stopAway();
    this.#stopBeating();
    this.#stopWaiting();
  }
}
