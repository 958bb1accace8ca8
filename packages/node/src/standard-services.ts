import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import type { RpcServer } from "@palimpsest/wire";
import { addStandardServices as add } from "@palimpsest/wire/descriptors";
import { HealthImplementation } from "grpc-health-check";

const services = {
  "palimpsest.v1.Objects": "palimpsest/v1/object.proto",
  "palimpsest.v1.NodeLogs": "palimpsest/v1/node_logs.proto",
};

/** Adds health and reflection. Returns how to say that the node no longer serves. */
export function addStandardServices(server: RpcServer): { readonly notServing: () => void } {
  return add(server, services, { HealthImplementation, loadSync, ReflectionService });
}
