/** Routes about the cluster. Each is one of the head's own RPCs, called as the signed-in user. */
import {
  type Credentials,
  fieldsOf,
  headService,
  jobsService,
  type LocalCalls,
  type Network,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { actorsQuerySchema, eventsQuerySchema, pageQuerySchema, useQuerySchema } from "../api/cluster.js";
import { actorView, nodeView, summaryView, useView } from "./cluster-views.js";
import type { Exchange } from "./exchange.js";
import type { Route } from "./routes.js";

/** The head, as the dashboard sees it. */
export interface DashboardCluster {
  readonly credentials: Credentials;
  readonly calls: LocalCalls;
  /** Returns the number of bytes of a job's output that are kept. */
  jobLogBytes(jobId: string): number;
  /** Reaches the nodes, which keep the output of actors and know the owners of objects. */
  readonly network: Network;
  /** Returns host:port of a node's services; empty for a node that is not known. */
  nodeAddress(nodeId: string): string;
}

export function clusterRoutes({ calls }: DashboardCluster): readonly Route[] {
  const get = (path: string, answer: (exchange: Exchange) => Promise<unknown>): Route => ({
    method: "GET",
    path,
    answer: async (exchange) => await exchange.json(await answer(exchange)),
  });
  return [
    get("/session", async ({ caller }) => {
      const info = await calls.unary(headService.getCluster, {}, caller);
      const { clusterId, clusterName, version, startedAtMs } = fieldsOf(proto.ClusterInfo, info);
      return {
        source: "cluster",
        role: calls.identify(headService.getCluster, caller).tokenRole,
        mayChange: calls.allows(jobsService.submit, caller),
        clusterId,
        clusterName,
        version,
        startedAtMs,
      };
    }),
    get("/summary", async ({ caller }) => {
      const [summary, { queues }] = await Promise.all([
        calls.unary(headService.summarize, {}, caller),
        calls.unary(headService.listQueues, {}, caller),
      ]);
      return summaryView(summary, queues ?? [], Date.now());
    }),
    get("/nodes", async (exchange) => {
      const { limit, page } = exchange.query(pageQuerySchema);
      const request = { limit, pageToken: page };
      const { nodes, nextPageToken } = await calls.unary(headService.listNodes, request, exchange.caller);
      return { rows: (nodes ?? []).map(nodeView), next: nextPageToken ?? "" };
    }),
    get("/actors", async (exchange) => {
      const { limit, page, node, job, dead } = exchange.query(actorsQuerySchema);
      const request = { limit, pageToken: page, nodeId: node, jobId: job, includeDead: dead === "1" };
      const { actors, nextPageToken } = await calls.unary(headService.listActors, request, exchange.caller);
      return { rows: (actors ?? []).map(actorView), next: nextPageToken ?? "" };
    }),
    get("/use", async (exchange) => {
      const { id } = exchange.query(useQuerySchema);
      const request = { ids: id === "" ? [] : [id] };
      return useView(await calls.unary(headService.listUse, request, exchange.caller));
    }),
    get("/events", async (exchange) => {
      const { limit, page, subject } = exchange.query(eventsQuerySchema);
      const request = { limit, pageToken: page, subjectId: subject };
      const { events, nextPageToken } = await calls.unary(headService.listEvents, request, exchange.caller);
      const rows = (events ?? []).map((event) => fieldsOf(proto.ClusterEvent, event));
      return { rows, next: nextPageToken ?? "" };
    }),
  ];
}
