import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import {
  type handleUnaryCall,
  ResponderBuilder,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServerUnaryCall,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { channelOptions } from "./channel.js";
import { PalimpsestError } from "./error.js";
import type { RpcServer } from "./network.js";
import { toGrpcError } from "./status.js";

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Answers UNAUTHENTICATED to every call, of any service, that does not carry the token. */
function tokenInterceptor(token: string): ServerInterceptor {
  const expected = digest(`Bearer ${token}`);
  return (_method, call) => {
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const given = metadata.get("authorization")[0];
        // Digests have equal length, so that the comparison takes equal time.
        if (typeof given === "string" && timingSafeEqual(digest(given), expected)) {
          next(metadata);
          return;
        }
        const error = new PalimpsestError(
          "UNAUTHENTICATED",
          given === undefined
            ? "authorization metadata is missing; give the cluster's token with --token or PALIMPSEST_TOKEN"
            : "the token is not this cluster's; take it from `palimpsest head start` or the head's token file",
        );
        call.sendStatus({ ...toGrpcError(error), code: status.UNAUTHENTICATED });
      })
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
    return new ServerInterceptingCall(call, responder);
  };
}

/** A gRPC server on which every RPC needs the token. */
export class GrpcServer implements RpcServer {
  readonly #server: Server;

  constructor(token: string) {
    this.#server = new Server({
      "grpc.max_receive_message_length": channelOptions["grpc.max_receive_message_length"] as number,
      "grpc.max_send_message_length": channelOptions["grpc.max_send_message_length"] as number,
      "grpc.max_concurrent_streams": 10_000,
      // Pings are answered by the peer's event loop, which user code may block for minutes: they only free the sockets
      // of machines that vanished. Leases and heartbeats decide who lives.
      "grpc.keepalive_time_ms": 600_000,
      "grpc.keepalive_timeout_ms": 3_600_000,
      interceptors: [tokenInterceptor(token)],
    });
  }

  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    this.#server.addService(service, implementation);
  }

  listen(host: string, port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const address = formatAddress(host, port);
      this.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, boundPort) => {
        if (error) {
          const fix = port === 0 ? "" : "; choose another port or stop the process that listens on it";
          reject(new PalimpsestError("UNAVAILABLE", `cannot listen on ${address}: ${error.message}${fix}`));
        } else resolve(formatAddress(host, boundPort));
      });
    });
  }

  close(graceMs = 500): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#server.forceShutdown(), graceMs);
      this.#server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  kill(): void {
    this.#server.forceShutdown();
  }
}

/** True for names and addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** host:port, with brackets where IPv6 needs them. */
export function formatAddress(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A unary handler written as an async function; what it throws reaches the caller as the same error. */
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
