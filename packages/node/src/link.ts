/**
 * Job: the node's stream to the head: registers, sends, receives, and does so again after every break.
 * Non-job: what messages do (node-manager.ts).
 *
 * K1. The first message of every stream is register, made from what runs at that moment.
 * K2. After register comes what the head may have missed, and only then the first heartbeat.
 * K3. Nothing is queued for a head that is away: what must not be lost is told again by `replay`.
 * K4. The head's absence is counted from the break; above the limit onLost is called once.
 */
import type { ClientDuplexStream } from "@grpc/grpc-js";
import type { Logger } from "@palimpsest/telemetry";
import { fromGrpcError, nodeLinkService, PalimpsestError, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const backoffMs = { first: 50, longest: 2_000 };
const goodbyeTimeoutMs = 1_000;

export interface HeadLinkDeps {
  readonly peer: Peer;
  readonly headAwayLimitMs: number;
  readonly register: () => proto.RegisterNode.$Properties;
  readonly heartbeat: () => proto.NodeHeartbeat.$Properties;
  /** Sends what the head may have missed. */
  readonly replay: () => void;
  readonly onRegistered: (message: proto.Registered.$Properties) => void;
  readonly onMessage: (message: proto.HeadMessage.$Properties) => void;
  readonly onReconnect: () => void;
  /** The head stayed away too long, or refuses this node. */
  readonly onLost: (error: PalimpsestError) => void;
  readonly logger: Logger;
}

type LinkStream = ClientDuplexStream<proto.NodeMessage.$Properties, proto.HeadMessage.$Properties>;

export class HeadLink {
  readonly #deps: HeadLinkDeps;
  #stream: LinkStream | undefined;
  #heartbeats: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #awayTimer: NodeJS.Timeout | undefined;
  #backoff = backoffMs.first;
  #registered = false;
  #everRegistered = false;
  #closed = false;

  constructor(deps: HeadLinkDeps) {
    this.#deps = deps;
  }

  /** Starts to connect; onRegistered tells of success. */
  open(): void {
    this.#countAbsence();
    this.#connect();
  }

  /** Sends when the head is there; see K3. */
  send(message: proto.NodeMessage.$Properties): void {
    this.#stream?.write(message);
  }

  /** Half-closes the stream: the head takes it as the node's end in order. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#awayTimer);
    clearInterval(this.#heartbeats);
    const stream = this.#stream;
    if (!stream) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, goodbyeTimeoutMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      stream.once("end", done);
      stream.once("error", done);
      stream.end();
    });
    this.#stream = undefined;
    stream.cancel();
  }

  #connect(): void {
    const stream = this.#deps.peer.bidi(nodeLinkService.link);
    this.#stream = stream;
    this.#registered = false;
    stream.on("data", (message: proto.HeadMessage.$Properties) => this.#receive(message));
    stream.on("error", (reason) => this.#broken(stream, fromGrpcError(reason)));
    stream.on("end", () => {
      this.#broken(stream, new PalimpsestError("UNAVAILABLE", "the head closed the link"));
    });
    stream.write({ register: this.#deps.register() });
    this.#deps.replay();
  }

  #receive(message: proto.HeadMessage.$Properties): void {
    if (!message.registered) {
      this.#deps.onMessage(message);
      return;
    }
    clearTimeout(this.#awayTimer);
    this.#backoff = backoffMs.first;
    this.#registered = true;
    if (this.#everRegistered) this.#deps.onReconnect();
    this.#everRegistered = true;
    this.#deps.onRegistered(message.registered);
    const beat = () => this.send({ heartbeat: this.#deps.heartbeat() });
    beat();
    clearInterval(this.#heartbeats);
    this.#heartbeats = setInterval(beat, Math.max(10, message.registered.heartbeatIntervalMs || 1_000));
  }

  #broken(stream: LinkStream, error: PalimpsestError): void {
    if (this.#stream !== stream || this.#closed) return;
    this.#stream = undefined;
    clearInterval(this.#heartbeats);
    if (error.code === "UNAUTHENTICATED" || error.code === "INVALID_ARGUMENT") {
      this.#lost(error);
      return;
    }
    if (this.#registered) {
      this.#deps.logger.warn({ err: error }, "link to the head broke");
      this.#countAbsence();
    }
    this.#registered = false;
    // Half of it at random: nodes of a cluster do not come back all at once.
    const waitMs = this.#backoff * (0.5 + Math.random() / 2);
    this.#backoff = Math.min(this.#backoff * 2, backoffMs.longest);
    this.#retry = setTimeout(() => this.#connect(), waitMs);
  }

  #countAbsence(): void {
    const { headAwayLimitMs } = this.#deps;
    clearTimeout(this.#awayTimer);
    this.#awayTimer = setTimeout(() => {
      this.#lost(
        new PalimpsestError("UNAVAILABLE", `the head was away for longer than ${headAwayLimitMs} ms`),
      );
    }, headAwayLimitMs);
  }

  #lost(error: PalimpsestError): void {
    clearTimeout(this.#awayTimer);
    clearTimeout(this.#retry);
    this.#deps.onLost(error);
  }
}
