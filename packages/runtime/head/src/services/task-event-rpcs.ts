/**
 * Implements the RPCs of service Head about the past: tasks, calls, transfers, the states of nodes, actors and jobs, and
 * what they used.
 */
import { headService } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ClusterEvent, ClusterEvents } from "../tables/history/cluster-events.js";
import type { History } from "../tables/history/history.js";
import type { TaskEvent, TaskEvents } from "../tables/history/task-events.js";
import type { HeadHandlers } from "./head-handlers.js";
import { pageLimit } from "./listings.js";
import type { Rpc } from "./rpc.js";

export interface TaskEventRpcDeps {
  readonly rpc: Rpc;
  readonly history: Pick<History, "tasks" | "cluster" | "use">;
}

export function createTaskEventRpcs(
  deps: TaskEventRpcDeps,
): HeadHandlers<"reportTasks" | "listTasks" | "summarizeTasks" | "listEvents" | "listUse"> {
  const { rpc, history } = deps;
  const { tasks: taskEvents, cluster: clusterEvents } = history;
  return {
    reportTasks: rpc.unary(headService.reportTasks, ({ report }) => {
      if (report) taskEvents.report(report);
      return {};
    }),
    listTasks: rpc.unary(headService.listTasks, (request) => listTasks(taskEvents, request)),
    summarizeTasks: rpc.unary(headService.summarizeTasks, ({ jobId }) => ({
      counts: [...taskEvents.summary(jobId ?? "")],
    })),
    listEvents: rpc.unary(headService.listEvents, (request) => listEvents(clusterEvents, request)),
    listUse: rpc.unary(headService.listUse, ({ ids }) => history.use.list(ids ?? [])),
  };
}

function listTasks(
  events: TaskEvents,
  request: proto.ListTasksRequest.$Properties,
): proto.ListTasksResponse.$Properties {
  const states = new Set(request.states ?? []);
  const kinds = new Set(request.kinds ?? []);
  const wanted = (event: TaskEvent) =>
    (states.size === 0 || states.has(event.state ?? 0)) &&
    (kinds.size === 0 || kinds.has(event.kind ?? 0)) &&
    (!request.name || event.name === request.name) &&
    (!request.jobId || event.jobId === request.jobId) &&
    (!request.nodeId || event.nodeId === request.nodeId) &&
    (!request.actorId || event.actorId === request.actorId) &&
    (!request.callerId || event.callerId === request.callerId) &&
    (!request.errorCode || event.errorCode === request.errorCode);
  const limit = pageLimit(request.limit);
  const before = sequenceBefore(request.pageToken);
  const ended = events.ended(request.jobId ?? "", (event) => (event.sequence ?? 0) < before && wanted(event));
  // Pending and running tasks have no position in the order of ends, so they are on the first page only.
  const live = before === Number.POSITIVE_INFINITY ? [...events.live()].filter(wanted).slice(0, limit) : [];
  const tasks = [...live, ...ended.slice(0, limit - live.length)];
  const last = tasks.at(-1)?.sequence ?? 0;
  const isLast = tasks.length - live.length === ended.length;
  return { tasks, nextPageToken: isLast ? "" : String(last || Number.MAX_SAFE_INTEGER) };
}

function listEvents(
  events: ClusterEvents,
  request: proto.ListEventsRequest.$Properties,
): proto.ListEventsResponse.$Properties {
  const limit = pageLimit(request.limit);
  const before = sequenceBefore(request.pageToken);
  const found = events.list(
    (event: ClusterEvent) =>
      (event.sequence ?? 0) < before &&
      (!request.kind || event.kind === request.kind) &&
      (!request.subjectId || event.subjectId === request.subjectId) &&
      (!request.nodeId || event.nodeId === request.nodeId) &&
      (!request.jobId || event.jobId === request.jobId),
  );
  const rows = found.slice(0, limit);
  const nextPageToken = rows.length < found.length ? String(rows.at(-1)?.sequence ?? 0) : "";
  return { events: rows, nextPageToken };
}

/** Returns the number below which the next page continues. */
function sequenceBefore(pageToken: string | null | undefined): number {
  const sequence = Number(pageToken);
  return pageToken && Number.isFinite(sequence) ? sequence : Number.POSITIVE_INFINITY;
}
