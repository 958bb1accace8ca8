/** Routes about calls, tasks, transfers and objects. */
import { fieldsOf, headService, type LocalCalls } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import {
  objectsQuerySchema,
  type TaskRow,
  type taskKinds,
  type taskStates,
  tasksQuerySchema,
} from "../api/tasks.js";
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

export function taskRoutes({ calls }: { readonly calls: LocalCalls }): readonly Route[] {
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
        const rows = (objects ?? []).map((object) => {
          const row = fieldsOf(proto.ObjectRow, object);
          const { objectId, sizeBytes, holdingNodeIds, copyNodeIds, spilledNodeIds } = row;
          return {
            ...{ objectId, sizeBytes },
            holdingNodes: holdingNodeIds,
            copyNodes: copyNodeIds,
            spilledNodes: spilledNodeIds,
          };
        });
        await exchange.json({ rows, total: totalObjects ?? 0 });
      },
    },
  ];
}

function taskView(message: proto.TaskEvent.$Properties): TaskRow {
  const { taskId: id, kind, state, errorCode, errorMessage, ...task } = fieldsOf(proto.TaskEvent, message);
  const { name, role, actorId, nodeId, pid, jobId, queuedAtUs, startedAtUs, endedAtUs } = task;
  return {
    ...{ id, name, role, actorId, nodeId, pid, jobId },
    kind: kinds[kind] ?? "unknown",
    state: states[state] ?? "unknown",
    queuedAtMs: queuedAtUs / 1000,
    startedAtMs: startedAtUs / 1000,
    endedAtMs: endedAtUs / 1000,
    error: errorCode ? `${errorCode}: ${errorMessage}` : "",
  };
}
