/** Routes about one actor: what is known about it, its stack, and its output, which its node keeps. */
import { fieldsOf, fromGrpcError, headService, nodeLogsService, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import * as z from "zod";
import { logQuerySchema } from "../api/jobs.js";
import type { DashboardCluster } from "./cluster-routes.js";
import { actorDetail } from "./cluster-views.js";
import type { Exchange } from "./exchange.js";
import type { LogSource, LogStreams } from "./log-streams.js";
import type { NodePeers } from "./node-peers.js";
import type { Route } from "./routes.js";

/** A page that opens the output of an actor gets at most this many lines of what was written before. */
const tailLines = 1_000;
const stackTimeoutMs = 5_000;

export function actorRoutes(
  cluster: DashboardCluster,
  { streams, peers }: { readonly streams: LogStreams; readonly peers: NodePeers },
): readonly Route[] {
  const { calls } = cluster;
  const resolve = ({ id, caller }: Exchange) =>
    calls.unary(headService.resolveActor, { actorId: id }, caller);
  return [
    {
      method: "GET",
      path: "/actors/*",
      answer: async (exchange) => await exchange.json(actorDetail(await resolve(exchange))),
    },
    {
      // Reading a stack stops a process for a moment and is recorded, so it is requested like a change.
      method: "POST",
      path: "/actors/*/stack",
      answer: async (exchange) => {
        await exchange.body(z.strictObject({}));
        const request = { target: exchange.id, timeoutMs: stackTimeoutMs };
        const report = await calls.unary(headService.getStack, request, exchange.caller);
        const { title, pid, busy, method, frames, problem } = fieldsOf(proto.StackReport, report);
        await exchange.json({ title, pid, busy, method, frames, problem });
      },
    },
    {
      method: "GET",
      path: "/actors/*/log",
      answer: async (exchange) => {
        calls.admit(nodeLogsService.getLog, exchange.caller);
        const { nodeId, certificate, incarnation } = await resolve(exchange);
        const node = nodeId || certificate?.nodeId || "";
        const address = cluster.nodeAddress(node);
        if (address === "")
          throw new PalimpsestError(
            "NOT_FOUND",
            node === ""
              ? `actor ${exchange.id} has not been started on any node`
              : `node ${node}, which keeps the output of ${exchange.id}, is gone`,
          );
        const asked = exchange.query(logQuerySchema).incarnation ?? incarnation ?? 0;
        await streams.send(
          exchange,
          actorOutput(peers, address, { actorId: exchange.id, incarnation: asked }),
        );
      },
    },
  ];
}

function actorOutput(
  peers: NodePeers,
  address: string,
  which: { readonly actorId: string; readonly incarnation: number },
): LogSource {
  return async function* read({ from, signal }) {
    const place = from === undefined ? { tailLines } : { offsetBytes: from };
    const request = { ...which, ...place, follow: true };
    const stream = peers.at(address).serverStream(nodeLogsService.getLog, request, { signal });
    const chunks: AsyncIterable<proto.ActorLogChunk.$Properties> = stream;
    try {
      yield* chunks;
    } catch (reason) {
      throw fromGrpcError(reason);
    } finally {
      stream.cancel();
    }
  };
}
