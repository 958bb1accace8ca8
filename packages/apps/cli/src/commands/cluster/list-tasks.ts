import {
  type Cluster,
  type TaskFilter,
  type TaskInfo,
  type TaskKindName,
  type TaskStateName,
  taskKindNames,
  taskStateNames,
} from "@palimpsest/client";
import { formatTable } from "../../display/table.js";
import type { RowFilter } from "../../state/filter.js";
import { statesOf } from "./list-states.js";

export interface TaskListOptions {
  readonly limit?: number;
  readonly state?: string;
  readonly node?: string;
  readonly name?: string;
  readonly job?: string;
  readonly filter?: readonly RowFilter[];
}

/** The number of rows that are shown without --limit. */
const defaultRows = 100;

/** Keys of `--filter` that the head applies, so that rows are not sent only to be dropped here. */
const askedOfHead: Readonly<Record<string, keyof TaskFilter>> = {
  name: "name",
  job_id: "jobId",
  node_id: "nodeId",
  actor_id: "actorId",
  caller_id: "callerId",
  error_code: "errorCode",
};

/** Splits the filters into the head's query and those that are applied here. */
export function taskFilter({ limit, state, node, name, job, filter = [] }: TaskListOptions): {
  readonly asked: TaskFilter;
  readonly left: readonly RowFilter[];
} {
  const fields: Record<string, string> = {};
  const left: RowFilter[] = [];
  const states: TaskStateName[] = statesOf(state?.toLowerCase(), taskStateNames);
  const kinds: TaskKindName[] = [];
  for (const one of filter) {
    const field = askedOfHead[one.key];
    if (!one.isEqual) left.push(one);
    else if (one.key === "state") states.push(...statesOf(one.value.toLowerCase(), taskStateNames));
    else if (one.key === "kind")
      kinds.push(...statesOf(one.value.toLowerCase(), taskKindNames, "--filter kind"));
    else if (field === undefined || fields[field] !== undefined) left.push(one);
    else fields[field] = one.value;
  }
  const flags = {
    ...(node === undefined ? {} : { nodeId: node }),
    ...(name === undefined ? {} : { name }),
    ...(job === undefined ? {} : { jobId: job }),
  };
  const rows = left.length > 0 ? {} : { limit: limit ?? defaultRows };
  return { asked: { ...fields, ...flags, states, kinds, ...rows }, left };
}

const headings = ["task", "kind", "name", "state", "actor", "node", "caller", "started", "ran", "error"];

function row(task: TaskInfo): string[] {
  const { startedAtMs, endedAtMs, errorCode, errorMessage } = task;
  const ran = startedAtMs > 0 ? (endedAtMs > 0 ? endedAtMs : Date.now()) - startedAtMs : 0;
  return [
    task.taskId,
    task.kind,
    task.kind === "transfer" ? task.objectId : task.name,
    task.state,
    task.actorId,
    task.nodeId,
    task.callerId,
    startedAtMs > 0 ? new Date(startedAtMs).toISOString() : "",
    startedAtMs > 0 ? `${ran.toFixed(1)} ms` : "",
    errorCode === "" ? "" : `${errorCode}: ${errorMessage}`,
  ];
}

export async function readTasks(
  cluster: Cluster,
  options: TaskListOptions,
  passing: (tasks: readonly TaskInfo[], left: readonly RowFilter[]) => readonly TaskInfo[],
): Promise<{ items: readonly TaskInfo[]; text: () => string }> {
  const { asked, left } = taskFilter(options);
  const found = passing(await cluster.tasks(asked), left);
  const limit = options.limit ?? defaultRows;
  const items = found.slice(0, limit);
  const rest =
    items.length === limit
      ? `\nonly the newest ${limit} are listed: raise --limit to see more; \`palimpsest summary tasks\` counts all`
      : "";
  return { items, text: () => `${formatTable(headings, items.map(row))}${rest}` };
}
