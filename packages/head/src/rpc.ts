import type { handleUnaryCall, ServerUnaryCall } from "@grpc/grpc-js";
import type { Metrics } from "@palimpsest/telemetry";
import { type Method, PalimpsestError, toGrpcError, unary } from "@palimpsest/wire";

export type UnaryHandler<Request, Response> = (
  request: Request,
  signal: AbortSignal,
  call: ServerUnaryCall<Request, Response>,
) => Promise<Response> | Response;

/** Makes unary handlers that answer within a bound and are measured. */
export class Rpc {
  readonly #metrics: Metrics;
  readonly #timeoutMs: number;

  constructor(metrics: Metrics, timeoutMs: number) {
    this.#metrics = metrics;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The signal ends when the caller went away or the bound is reached; after the bound the caller is answered
   * GET_TIMEOUT, whatever the handler still does.
   */
  unary<Request, Response>(
    method: Method<Request, Response>,
    handle: UnaryHandler<Request, Response>,
    timeoutMs = this.#timeoutMs,
  ): handleUnaryCall<Request, Response> {
    const histogram = this.#metrics.histogram("palimpsest_head_rpc_seconds");
    return unary(async (request: Request, call: ServerUnaryCall<Request, Response>) => {
      const end = histogram.startTimer({ method: method.name });
      try {
        const response = await this.#bounded(method.name, timeoutMs, call, (signal) =>
          handle(request, signal, call),
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
    call: { on(event: "cancelled", listener: () => void): unknown },
    handle: (signal: AbortSignal) => Promise<Response> | Response,
  ): Promise<Response> {
    const controller = new AbortController();
    return new Promise<Response>((resolve, reject) => {
      const timer = setTimeout(() => {
        controller.abort();
        reject(
          new PalimpsestError("GET_TIMEOUT", `${name} was not answered within ${timeoutMs} ms: try again`),
        );
      }, timeoutMs);
      call.on("cancelled", () => controller.abort());
      Promise.resolve()
        .then(() => handle(controller.signal))
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}

/** Ends a stream with an error, in the way that grpc-js wants. */
export function failStream(stream: { emit(event: "error", error: unknown): boolean }, reason: unknown): void {
  stream.emit("error", toGrpcError(reason));
}
