import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import type { RpcServer } from "@palimpsest/wire";
import { addStandardServices as add } from "@palimpsest/wire/descriptors";
import { HealthImplementation } from "grpc-health-check";

const services = {
  "palimpsest.v1.Objects": "palimpsest/v1/object.proto",
  "palimpsest.v1.NodeLogs": "palimpsest/v1/node_logs.proto",
};

/** Adds grpc.health.v1 and grpc.reflection to a server, which may be serving already. */
export function addStandardServices(server: RpcServer): { readonly notServing: () => void } {
  return add(server, services, { HealthImplementation, loadSync, ReflectionService });
}
