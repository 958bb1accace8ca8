import type {
  ClientDuplexStream,
  ClientReadableStream,
  ClientWritableStream,
  ServiceDefinition,
} from "@grpc/grpc-js";
import type { BulkConnection, BulkServerRole } from "../bulk/bulk-client.js";
import type { BulkReader } from "../bulk/bulk-server.js";
import type { ChannelKind } from "../protocol/channel-kind.js";
import type { Method } from "../protocol/method.js";
import type { ProtocolRange } from "../protocol/protocol-range.js";
import type { Credentials } from "../security/credentials.js";
import type { ServiceHandlers } from "./handlers.js";

/** Deadline, signal and metadata of one RPC. */
export interface CallSettings {
  /** Milliseconds until the call is answered GET_TIMEOUT. A stream without a timeout stays open. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Text that is sent when the call is opened, keyed by lower-case name. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * Whether the process may end while the call is open, because nothing of its program waits for it. It matters where
   * Network.endsWithWork is true. Default false.
   */
  readonly background?: boolean;
}

/** One channel to one process of the cluster. Every call on it carries the caller's credentials. */
export interface Peer {
  /** host:port */
  readonly address: string;

  /** @throws {PalimpsestError} the error of the peer, or GET_TIMEOUT, CANCELLED or UNAVAILABLE */
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

  /** Returns the stream to write to and the answer that arrives after it has ended. */
  clientStream<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): { readonly stream: ClientWritableStream<Request>; readonly response: Promise<Response> };

  /** Opens a stream in both directions. Its "error" event carries a gRPC error: convert it with fromGrpcError. */
  bidi<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): ClientDuplexStream<Request, Response>;

  close(): void;
}

/** The server of one process. It refuses every call that lacks valid credentials. */
export interface RpcServer {
  /** Serves every method of a service. */
  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
  /**
   * Accepts bulk connections at the port of the calls too, each with a reader of its own. Call it before listen().
   * Absent where bytes travel in calls alone.
   */
  serveBulk?(open: () => BulkReader): void;
  /**
   * Binds to host:port, where port 0 picks a free one, and returns the address for others to use.
   * @throws {PalimpsestError} UNAVAILABLE
   */
  listen(host: string, port: number): Promise<string>;
  /** Stops accepting calls, lets running calls finish within graceMs milliseconds (default 500), and then ends them. */
  close(graceMs?: number): Promise<void>;
  /** Closes every connection at once. */
  kill(): void;
}

/**
 * How a process of the cluster reaches others and is reached by them. All channels and servers are created here, so
 * that credentials, encryption and injected faults apply to all of them, and a simulation can replace it.
 */
export interface Network {
  /** The protocols that this process speaks. Default: those of this build. */
  readonly protocols?: ProtocolRange;
  /** The credentials that this process presents; absent if no peer checks them, as in a simulation. */
  readonly credentials?: Credentials;
  /** Whether connections keep this process running only while calls are open. Default: an open stream does, used or not. */
  readonly endsWithWork?: boolean;
  /** Opens a channel to host:port, which connects with its first call. `kind` defaults to "control". */
  connect(address: string, kind?: ChannelKind): Peer;
  createServer(): RpcServer;
  /**
   * Opens a bulk connection to host:port of a server with serveBulk(). Absent where bytes travel in calls alone.
   * @param stallMs longest silence in milliseconds while a request is outstanding
   * @param server default "node"
   */
  connectBulk?(address: string, stallMs: number, server?: BulkServerRole): BulkConnection;
}
