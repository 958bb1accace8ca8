import type {
  ActorFilter,
  ActorStateName,
  Cluster,
  JobInfo,
  NodeFilter,
  NodeInfo,
  NodeStateName,
  PlacementGroupFilter,
  PlacementGroupInfo,
  PlacementGroupStateName,
} from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import { Argument, type Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { formatBytes } from "../../display/bytes.js";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { parseCount } from "../../input/key-values.js";
import { parseFilter, passing, type RowFilter, refuseUnknownKeys } from "../../state/filter.js";
import {
  actorSchema,
  eventSchema,
  jobSchema,
  nodeSchema,
  objectSchema,
  placementGroupSchema,
  queueSchema,
  taskSchema,
} from "../../state/row-schemas.js";
import { stateTables } from "../../state/tables.js";
import { jobHeadings, jobRows } from "./job.js";
import { statesOf } from "./list-states.js";
import { readTasks } from "./list-tasks.js";
import { actorHeadings, actorRows, formatUse } from "./status.js";

const kinds = [
  "nodes",
  "actors",
  "jobs",
  "tasks",
  "placement-groups",
  "objects",
  "events",
  "queues",
] as const;
type Kind = (typeof kinds)[number];

interface ListOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly limit?: number;
  readonly state?: string;
  readonly node?: string;
  readonly class?: string;
  readonly role?: string;
  readonly name?: string;
  readonly job?: string;
  readonly filter?: readonly RowFilter[];
}

const nodeStates = ["alive", "suspect", "dead"] as const satisfies readonly NodeStateName[];
const actorStates = [
  "pending",
  "starting",
  "alive",
  "restarting",
  "dead",
] as const satisfies readonly ActorStateName[];
const jobStates = ["pending", "running", "stopping", "succeeded", "failed", "stopped"] as const;

const groupStates = [
  "pending",
  "created",
  "rescheduling",
] as const satisfies readonly PlacementGroupStateName[];

/** Options that filter a list, and the kinds of rows that support them. */
const filters = {
  limit: ["nodes", "actors", "jobs", "tasks", "placement-groups", "objects", "events"],
  state: ["nodes", "actors", "jobs", "tasks", "placement-groups"],
  node: ["nodes", "actors", "jobs", "tasks", "events"],
  class: ["actors"],
  role: ["actors"],
  name: ["tasks"],
  job: ["actors", "tasks", "placement-groups", "events"],
  filter: ["nodes", "actors", "jobs", "tasks", "placement-groups", "objects", "events"],
} as const satisfies Readonly<Record<string, readonly Kind[]>>;

/**
 * Refuses an option that this kind does not support, because ignoring it would show everything.
 * @throws {PalimpsestError}
 */
