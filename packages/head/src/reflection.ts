/** The standard services of a gRPC server: health and reflection. */

import type { Server } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { addLazily, type RpcServer } from "@palimpsest/wire";
import { asProtocDescribes, protoFolder } from "@palimpsest/wire/descriptors";
import { HealthImplementation } from "grpc-health-check";

const serviceNames = [
  "palimpsest.v1.Head",
  "palimpsest.v1.NodeLink",
  "palimpsest.v1.Jobs",
  "palimpsest.v1.Requests",
] as const;

/** Made when somebody asks for it: to describe all messages takes as long as the rest of a head's start. */
const reflectionPaths = ["v1", "v1alpha"].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

/** Adds grpc.health.v1 and grpc.reflection (v1 and v1alpha). Returns how to say that the head no longer serves. */
export function addStandardServices(rpcServer: RpcServer): { readonly notServing: () => void } {
  // These libraries ask for a grpc-js server and use addService alone.
  const server = rpcServer as unknown as Server;
  const health = new HealthImplementation({ "": "SERVING" });
  for (const name of serviceNames) health.setStatus(name, "SERVING");
  health.addToServer(server);
  addLazily(rpcServer, reflectionPaths, (reflecting) => {
    const definition = loadSync(
      ["head", "node_link", "job", "requests"].map((name) => `palimpsest/v1/${name}.proto`),
      { includeDirs: [protoFolder] },
    );
    asProtocDescribes(definition);
    new ReflectionService(definition, { services: [...serviceNames] }).addToServer(reflecting as Server);
  });
  return {
    notServing: () => {
      for (const name of ["", ...serviceNames]) health.setStatus(name, "NOT_SERVING");
    },
  };
}
