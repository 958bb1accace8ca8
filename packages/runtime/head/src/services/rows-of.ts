import type { StoreTable } from "../store/store.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { JobTable } from "../tables/job-table.js";
import type { NodeTable } from "../tables/node-table.js";
import type { PlacementGroupTable } from "../tables/placement-group-table.js";

export interface Tables {
  readonly actors: ActorTable;
  readonly groupTable: PlacementGroupTable;
  readonly nodes: NodeTable;
  readonly jobs: JobTable;
}

/** Returns every row of a table in its present state, as the store should have it. */
export function rowsOf(
  { actors, groupTable, nodes, jobs }: Tables,
  table: StoreTable,
): Iterable<readonly [string, Uint8Array]> {
  switch (table) {
    case "specs":
    case "actors":
    case "deaths":
      return actors.rows(table);
    case "groups":
      return groupTable.rows();
    case "nodes":
      return nodes.rows();
    case "jobs":
      return jobs.rows();
    case "submissions":
      return jobs.submissionRows();
  }
}
