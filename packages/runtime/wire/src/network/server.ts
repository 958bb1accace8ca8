import { createServer, isIP, type Socket, type Server as TcpServer } from "node:net";
import {
  type handleUnaryCall,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { systemFailure } from "@palimpsest/std/input";
import { PalimpsestError } from "../base/error.js";
import { bulkProtocol } from "../bulk/bulk-frames.js";
import { BulkRoute, type BulkRouteDeps } from "../bulk/bulk-route.js";
import type { BulkReader } from "../bulk/bulk-server.js";
import { toGrpcError } from "../failures/status.js";
import { type Access, maxMessageBytes, standardMethods } from "../protocol/access.js";
import type { Method } from "../protocol/method.js";
import { ownProtocols } from "../protocol/protocol-range.js";
import { requestsService } from "../protocol/services.js";
import { authorization, type CallRecord, UnreadableMessage } from "../security/authorization.js";
import type { Credentials } from "../security/credentials.js";
import { RateLimit, type RateLimitOptions } from "../security/rate-limit.js";
import { encrypted } from "../security/tls.js";
import { ConnectionGate, type ConnectionGateOptions } from "./connection-gate.js";
import { Connections } from "./connections.js";
import type { ServiceHandlers } from "./handlers.js";
import type { RpcServer } from "./network.js";
import { RequestServer, type StreamedMethod } from "./request-server.js";

/** Bounds of one server. Single methods have their own (access.ts). */
const limits = {
  streamsPerConnection: 10_000,
  connections: 10_000,
  /** Connections on which no call was admitted yet. */
  unproven: { perAddress: 1_000, firstCallMs: 30_000 },
  /** Unary calls of the control plane on one connection. */
  rate: { perSecond: 2_000, burst: 20_000, maxConnections: 10_000 },
} as const;

export interface GrpcServerOptions {
  readonly onCall?: (record: CallRecord) => void;
  readonly rate?: RateLimitOptions;
  readonly maxConnections?: number;
  readonly unproven?: ConnectionGateOptions;
}

/** A gRPC server on which every RPC needs credentials. */
export class GrpcServer implements RpcServer {
  readonly #server: Server;
  readonly #credentials: Credentials;
  readonly #maxConnections: number;
  readonly #access = new Map<string, Access>(Object.entries(standardMethods));
  readonly #gate: ConnectionGate;
  readonly #connections: Connections;
  readonly #shared: Pick<BulkRouteDeps, "credentials" | "onAdmitted">;
  #openReader: (() => BulkReader) | undefined;
  #bulk: BulkRoute | undefined;
  readonly #streamed = new Map<string, StreamedMethod>();
  readonly #requests: RequestServer;
  #listener: TcpServer | undefined;
  #forget: () => void = () => undefined;

  constructor(credentials: Credentials, options: GrpcServerOptions = {}) {
    this.#credentials = credentials;
    this.#connections = new Connections(credentials);
    this.#maxConnections = options.maxConnections ?? limits.connections;
    this.#gate = new ConnectionGate(options.unproven ?? limits.unproven);
    this.#shared = {
      credentials,
      onAdmitted: (peer, proof) => {
        this.#gate.proven(peer);
        this.#connections.admitted(peer, proof);
      },
    };
    const rate = new RateLimit(options.rate ?? limits.rate);
    const onCall = options.onCall ?? (() => undefined);
    this.#requests = new RequestServer({ methods: this.#streamed, rate, onCall });
    this.#server = new Server({
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": maxMessageBytes,
      "grpc.max_concurrent_streams": limits.streamsPerConnection,
      // The peer's event loop answers pings, and user code may block it for minutes. They therefore only free the
      // sockets of machines that vanished; leases and heartbeats decide which processes are alive.
      "grpc.keepalive_time_ms": 600_000,
      "grpc.keepalive_timeout_ms": 3_600_000,
      interceptors: [
        authorization({
          credentials,
          accessOf: (path) => this.#access.get(path),
          rate,
          onCall,
          onAdmitted: this.#shared.onAdmitted,
          onRefusing: (peer) => this.#connections.awaitAnswer(peer),
        }),
      ],
    });
  }

  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    const guarded: Record<string, MethodDefinition<unknown, unknown>> = {};
    const { max } = ownProtocols();
    for (const [name, method] of Object.entries(service)) {
      if ("since" in method && Number(method.since) > max) continue;
      const access = accessOf(method) ?? this.#access.get(method.path);
      if (access) this.#access.set(method.path, access);
      guarded[name] = access ? bounded(method, access.maxRequestBytes) : method;
      const handle = implementation[name] as handleUnaryCall<unknown, unknown> | undefined;
      if (access && handle && "streamed" in method)
        this.#serveStreamed({ definition: guarded[name], access, handle });
    }
    this.#server.addService(guarded, implementation);
  }

  serveBulk(open: () => BulkReader): void {
    this.#openReader = open;
  }

  /** Registers a method that can also be called on a stream of requests. */
  #serveStreamed(method: StreamedMethod): void {
    const isFirst = this.#streamed.size === 0;
    this.#streamed.set(method.definition.path, method);
    if (!isFirst) return;
    const open: RequestServer["accept"] = (stream) => this.#requests.accept(stream);
    this.addService(requestsService, { open });
  }

  /**
   * Listens with a socket of its own and passes each connection to grpc-js, which can neither bound their number nor
   * require TLS 1.3.
   * @throws {PalimpsestError} UNAVAILABLE
   */
  async listen(host: string, port: number): Promise<string> {
    const listener = createServer({ noDelay: true });
    listener.maxConnections = this.#maxConnections;
    await new Promise<void>((resolve, reject) => {
      listener.once("error", (error) => {
        const failure = systemFailure(error);
        const why =
          failure === undefined ? error.message : `${failure.what} (${failure.code}): ${failure.remedy}`;
        const text = `cannot listen on ${formatAddress(host, port)}: ${why}`;
        reject(new PalimpsestError("UNAVAILABLE", text, { cause: error }));
      });
      listener.listen(port, plainHost(host), () => resolve());
    });
    const injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    const calls = (socket: Socket) => injector.injectConnection(socket);
    const open = this.#openReader;
    const route = open && new BulkRoute({ ...{ calls, open }, ...this.#shared });
    this.#bulk = route;
    const take = encrypted(
      () => this.#credentials.tls,
      (socket) => (route ? route.take(socket) : calls(socket)),
      route ? ["h2", bulkProtocol] : ["h2"],
    );
    listener.on("connection", (socket) => {
      if (!this.#gate.admit(socket)) return;
      this.#connections.opened(socket);
      take(socket);
    });
    this.#forget = this.#credentials.onChange(() => this.#connections.cutRefused());
    this.#listener = listener;
    const bound = listener.address();
    return formatAddress(host, typeof bound === "object" && bound ? bound.port : port);
  }

  /** Resolves when every connection has ended. Calls that are not answered within `graceMs` are canceled. */
  close(graceMs = 500): Promise<void> {
    this.#forget();
    this.#listener?.close();
    this.#gate.close();
    this.#bulk?.close();
    this.#requests.close();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#server.forceShutdown(), graceMs);
      // On Node.js 24 grpc-js reports an end as soon as it has asked for it, whatever calls are in progress.
      this.#server.tryShutdown(() =>
        this.#connections.onEnded(() => {
          clearTimeout(timer);
          resolve();
        }),
      );
    });
  }

  kill(): void {
    this.#forget();
    this.#listener?.close();
    this.#gate.close();
    this.#bulk?.close();
    this.#server.forceShutdown();
  }
}

