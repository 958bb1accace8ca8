/** Routes about calls, tasks, transfers and objects. */
import { fieldsOf, headService, objectsService } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import {
  objectsQuerySchema,
  type TaskRow,
  type taskKinds,
  type taskStates,
  tasksQuerySchema,
} from "../api/tasks.js";
import type { DashboardCluster } from "./cluster-routes.js";
import type { NodePeers } from "./node-peers.js";
import type { Route } from "./routes.js";

const kinds: Readonly<Record<number, (typeof taskKinds)[number]>> = {
  [proto.TaskKind.TASK_KIND_TASK]: "task",
  [proto.TaskKind.TASK_KIND_CALL]: "call",
  [proto.TaskKind.TASK_KIND_TRANSFER]: "transfer",
};
const states: Readonly<Record<number, (typeof taskStates)[number]>> = {
  [proto.TaskState.TASK_STATE_PENDING]: "pending",
  [proto.TaskState.TASK_STATE_RUNNING]: "running",
  [proto.TaskState.TASK_STATE_FINISHED]: "finished",
  [proto.TaskState.TASK_STATE_FAILED]: "failed",
  [proto.TaskState.TASK_STATE_CANCELLED]: "cancelled",
};

/** Nodes that are asked for the owners of their objects, and for how long. */
const maxAsked = 100;
const ownersTimeoutMs = 2_000;

export function taskRoutes(cluster: DashboardCluster, peers: NodePeers): readonly Route[] {
  const { calls } = cluster;
  return [
    {
      method: "GET",
      path: "/tasks",
      answer: async (exchange) => {
        const { limit, page, job, actor } = exchange.query(tasksQuerySchema);
        const request = { limit, pageToken: page, jobId: job, actorId: actor };
        const { tasks, nextPageToken } = await calls.unary(headService.listTasks, request, exchange.caller);
        await exchange.json({ rows: (tasks ?? []).map(taskView), next: nextPageToken ?? "" });
      },
    },
    {
      method: "GET",
      path: "/objects",
      answer: async (exchange) => {
        const { limit } = exchange.query(objectsQuerySchema);
        const { objects, totalObjects } = await calls.unary(
          headService.listObjects,
          { limit },
          exchange.caller,
        );
        calls.admit(objectsService.describe, exchange.caller);
        const nodeIds = new Set(
          (objects ?? []).flatMap(({ holdingNodeIds, copyNodeIds }) => [
            ...(holdingNodeIds ?? []),
            ...(copyNodeIds ?? []),
          ]),
        );
        const known = await ownersOf(cluster, peers, [...nodeIds].slice(0, maxAsked), limit);
        const rows = (objects ?? []).map((object) => {
          const row = fieldsOf(proto.ObjectRow, object);
          const { objectId, sizeBytes, holdingNodeIds, copyNodeIds, spilledNodeIds } = row;
          return {
            objectId,
            sizeBytes,
            holdingNodes: holdingNodeIds,
            copyNodes: copyNodeIds,
            spilledNodes: spilledNodeIds,
            owners: [...(known.get(objectId)?.owners ?? [])],
            holders: [...(known.get(objectId)?.holders ?? [])],
          };
        });
        await exchange.json({ rows, total: totalObjects ?? 0 });
      },
    },
  ];
}

interface ObjectOwners {
  readonly owners: Set<string>;
  readonly holders: Set<string>;
}

/** Asks the nodes, because only they know by whom an object is held. A node that does not answer is left out. */
async function ownersOf(
  { nodeAddress }: DashboardCluster,
  peers: NodePeers,
  nodeIds: readonly string[],
  limit: number,
): Promise<Map<string, ObjectOwners>> {
  const known = new Map<string, ObjectOwners>();
  const settings = { timeoutMs: ownersTimeoutMs };
  await Promise.allSettled(
    nodeIds.map(async (nodeId) => {
      const address = nodeAddress(nodeId);
      if (address === "") return;
      const { objects } = await peers.at(address).unary(objectsService.describe, { limit }, settings);
      for (const { objectId, ownerId, holders } of objects ?? []) {
        const own = known.get(objectId ?? "") ?? { owners: new Set<string>(), holders: new Set<string>() };
        known.set(objectId ?? "", own);
        if (ownerId) own.owners.add(ownerId);
        for (const holder of holders ?? []) own.holders.add(holder);
      }
    }),
  );
  return known;
}

function taskView(message: proto.TaskEvent.$Properties): TaskRow {
  const { taskId: id, kind, state, errorCode, errorMessage, ...task } = fieldsOf(proto.TaskEvent, message);
  const { name, role, actorId, nodeId, pid, jobId, queuedAtUs, startedAtUs, endedAtUs } = task;
  return {
    id,
    name,
    role,
    actorId,
    nodeId,
    pid,
    jobId,
    kind: kinds[kind] ?? "unknown",
    state: states[state] ?? "unknown",
    queuedAtMs: queuedAtUs / 1000,
    startedAtMs: startedAtUs / 1000,
    endedAtMs: endedAtUs / 1000,
    error: errorCode ? `${errorCode}: ${errorMessage}` : "",
  };
}
