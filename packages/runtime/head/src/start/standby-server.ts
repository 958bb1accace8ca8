import {
  headService,
  jobsService,
  type Network,
  nodeLinkService,
  ownProtocols,
  PalimpsestError,
  type RpcServer,
  refusals,
  softwareVersion,
} from "@palimpsest/wire";
import { rowVersion } from "../store/row-versions.js";

/** Returns the server of a standby: its health is NOT_SERVING, and it refuses every call. */
export async function standbyServer(network: Network): Promise<RpcServer> {
  const server = network.createServer();
  addRefusals(server);
  const { addStandardServices } = await import("../services/standard-services.js");
  addStandardServices(server).notServing();
  return server;
}

/** Lets every call fail with UNAVAILABLE, which makes the caller try the next address that it knows. */
export function addRefusals(server: RpcServer): void {
  const { min: minProtocol, max: maxProtocol } = ownProtocols();
  // `palimpsest upgrade` reads the details.
  const details = { version: softwareVersion(), minProtocol, maxProtocol, rowVersion };
  const error = new PalimpsestError("UNAVAILABLE", "this head is a standby: call the head that leads", {
    details,
  });
  server.addService(headService, refusals(headService, error));
  server.addService(nodeLinkService, refusals(nodeLinkService, error));
  server.addService(jobsService, refusals(jobsService, error));
}
