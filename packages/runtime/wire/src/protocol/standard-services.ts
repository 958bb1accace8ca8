/**
 * Responsibility: the standard services of a gRPC server: grpc.health.v1 and grpc.reflection (v1 and v1alpha).
 * Not responsible for: their libraries, which the servers' packages supply, so that clients install without them.
 */
import { asProtocDescribes, protoFolder } from "./descriptors.js";
import { type AcceptsServices, addLazily } from "./lazy-service.js";

type Status = "SERVING" | "NOT_SERVING";

interface Libraries<Server, Definition extends object> {
  readonly HealthImplementation: new (
    statuses: Readonly<Record<string, Status>>,
  ) => { setStatus(service: string, status: Status): void; addToServer(server: Server): void };
  readonly loadSync: (files: string[], options: { includeDirs: string[] }) => Definition;
  readonly ReflectionService: new (
    definition: Definition,
    options: { services: string[] },
  ) => { addToServer(server: Server): void };
}

/** These are created on first use, because describing all messages takes as long as the rest of a head's start. */
const reflectionPaths = ["v1", "v1alpha"].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

/**
 * Adds the services to a server, which may be serving already. The returned function reports that it no longer
 * serves.
 * @param services full name of each service, and the proto file that defines it
 */
export function addStandardServices<Server, Definition extends object>(
  rpcServer: AcceptsServices,
  services: Readonly<Record<string, string>>,
  { HealthImplementation, loadSync, ReflectionService }: Libraries<Server, Definition>,
): { readonly notServing: () => void } {
  // These libraries expect a grpc-js server, of which they use only addService.
  const asServer = (server: AcceptsServices) => server as Server;
  const names = Object.keys(services);
  const all = ["", ...names];
  const health = new HealthImplementation(Object.fromEntries(all.map((name) => [name, "SERVING"])));
  health.addToServer(asServer(rpcServer));
  addLazily(rpcServer, reflectionPaths, (reflecting) => {
    const definition = loadSync(Object.values(services), { includeDirs: [protoFolder] });
    asProtocDescribes(definition);
    new ReflectionService(definition, { services: names }).addToServer(asServer(reflecting));
  });
  return {
    notServing: () => {
      for (const name of all) health.setStatus(name, "NOT_SERVING");
    },
  };
}
