import { type Clock, systemClock } from "@palimpsest/std";
import type { Network } from "../network/network.js";
import { FaultDraw } from "./fault-draw.js";
import type { FaultPlan } from "./fault-plan.js";
import { FaultyPeer } from "./faulty-peer.js";
import { FaultyServer } from "./faulty-server.js";

/** Wraps a network so that its channels and servers fail as the plan says. */
export function faultyNetwork(network: Network, plan: FaultPlan, clock: Clock = systemClock): Network {
  const clientDraw = new FaultDraw(plan, "client");
  const serverDraw = new FaultDraw(plan, "server");
  return {
    connect: (address, kind) => new FaultyPeer(network.connect(address, kind), clientDraw, clock),
    createServer: () => new FaultyServer(network.createServer(), serverDraw, clock),
  };
}
