import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";

/** The part of a server to which services are added. */
export interface AcceptsServices {
  addService(definition: ServiceDefinition, implementation: UntypedServiceImplementation): void;
}

type Stream = (call: unknown) => void;

/**
 * Adds services of one method each, a stream in both directions, that are created when the first of them is called.
 * Rarely used services thus do not slow down the start of a server.
 * @param paths of the methods, each "/package.Service/Method"
 * @param make adds the services themselves to the server that it is given
 */
export function addLazily(
  server: AcceptsServices,
  paths: readonly string[],
  make: (server: AcceptsServices) => void,
): void {
  let made: ReturnType<typeof collected> | undefined;
  const of = (path: string) => {
    made ??= collected(make);
    const found = made.get(path);
    if (found === undefined) throw new Error(`the service factory added no service with the method ${path}`);
    return found;
  };
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const definition: ServiceDefinition = {
      [name]: {
        path,
        requestStream: true,
        responseStream: true,
        requestSerialize: (value: unknown) => of(path).method.requestSerialize(value),
        requestDeserialize: (bytes) => of(path).method.requestDeserialize(bytes),
        responseSerialize: (value: unknown) => of(path).method.responseSerialize(value),
        responseDeserialize: (bytes) => of(path).method.responseDeserialize(bytes),
      },
    };
    server.addService(definition, { [name]: (call: unknown) => of(path).handle(call) });
  }
}

/** Collects the methods of the services that the factory adds, by their paths. */
function collected(make: (server: AcceptsServices) => void) {
  const methods = new Map<string, { readonly method: ServiceDefinition[string]; readonly handle: Stream }>();
  make({
    addService: (definition, implementation) => {
      for (const [name, method] of Object.entries(definition))
        methods.set(method.path, { method, handle: implementation[name] as unknown as Stream });
    },
  });
  return methods;
}