export function refuseForeignFilters(kind: Kind, options: ListOptions): void {
  for (const [name, known] of Object.entries(filters) as [keyof typeof filters, readonly Kind[]][]) {
    if (options[name] === undefined || known.includes(kind)) continue;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--${name} applies to ${known.join(", ")}, not to ${kind}: leave it out`,
    );
  }
}

export function nodeFilter({ state, limit }: ListOptions): NodeFilter {
  return { states: statesOf(state, nodeStates), ...(limit === undefined ? {} : { limit }) };
}

export function actorFilter(options: ListOptions): ActorFilter {
  const { state, limit, node, class: className, role, job } = options;
  return {
    includeDead: true,
    states: statesOf(state, actorStates),
    ...(node === undefined ? {} : { nodeId: node }),
    ...(className === undefined ? {} : { className }),
    ...(role === undefined ? {} : { role }),
    ...(job === undefined ? {} : { jobId: job }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function groupFilter({ state, limit, job }: ListOptions): PlacementGroupFilter {
  return {
    states: statesOf(state, groupStates),
    ...(job === undefined ? {} : { jobId: job }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** The maximum number of objects that the head lists. */
const maxObjects = 10_000;

const groupHeadings = ["group", "name", "state", "strategy", "bundles", "nodes", "waits for"];

function groupRow({ groupId, name, state, strategy, bundles, reason }: PlacementGroupInfo): string[] {
  const asked = bundles.map(({ resources }) =>
    Object.entries(resources)
      .map(([resource, amount]) => `${amount} ${resource}`)
      .join(" + "),
  );
  const nodes = bundles.map(({ nodeId }) => nodeId || "-");
  return [groupId, name, state, strategy, asked.join(", "), nodes.join(", "), reason];
}

/**
 * Returns the jobs that pass the options, the newest last, as in the whole list. They are filtered here, because the
 * head keeps a bounded number of jobs and sends all of them.
 */
export function chosenJobs(
  jobs: readonly JobInfo[],
  { state, node, limit }: ListOptions,
): readonly JobInfo[] {
  const states: readonly string[] = statesOf(state, jobStates);
  const chosen = jobs.filter((job) => {
    const shown = job.status === "running" && job.stopRequested ? "stopping" : job.status;
    return (states.length === 0 || states.includes(shown)) && (node === undefined || job.nodeId === node);
  });
  return limit === undefined ? chosen : chosen.slice(-limit);
}

const output = new JsonOutput(() =>
  z.union([
    z.array(nodeSchema).describe("of nodes"),
    z.array(actorSchema).describe("of actors"),
    z.array(jobSchema).describe("of jobs"),
    z.array(taskSchema).describe("of tasks"),
    z.array(placementGroupSchema).describe("of placement-groups"),
    z.array(objectSchema).describe("of objects"),
    z.array(eventSchema).describe("of events"),
    z.array(queueSchema).describe("of queues"),
  ]),
);

interface Listed {
  readonly items: Parameters<typeof output.print>[0];
  readonly text: () => string;
}

const nodeHeadings = ["node", "host", "state", "pid", "leased", "labels", "metrics"];
const objectHeadings = ["object", "size", "held on", "copies on", "spilled on"];
const eventHeadings = ["when", "what", "of", "node", "job", "message"];
const queueHeadings = ["queue", "waiting", "active", "waits for children", "delayed", "failed"];
const defaultRows = 100;

async function read(cluster: Cluster, kind: Kind, options: ListOptions): Promise<Listed> {
  refuseForeignFilters(kind, options);
  const filters = options.filter ?? [];
  // If rows are filtered here, the head must send all of them, and the limit applies afterwards.
  const { limit, ...unlimited } = options;
  const asked = filters.length > 0 ? unlimited : options;
  switch (kind) {
    case "nodes":
      return nodeList((await readNodes(cluster, asked, filters)).slice(0, limit));
    case "actors": {
      const items = passing(stateTables.actors, await cluster.actors(actorFilter(asked)), filters).slice(
        0,
        limit,
      );
      return { items, text: () => formatTable(actorHeadings, actorRows(items)) };
    }
    case "jobs": {
      const items = chosenJobs(passing(stateTables.jobs, await cluster.jobs.list(), filters), options);
      return { items, text: () => formatTable(jobHeadings, jobRows(items)) };
    }
    case "tasks":
      refuseUnknownKeys(stateTables.tasks, filters);
      return await readTasks(cluster, options, (tasks, left) => passing(stateTables.tasks, tasks, left));
    case "placement-groups": {
      const groups = await cluster.placementGroups(groupFilter(asked));
      const items = passing(stateTables.placement_groups, groups, filters).slice(0, limit);
      return { items, text: () => formatTable(groupHeadings, items.map(groupRow)) };
    }
    case "objects":
      return await readObjects(cluster, asked, filters, limit);
    case "events": {
      const { node, job } = options;
      const events = await cluster.events({
        ...(node === undefined ? {} : { nodeId: node }),
        ...(job === undefined ? {} : { jobId: job }),
        ...(filters.length > 0 ? {} : { limit: limit ?? defaultRows }),
      });
      const items = passing(stateTables.events, events, filters).slice(0, limit ?? defaultRows);
      const rows = items.map(({ atMs, kind: what, subjectId, nodeId, jobId, message }) => [
        new Date(atMs).toISOString(),
        what,
        subjectId,
        nodeId,
        jobId,
        message,
      ]);
      return { items, text: () => formatTable(eventHeadings, rows) };
    }
    case "queues": {
      const items = await cluster.queues();
      const rows = items.map((queue) => Object.values(queue).map(String));
      return { items, text: () => formatTable(queueHeadings, rows) };
    }
  }
}

async function readNodes(
  cluster: Cluster,
  options: ListOptions,
  filters: readonly RowFilter[],
): Promise<readonly NodeInfo[]> {
  const filter = nodeFilter(options);
  if (options.node === undefined) return passing(stateTables.nodes, await cluster.nodes(filter), filters);
  // The head filters nodes by host only, so a single node is selected by id or host here.
  const nodes = await cluster.nodes({ states: filter.states ?? [] });
  const chosen = nodes.filter(({ nodeId, hostname }) => nodeId === options.node || hostname === options.node);
  return passing(stateTables.nodes, chosen, filters).slice(0, options.limit);
}

function nodeList(items: readonly NodeInfo[]): Listed {
  const rows = items.map((node) => [
    node.nodeId,
    node.hostname,
    node.state,
    String(node.pid),
    formatUse(node),
    Object.entries(node.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(","),
    node.metricsAddress,
  ]);
  return { items, text: () => formatTable(nodeHeadings, rows) };
}

async function readObjects(
  cluster: Cluster,
  options: ListOptions,
  filters: readonly RowFilter[],
  limit: number | undefined,
): Promise<Listed> {
  const most =
    filters.length > 0 ? { limit: maxObjects } : options.limit === undefined ? {} : { limit: options.limit };
  const { objects, totalObjects } = await cluster.listObjects(most);
  const items = passing(stateTables.objects, objects, filters).slice(0, limit);
  const rows = items.map(({ objectId, sizeBytes, holdingNodeIds, copyNodeIds, spilledNodeIds }) => [
    objectId,
    formatBytes(sizeBytes),
    holdingNodeIds.join(", "),
    copyNodeIds.join(", "),
    spilledNodeIds.join(", "),
  ]);
  const others = totalObjects - objects.length;
  const rest = others > 0 ? `\n${others} more: raise --limit to see them` : "";
  return { items, text: () => `${formatTable(objectHeadings, rows)}${rest}` };
}

export function addList(program: Command): void {
  withConnection(program.command("list"))
    .description(
      "lists nodes, actors (dead ones too), jobs, tasks with calls and transfers, placement groups, objects, events or queues",
    )
    .addArgument(new Argument("<kind>", "what").choices(kinds))
    .addOption(output.option())
    .option(
      "--limit <rows>",
      "maximum number of rows: the first nodes and actors, the last jobs, the newest tasks and events; tasks, objects, events: default 100",
      parseCount,
    )
    .option("--state <state,…>", "only in one of these states, such as alive or pending,restarting")
    .option("--node <id>", "only this node (by id or host), or the rows on it (by id)")
    .option("--class <name>", "only actors of the class that a module exports under this name")
    .option("--role <role>", "only actors of this role")
    .option("--name <name>", "only tasks and calls of the function or method of this name")
    .option("--job <id>", "only rows of this job")
    .option(
      "--filter <key=value>",
      "only rows whose column has this value, or with != another one; may be repeated",
      parseFilter,
    )
    .action(async (kind: Kind, options: ListOptions) => {
      await withCluster(options, "list", async (cluster) => {
        const { items, text } = await read(cluster, kind, options);
        if (options.json) output.print(items);
        else process.stdout.write(`${text()}\n`);
      });
    });
}
