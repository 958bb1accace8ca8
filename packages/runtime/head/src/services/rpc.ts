/**
 * Responsibility: creates unary handlers that answer within a deadline and are measured.
 * Not responsible for: access rights (the wire package), or retries.
 *
 * Invariants:
 * - HEADRPC-1. A call is answered once: by its handler or, at the deadline, with GET_TIMEOUT, whatever the handler
 *   still does.
 * - HEADRPC-2. The signal of a call aborts when its caller is gone or at the deadline, also if the handler requests
 *   the signal only after that.
 */
import type { handleUnaryCall, ServerUnaryCall } from "@grpc/grpc-js";
import type { Metrics } from "@palimpsest/telemetry";
import { type Method, PalimpsestError, toGrpcError, unary } from "@palimpsest/wire";

/** The context of a call that a handler may need besides the request. */
export interface RpcContext {
  /**
   * Aborts as HEADRPC-2 says. It is created on first use, because most handlers do not need it, and creating it costs
   * as much as a small call.
   */
  readonly signal: AbortSignal;
  /** The call itself, which callerOf() needs. */
  readonly call: Pick<ServerUnaryCall<unknown, unknown>, "metadata">;
}

export type UnaryHandler<Request, Response> = (
  request: Request,
  context: RpcContext,
) => Promise<Response> | Response;

export class Rpc {
  readonly #metrics: Metrics;
  readonly #timeoutMs: number;

  constructor(metrics: Metrics, timeoutMs: number) {
    this.#metrics = metrics;
    this.#timeoutMs = timeoutMs;
  }

  unary<Request, Response>(
    method: Method<Request, Response>,
    handle: UnaryHandler<Request, Response>,
    timeoutMs = this.#timeoutMs,
  ): handleUnaryCall<Request, Response> {
    const histogram = this.#metrics.histogram("palimpsest_head_rpc_seconds");
    return unary(async (request: Request, call: ServerUnaryCall<Request, Response>) => {
      const end = histogram.startTimer({ method: method.name });
      try {
        const response = await this.#bounded(method.name, timeoutMs, call, (context) =>
          handle(request, context),
        );
        end({ code: "OK" });
        return response;
      } catch (reason) {
        end({ code: PalimpsestError.from(reason).code });
        throw reason;
      }
    });
  }

  #bounded<Response>(
    name: string,
    timeoutMs: number,
    call: Cancellable,
    handle: (context: RpcContext) => Promise<Response> | Response,
  ): Promise<Response> {
    return new Promise<Response>((resolve, reject) => {
      const context = new Context(call);
      const timer = setTimeout(() => {
        context.end();
        reject(new PalimpsestError("GET_TIMEOUT", `${name} was not answered within ${timeoutMs} ms: retry`));
      }, timeoutMs);
      handled(handle, context).then(
        (response) => {
          clearTimeout(timer);
          resolve(response);
        },
        (reason: unknown) => {
          clearTimeout(timer);
          reject(reason);
        },
      );
    });
  }
}

type Cancellable = RpcContext["call"] & {
  readonly cancelled?: boolean;
  on(event: "cancelled", listener: () => void): unknown;
};

class Context implements RpcContext {
  readonly call: Cancellable;
  #controller: AbortController | undefined;
  #over = false;

  constructor(call: Cancellable) {
    this.call = call;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over || this.call.cancelled) this.#controller.abort();
      else this.call.on("cancelled", () => this.end());
    }
    return this.#controller.signal;
  }

  end(): void {
    this.#over = true;
    this.#controller?.abort();
  }
}

/** Runs a handler, so that an error that it throws before its first wait rejects like any other. */
async function handled<Response>(
  handle: (context: RpcContext) => Promise<Response> | Response,
  context: RpcContext,
): Promise<Response> {
  return await handle(context);
}

/** Ends a stream with an error in the form that grpc-js expects. */
export function failStream(stream: { emit(event: "error", error: unknown): boolean }, reason: unknown): void {
  stream.emit("error", toGrpcError(reason));
}
