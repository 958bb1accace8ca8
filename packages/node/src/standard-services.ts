/** The standard services of a gRPC server: health and reflection. */

import { fileURLToPath } from "node:url";
import type { Server } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import type { RpcServer } from "@palimpsest/wire";
import { HealthImplementation } from "grpc-health-check";

/** The same from src and from dist: both lie two folders below packages. */
const protoFolder = fileURLToPath(new URL("../../../protos", import.meta.url));
const serviceName = "palimpsest.v1.Objects";

/** Adds grpc.health.v1 and grpc.reflection (v1 and v1alpha) to a server, which may serve already. */
export function addStandardServices(rpcServer: RpcServer): { readonly notServing: () => void } {
  // These libraries ask for a grpc-js server and use addService alone.
  const server = rpcServer as unknown as Server;
  const health = new HealthImplementation({ "": "SERVING", [serviceName]: "SERVING" });
  health.addToServer(server);
  const definition = loadSync("palimpsest/v1/object.proto", { includeDirs: [protoFolder] });
  new ReflectionService(definition, { services: [serviceName] }).addToServer(server);
  return {
    notServing: () => {
      for (const name of ["", serviceName]) health.setStatus(name, "NOT_SERVING");
    },
  };
}
