import type { ServiceDefinition, UntypedHandleCall, UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import { toGrpcError } from "../failures/status.js";
import type { ServiceHandlers } from "../network/handlers.js";
import type { RpcServer } from "../network/network.js";
import { type FaultDraw, injectedError } from "./fault-draw.js";

interface ServerStream {
  emit(event: "error", error: object): unknown;
  end(): unknown;
  on(event: "end" | "cancelled", listener: () => void): unknown;
}
type Reply = (error: object | null, value?: unknown) => void;
type Handler = (call: ServerStream, reply?: Reply) => void;

/** A server that fails some of its calls as the plan says. */
export class FaultyServer implements RpcServer {
  readonly #inner: RpcServer;
  readonly #draw: FaultDraw;
  readonly #clock: Clock;

  constructor(inner: RpcServer, draw: FaultDraw, clock: Clock) {
    this.#inner = inner;
    this.#draw = draw;
    this.#clock = clock;
  }

  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    const wrapped = Object.entries(service).map(([name, { path }]) => {
      const handler = implementation[name];
      // The path "/palimpsest.v1.Head/CreateActor" becomes the method name "Head.CreateActor".
      const method = (path.split(".").at(-1) ?? path).replace("/", ".");
      return [name, handler === undefined ? undefined : this.#wrap(method, handler as Handler)];
    });
    this.#inner.addService(
      service,
      Object.fromEntries(wrapped.filter(([, handler]) => handler !== undefined)),
    );
  }

  listen(host: string, port: number): Promise<string> {
    return this.#inner.listen(host, port);
  }

  close(graceMs?: number): Promise<void> {
    return this.#inner.close(graceMs);
  }

  kill(): void {
    this.#inner.kill();
  }

  #wrap(method: string, handler: Handler): UntypedHandleCall {
    const wrapped: Handler = (call, reply) => {
      const rule = this.#draw.next(method);
      if (rule === undefined) return handler(call, reply);
      const error = toGrpcError(injectedError(rule, method));
      let failed = false;
      const fail = () => {
        if (failed) return;
        failed = true;
        if (reply) reply(error);
        else call.emit("error", error);
      };
      if (rule.when === "before") return void this.#clock.after(rule.delayMs, fail);
      if (rule.when === "in-flight") this.#clock.after(rule.delayMs, fail);
      const late = () => this.#clock.after(rule.delayMs, fail);
      if (reply === undefined) {
        const end = call.end.bind(call);
        // grpc-js itself ends a stream once its status is an error.
        if (rule.when === "after") call.end = () => (failed ? end() : late());
        return handler(call);
      }
      handler(call, (reason, value) => {
        if (failed) return;
        if (rule.when === "after" && reason === null) late();
        else reply(reason, value);
      });
    };
    return wrapped as UntypedHandleCall;
  }
}
