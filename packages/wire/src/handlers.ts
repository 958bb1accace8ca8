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
import type { PalimpsestError } from "./error.js";
import { toGrpcError } from "./status.js";

/** The handler that a method needs. A definition that does not say how it streams, as other libraries' do not, takes any. */
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

/** The handlers of all methods of a service: one that is missing, or of another method's type, does not compile. */
export type ServiceHandlers<Service extends ServiceDefinition> = {
  readonly [Name in keyof Service]: HandlerOf<Service[Name]>;
};

/** Handlers that fail every call of a service, as a server does that must not serve it now. */
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

/** A server, as far as services are added to it. */
interface AddsServices {
  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
}

/** Serves some methods of a service, as tests do; the server does not know the others. */
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
