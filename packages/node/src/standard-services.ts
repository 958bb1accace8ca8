/** The standard services of a gRPC server: health and reflection. */

import type { Server } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { addLazily, type RpcServer } from "@palimpsest/wire";
import { asProtocDescribes, protoFolder } from "@palimpsest/wire/descriptors";
import { HealthImplementation } from "grpc-health-check";

const serviceNames = ["palimpsest.v1.Objects", "palimpsest.v1.NodeLogs"];

/** Made when somebody asks for it: what describes all messages is not light to make. */
const reflectionPaths = ["v1", "v1alpha"].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

/** Adds grpc.health.v1 and grpc.reflection (v1 and v1alpha) to a server, which may serve already. */
export function addStandardServices(rpcServer: RpcServer): { readonly notServing: () => void } {
  // These libraries ask for a grpc-js server and use addService alone.
  const server = rpcServer as unknown as Server;
  const all = ["", ...serviceNames];
  const health = new HealthImplementation(Object.fromEntries(all.map((name) => [name, "SERVING"])));
  health.addToServer(server);
  addLazily(rpcServer, reflectionPaths, (reflecting) => {
    const files = ["palimpsest/v1/object.proto", "palimpsest/v1/node_logs.proto"];
    const definition = loadSync(files, { includeDirs: [protoFolder] });
    asProtocDescribes(definition);
    new ReflectionService(definition, { services: serviceNames }).addToServer(reflecting as Server);
  });
  return {
    notServing: () => {
      for (const name of all) health.setStatus(name, "NOT_SERVING");
    },
  };
}
