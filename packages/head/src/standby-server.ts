import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import {
  headService,
  jobsService,
  type Network,
  nodeLinkService,
  PalimpsestError,
  type RpcServer,
  toGrpcError,
} from "@palimpsest/wire";

/** The server of a head that waits: its health is NOT_SERVING, and every call is refused. */
export async function standbyServer(network: Network): Promise<RpcServer> {
  const server = network.createServer();
  addRefusals(server);
  const { addStandardServices } = await import("./reflection.js");
  addStandardServices(server).notServing();
  return server;
}

/** Every call fails with UNAVAILABLE, which sends the caller on to the next address that it knows. */
export function addRefusals(server: RpcServer): void {
  const refuse = (call: { emit(event: "error", error: unknown): boolean }, callback?: unknown) => {
    const error = toGrpcError(
      new PalimpsestError("UNAVAILABLE", "this head is a standby: another one leads"),
    );
    if (typeof callback === "function") callback(error);
    else call.emit("error", error);
  };
  for (const service of [headService, nodeLinkService, jobsService]) {
    const refusals: UntypedServiceImplementation = {};
    for (const name of Object.keys(service)) refusals[name] = refuse;
    server.addService(service, refusals);
  }
}