function accessOf(method: MethodDefinition<unknown, unknown>): Access | undefined {
  return "access" in method ? (method as Method<unknown, unknown>).access : undefined;
}

/**
 * Wraps a method so that a request above the size bound is refused without decoding it, as is one that does not decode.
 */
function bounded(
  method: MethodDefinition<unknown, unknown>,
  maxBytes: number,
): MethodDefinition<unknown, unknown> {
  return {
    ...method,
    requestDeserialize: (bytes) => {
      if (bytes.length > maxBytes) {
        const message = `a request of ${method.path} has ${bytes.length} bytes, and the limit is ${maxBytes}: send less at once`;
        return new UnreadableMessage(new PalimpsestError("LIMIT_EXCEEDED", message));
      }
      try {
        return method.requestDeserialize(bytes);
      } catch (reason) {
        const message = `a request of ${method.path} cannot be decoded: ${PalimpsestError.from(reason).rawMessage}`;
        return new UnreadableMessage(new PalimpsestError("CODEC", message));
      }
    },
  };
}

/** Returns true for names and addresses that only this machine can reach. */
export function isLoopback(named: string): boolean {
  const host = plainHost(named);
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Returns a host without the brackets that people put around an IPv6 address. */
export function plainHost(host: string): string {
  const inside = /^\[(.*)\]$/.exec(host)?.[1];
  return inside !== undefined && isIP(inside) === 6 ? inside : host;
}

/** Formats host:port, with brackets around an IPv6 address. */
export function formatAddress(named: string, port: number): string {
  const host = plainHost(named);
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Turns an async function into a unary handler. The caller gets what it throws as the same error. */
export function unary<Request, Response>(
  handle: (request: Request, call: ServerUnaryCall<Request, Response>) => Promise<Response> | Response,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    Promise.resolve()
      .then(() => handle(call.request, call))
      .then(
        (response) => callback(null, response),
        (reason: unknown) => callback(toGrpcError(reason)),
      );
  };
}
