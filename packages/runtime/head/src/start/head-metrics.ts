import type { Metrics } from "@palimpsest/telemetry";
import type { PendingQueue } from "../rules/placement.js";
import { actorStates } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { History } from "../tables/history/history.js";
import { jobStatuses } from "../tables/job.js";
import type { JobTable } from "../tables/job-table.js";
import { nodeStates } from "../tables/node.js";
import type { NodeTable } from "../tables/node-table.js";
import type { ObjectDirectory } from "../tables/object-directory.js";
import type { ObjectHolders } from "../tables/object-holders.js";

export interface MeasuredTables {
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly jobs: JobTable;
  readonly pendingQueue: PendingQueue;
  readonly objects: ObjectDirectory;
  readonly objectHolders: ObjectHolders;
  readonly history: History;
}

/** Sets the gauges that describe the tables. */
export function measureTables(metrics: Metrics, tables: MeasuredTables): void {
  const { actors, nodes, jobs, pendingQueue } = tables;
  const byState = metrics.gauge("palimpsest_head_actors");
  for (const state of actorStates) byState.set({ state: state.toLowerCase() }, actors.count(state));
  for (const state of nodeStates) {
    metrics.gauge("palimpsest_head_nodes").set({ state: state.toLowerCase() }, nodes.sums.count(state));
  }
  const jobCounts = countBy(jobs.all(), (job) => job.status);
  for (const status of jobStatuses) {
    metrics.gauge("palimpsest_head_jobs").set({ status: status.toLowerCase() }, jobCounts.get(status) ?? 0);
  }
  metrics.gauge("palimpsest_head_pending_actors").set(pendingQueue.length);
  metrics.gauge("palimpsest_head_reserved_nodes").set(pendingQueue.reservedNodes);
  metrics.gauge("palimpsest_head_objects").set(tables.objects.size);
  metrics.gauge("palimpsest_head_object_holders").set(tables.objectHolders.size);
  metrics.gauge("palimpsest_head_task_events").set(tables.history.tasks.size);
  const { total, used } = nodes.sums.totals();
  // The gauge is reset first, so that resources whose last node has left disappear from the page.
  metrics.gauge("palimpsest_head_resources_total_units").reset();
  metrics.gauge("palimpsest_head_resources_used_units").reset();
  for (const [resource, units] of Object.entries(total)) {
    metrics.gauge("palimpsest_head_resources_total_units").set({ resource }, units);
    metrics.gauge("palimpsest_head_resources_used_units").set({ resource }, used[resource] ?? 0);
  }
}

function countBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
