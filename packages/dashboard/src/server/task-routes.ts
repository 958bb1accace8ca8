/** Routes about calls, tasks, transfers and objects. */
import { headService, type LocalCalls } from "@palimpsest/wire";
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
        const rows = (objects ?? []).map((object) => ({
          objectId: object.objectId ?? "",
          sizeBytes: object.sizeBytes ?? 0,
          holdingNodes: [...(object.holdingNodeIds ?? [])],
          copyNodes: [...(object.copyNodeIds ?? [])],
          spilledNodes: [...(object.spilledNodeIds ?? [])],
        }));
        await exchange.json({ rows, total: totalObjects ?? 0 });
      },
    },
  ];
}

function taskView(task: proto.TaskEvent.$Properties): TaskRow {
  const ms = (us: number | null | undefined) => (us ?? 0) / 1000;
  return {
    id: task.taskId ?? "",
    kind: kinds[task.kind ?? 0] ?? "unknown",
    name: task.name ?? "",
    role: task.role ?? "",
    state: states[task.state ?? 0] ?? "unknown",
    actorId: task.actorId ?? "",
    nodeId: task.nodeId ?? "",
    pid: task.pid ?? 0,
    jobId: task.jobId ?? "",
    queuedAtMs: ms(task.queuedAtUs),
    startedAtMs: ms(task.startedAtUs),
    endedAtMs: ms(task.endedAtUs),
    error: task.errorCode ? `${task.errorCode}: ${task.errorMessage ?? ""}` : "",
  };
}
