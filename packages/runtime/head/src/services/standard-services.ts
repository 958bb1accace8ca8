import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import type { RpcServer } from "@palimpsest/wire";
import { addStandardServices as add } from "@palimpsest/wire/descriptors";
import { HealthImplementation } from "grpc-health-check";

const services = {
  "palimpsest.v1.Head": "palimpsest/v1/head.proto",
  "palimpsest.v1.NodeLink": "palimpsest/v1/node_link.proto",
  "palimpsest.v1.Jobs": "palimpsest/v1/job.proto",
  "palimpsest.v1.Requests": "palimpsest/v1/requests.proto",
};

/** Adds health and reflection. Returns a function that reports the head as no longer serving. */
export function addStandardServices(server: RpcServer): { readonly notServing: () => void } {
  return add(server, services, { HealthImplementation, loadSync, ReflectionService });
}
