import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  MethodDefinition,
  ServiceDefinition,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { PalimpsestError } from "../base/error.js";
import { toGrpcError } from "../failures/status.js";

/**
 * The handler type of a method. A definition that does not declare how it streams, as in other libraries, accepts any
 * handler.
 */
export type HandlerOf<M> =
  M extends MethodDefinition<infer Request, infer Response>
    ? M extends { readonly requestStream: false; readonly responseStream: false }
      ? handleUnaryCall<Request, Response>
      : M extends { readonly requestStream: true; readonly responseStream: false }
        ? handleClientStreamingCall<Request, Response>
        : M extends { readonly requestStream: false; readonly responseStream: true }
          ? handleServerStreamingCall<Request, Response>
          : M extends { readonly requestStream: true; readonly responseStream: true }
            ? handleBidiStreamingCall<Request, Response>
            : UntypedHandleCall
    : never;

/** The handlers of all methods of a service. A missing handler, or one of another method's type, does not compile. */
export type ServiceHandlers<Service extends ServiceDefinition> = {
  readonly [Name in keyof Service]: HandlerOf<Service[Name]>;
};

/** Creates handlers that fail every call of a service, for a server that must not serve it now. */
export function refusals<Service extends ServiceDefinition>(
  service: Service,
  error: PalimpsestError,
): ServiceHandlers<Service>;
export function refusals(service: ServiceDefinition, error: PalimpsestError): UntypedServiceImplementation {
  const refuse = (call: { emit(event: "error", error: unknown): boolean }, callback?: unknown) => {
    if (typeof callback === "function") callback(toGrpcError(error));
    else call.emit("error", toGrpcError(error));
  };
  return Object.fromEntries(Object.keys(service).map((name) => [name, refuse]));
}

/** The part of a server that adds services. */
interface AddsServices {
  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
}

/** Serves only some methods of a service, for tests. The server answers UNIMPLEMENTED to the others. */
export function servePart<Service extends ServiceDefinition>(
  server: AddsServices,
  service: Service,
  handlers: Partial<ServiceHandlers<Service>>,
): void;
export function servePart(
  server: AddsServices,
  service: ServiceDefinition,
  handlers: Partial<UntypedServiceImplementation>,
): void {
  const part: { [name: string]: ServiceDefinition[string] } = {};
  const served: UntypedServiceImplementation = {};
  for (const [name, method] of Object.entries(service)) {
    const handler = handlers[name];
    if (handler === undefined) continue;
    part[name] = method;
    served[name] = handler;
  }
  server.addService<ServiceDefinition>(part, served);
}
