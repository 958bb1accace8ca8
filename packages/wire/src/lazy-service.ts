import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";

/** What a server is asked for when a service is added to it. */
export interface AcceptsServices {
  addService(definition: ServiceDefinition, implementation: UntypedServiceImplementation): void;
}

type Stream = (call: unknown) => void;

/**
 * Adds services of one method, a stream both ways, that are made when the first of them is called: what few ask for
 * costs a server's start nothing.
 * @param paths of the methods: "/package.Service/Method"
 * @param make adds the services themselves to what it is given
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
    if (found === undefined) throw new Error(`no service with the method ${path} was made`);
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

/** The methods of the services that are made, by their paths. */
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
