/**
 * Responsibility: calls a server's own methods from within its process, for callers that arrive by another transport
 * than gRPC, such as a page over HTTP. Credentials, role, size and audit are checked exactly as for a gRPC call.
 * Not responsible for: how the credentials arrived, or how often a caller calls.
 *
 * Invariants:
 * - LOCALCALLS-1. A method is never called for a caller to which the gRPC server would refuse it.
 */
import { PassThrough } from "node:stream";
import type { PeerCertificate } from "node:tls";
import type { ServerUnaryCall, ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { PalimpsestError } from "../base/error.js";
import { fromGrpcError } from "../failures/status.js";
import type { Method } from "../protocol/method.js";
import {
  type Caller,
  type CallRecord,
  identifyCaller,
  metadataOfCaller,
  permit,
} from "../security/authorization.js";
import type { Credentials } from "../security/credentials.js";
import type { ServiceHandlers } from "./handlers.js";

/** The credentials of the caller. */
export interface LocalCaller {
  /** `Bearer TOKEN`; undefined refuses every call. */
  readonly authorization: string | undefined;
  /** The certificate of the connection under TLS. */
  readonly certificate: PeerCertificate | undefined;
  /** host:port, for the audit log. */
  readonly peer: string;
}

type Handler = UntypedServiceImplementation[string];

/** Calls within a process, with the checks that calls over gRPC get. */
export class LocalCalls {
  readonly #credentials: Credentials;
  readonly #onCall: (record: CallRecord) => void;
  readonly #handlers = new Map<string, Handler>();

  constructor(credentials: Credentials, onCall: (record: CallRecord) => void) {
    this.#credentials = credentials;
    this.#onCall = onCall;
  }

  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    for (const [name, { path }] of Object.entries(service)) {
      const handler = implementation[name];
      if (handler) this.#handlers.set(path, handler);
    }
  }

  /**
   * Admits the caller to the method, which another process may serve, and records a refusal.
   * @throws {PalimpsestError} UNAUTHENTICATED, PERMISSION_DENIED
   */
  admit<Request, Response>(method: Method<Request, Response>, from: LocalCaller): void {
    this.#admit(method, undefined, from);
  }

  /** Returns whether the caller may use a method. */
  allows<Request, Response>(method: Method<Request, Response>, from: LocalCaller): boolean {
    try {
      permit(method.path, method.access, this.identify(method, from));
      return true;
    } catch {
      return false;
    }
  }

  /** Identifies the caller. @throws {PalimpsestError} UNAUTHENTICATED */
  identify<Request, Response>(method: Method<Request, Response>, from: LocalCaller): Caller {
    return identifyCaller(this.#credentials, from.authorization, from.certificate, method.access);
  }

  /** @throws {PalimpsestError} the error that a gRPC caller would get */
  async unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    from: LocalCaller,
  ): Promise<Response> {
    const caller = this.#admit(method, request, from);
    const handler = this.#handlerOf(method);
    let outcome: CallRecord["outcome"] = "OK";
    try {
      const call = { request, metadata: metadataOfCaller(caller), on: () => call };
      return await new Promise<Response>((resolve, reject) => {
        const handle = handler as (
          call: ServerUnaryCall<Request, Response>,
          callback: (error: unknown, response?: Response | null) => void,
        ) => void;
        handle(call as never, (error, response) => {
          if (error || response === undefined || response === null) reject(errorOf(error));
          else resolve(response);
        });
      });
    } catch (reason) {
      outcome = PalimpsestError.from(reason).code;
      throw reason;
    } finally {
      if (method.access.audited) this.#tell(method, from, caller, outcome, false);
    }
  }

  /** Yields the messages of a server stream until it ends or the signal aborts. @throws {PalimpsestError} */
  async *stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    from: LocalCaller,
    signal: AbortSignal,
  ): AsyncGenerator<Response, void, undefined> {
    const caller = this.#admit(method, request, from);
    const handler = this.#handlerOf(method);
    const stream = new PassThrough({ objectMode: true });
    Object.assign(stream, { request, metadata: metadataOfCaller(caller) });
    const cancel = () => {
      stream.emit("cancelled");
      stream.destroy();
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      (handler as (stream: unknown) => void)(stream);
      for await (const message of stream) yield message as Response;
    } catch (reason) {
      if (!signal.aborted) throw errorOf(reason);
    } finally {
      signal.removeEventListener("abort", cancel);
      cancel();
    }
  }

  /**
   * Sends the caller's messages to a method that takes a stream of them, and returns its answer. @throws
   * {PalimpsestError}
   */
  async upload<Request, Response>(
    method: Method<Request, Response>,
    messages: Iterable<Request>,
    from: LocalCaller,
  ): Promise<Response> {
    const caller = this.#admit(method, undefined, from);
    const handler = this.#handlerOf(method);
    const stream = new PassThrough({ objectMode: true });
    Object.assign(stream, { metadata: metadataOfCaller(caller) });
    const answered = new Promise<Response>((resolve, reject) => {
      (handler as (stream: unknown, callback: (error: unknown, response?: Response) => void) => void)(
        stream,
        (error, response) => (response === undefined ? reject(errorOf(error)) : resolve(response)),
      );
    });
    for (const message of messages) stream.write(message);
    stream.end();
    return await answered;
  }

  #admit<Request, Response>(
    method: Method<Request, Response>,
    request: Request | undefined,
    from: LocalCaller,
  ): Caller {
    let caller: Caller | undefined;
    try {
      caller = this.identify(method, from);
      permit(method.path, method.access, caller);
      const { maxRequestBytes } = method.access;
      if (request !== undefined && method.requestSerialize(request).byteLength > maxRequestBytes) {
        const message = `a request of ${method.path} has more than ${maxRequestBytes} bytes: send less at once`;
        throw new PalimpsestError("LIMIT_EXCEEDED", message);
      }
    } catch (reason) {
      this.#tell(method, from, caller, PalimpsestError.from(reason).code, true);
      throw reason;
    }
    return caller;
  }

  #handlerOf({ path }: { readonly path: string }): Handler {
    const handler = this.#handlers.get(path);
    if (handler === undefined) throw new PalimpsestError("NOT_FOUND", `${path} is not served here`);
    return handler;
  }

  #tell(
    { path }: { readonly path: string },
    { peer }: LocalCaller,
    caller: Caller | undefined,
    outcome: CallRecord["outcome"],
    refused: boolean,
  ): void {
    this.#onCall({ method: path, peer, caller, outcome, refused });
  }
}

/** Handlers answer with what grpc-js sends, which is not yet an Error. */
function errorOf(status: unknown): PalimpsestError {
  return fromGrpcError(
    status instanceof Error || typeof status !== "object" ? status : Object.assign(new Error(), status),
  );
}
