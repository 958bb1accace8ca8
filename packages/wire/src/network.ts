import type {
  ClientDuplexStream,
  ClientReadableStream,
  ClientWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { BulkConnection } from "./bulk/bulk-client.js";
import type { BulkReader } from "./bulk/bulk-server.js";
import type { Credentials } from "./credentials.js";
import type { Method } from "./method.js";

export interface CallSettings {
  /** Milliseconds until the call is answered GET_TIMEOUT. A stream without it stays open. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Text sent with the call's opening, by lower-case name. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * What a channel carries, which decides its flow control and how a silent peer is noticed.
 * - `control`: small messages to the head.
 * - `calls`: method calls to an actor, whose thread may be busy for minutes.
 * - `bulk`: objects and bundles, with a large receive window.
 */
export type ChannelKind = "control" | "calls" | "bulk";

/** One channel to one process of the cluster. Every call of it carries the caller's credentials. */
export interface Peer {
  /** host:port */
  readonly address: string;

  /** @throws {PalimpsestError} the peer's own, GET_TIMEOUT, CANCELLED or UNAVAILABLE */
  unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings: CallSettings & { readonly timeoutMs: number },
  ): Promise<Response>;

  serverStream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings?: CallSettings,
  ): ClientReadableStream<Response>;

  /** The stream to write to and the answer that comes after its end. */
  clientStream<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): { readonly stream: ClientWritableStream<Request>; readonly response: Promise<Response> };

  /** A stream in both directions. Its "error" event carries a gRPC error: pass it through fromGrpcError. */
  bidi<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): ClientDuplexStream<Request, Response>;

  close(): void;
}

/** A server of one process. It refuses every call that lacks valid credentials. */
export interface RpcServer {
  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void;
  /**
   * Takes bulk connections at the port of the calls too, each with a reader of its own. To be called before listen().
   * Absent where bytes travel in calls alone.
   */
  serveBulk?(open: () => BulkReader): void;
  /**
   * Binds to host:port (0 takes a free port) and returns the address to give to others.
   * @throws {PalimpsestError} UNAVAILABLE
   */
  listen(host: string, port: number): Promise<string>;
  /** Stops accepting calls and lets running ones end within graceMs (default 500), then ends them. */
  close(graceMs?: number): Promise<void>;
  /** Ends every connection at once. */
  kill(): void;
}

/**
 * How a process of the cluster reaches others and is reached by them. Channels and servers are made here and nowhere
 * else, so that credentials, encryption and injected faults apply to all of them, and a simulation can stand in.
 */
export interface Network {
  /** What this process proves itself with; absent where nobody asks for it, as in a simulation. */
  readonly credentials?: Credentials;
  /** Opens a channel to host:port; `kind` defaults to "control". It connects with its first call. */
  connect(address: string, kind?: ChannelKind): Peer;
  createServer(): RpcServer;
  /**
   * Opens a bulk connection to host:port of a server with serveBulk(). Absent where bytes travel in calls alone.
   * @param stallMs longest silence while something is asked for
   */
  connectBulk?(address: string, stallMs: number): BulkConnection;
}
