import type {
  ActorFilter,
  ActorStateName,
  Cluster,
  JobInfo,
  NodeFilter,
  NodeStateName,
  PlacementGroupFilter,
  PlacementGroupInfo,
  PlacementGroupStateName,
} from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import { Argument, type Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { formatBytes } from "../display/bytes.js";
import { printableJson } from "../display/printable.js";
import { parseCount } from "../key-values.js";
import { formatTable } from "../table.js";
import { jobHeadings, jobRows } from "./job.js";
import { actorHeadings, actorRows, formatUse } from "./status.js";

const kinds = ["nodes", "actors", "jobs", "placement-groups", "objects", "queues"] as const;
type Kind = (typeof kinds)[number];

interface ListOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly limit?: number;
  readonly state?: string;
  readonly node?: string;
  readonly class?: string;
  readonly role?: string;
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

/** Options that narrow a list down, and the kinds that have them. */
const filters: Readonly<Record<"limit" | "state" | "node" | "class" | "role", readonly Kind[]>> = {
  limit: ["nodes", "actors", "jobs", "placement-groups", "objects"],
  state: ["nodes", "actors", "jobs", "placement-groups"],
  node: ["nodes", "actors", "jobs"],
  class: ["actors"],
  role: ["actors"],
};

/** An option that means nothing for this kind would hide that everything is shown. @throws {PalimpsestError} */
export function refuseForeignFilters(kind: Kind, options: ListOptions): void {
  for (const name of ["limit", "state", "node", "class", "role"] as const) {
    if (options[name] === undefined || filters[name].includes(kind)) continue;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--${name} is for ${filters[name].join(", ")}, not for ${kind}`,
    );
  }
}

/** The states of `--state a,b`. @throws {PalimpsestError} INVALID_ARGUMENT that lists the known ones */
export function statesOf<State extends string>(text: string | undefined, known: readonly State[]): State[] {
  return (text?.split(",") ?? []).map((part) => {
    const state = known.find((name) => name === part.trim());
    if (state !== undefined) return state;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--state: ${JSON.stringify(part)} is none of ${known.join(", ")}`,
    );
  });
}

export function nodeFilter({ state, limit }: ListOptions): NodeFilter {
  return { states: statesOf(state, nodeStates), ...(limit === undefined ? {} : { limit }) };
}

export function actorFilter(options: ListOptions): ActorFilter {
  const { state, limit, node, class: className, role } = options;
  return {
    includeDead: true,
    states: statesOf(state, actorStates),
    ...(node === undefined ? {} : { nodeId: node }),
    ...(className === undefined ? {} : { className }),
    ...(role === undefined ? {} : { role }),
    ...(limit === undefined ? {} : { limit }),
  };
}

export function groupFilter({ state, limit }: ListOptions): PlacementGroupFilter {
  return { states: statesOf(state, groupStates), ...(limit === undefined ? {} : { limit }) };
}

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

/** The newest come last, as in the whole list. The head remembers a bounded number of jobs and sends them all. */
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

async function read(
  cluster: Cluster,
  kind: Kind,
  options: ListOptions,
): Promise<{ items: readonly unknown[]; text: () => string }> {
  refuseForeignFilters(kind, options);
  switch (kind) {
    case "nodes": {
      const filter = nodeFilter(options);
      // One node by its id or host: the head filters by host alone.
      const items =
        options.node === undefined
          ? await cluster.nodes(filter)
          : (await cluster.nodes({ states: filter.states ?? [] }))
              .filter(({ nodeId, hostname }) => nodeId === options.node || hostname === options.node)
              .slice(0, options.limit);
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
      return {
        items,
        text: () => formatTable(["node", "host", "state", "pid", "leased", "labels", "metrics"], rows),
      };
    }
    case "actors": {
      const items = await cluster.actors(actorFilter(options));
      return { items, text: () => formatTable(actorHeadings, actorRows(items)) };
    }
    case "jobs": {
      const items = chosenJobs(await cluster.jobs.list(), options);
      return { items, text: () => formatTable(jobHeadings, jobRows(items)) };
    }
    case "placement-groups": {
      const items = await cluster.placementGroups(groupFilter(options));
      return { items, text: () => formatTable(groupHeadings, items.map(groupRow)) };
    }
    case "objects": {
      const limit = options.limit === undefined ? {} : { limit: options.limit };
      const { objects: items, totalObjects } = await cluster.listObjects(limit);
      const rows = items.map(({ objectId, sizeBytes, holdingNodeIds, copyNodeIds, spilledNodeIds }) => [
        objectId,
        formatBytes(sizeBytes),
        holdingNodeIds.join(", "),
        copyNodeIds.join(", "),
        spilledNodeIds.join(", "),
      ]);
      const headings = ["object", "size", "held on", "copies on", "spilled on"];
      const others = totalObjects - items.length;
      const rest = others > 0 ? `\n${others} more: give --limit` : "";
      return { items, text: () => `${formatTable(headings, rows)}${rest}` };
    }
    case "queues": {
      const items = await cluster.queues();
      const rows = items.map((queue) => Object.values(queue).map(String));
      return {
        items,
        text: () =>
          formatTable(["queue", "waiting", "active", "waits for children", "delayed", "failed"], rows),
      };
    }
  }
}

export function addList(program: Command): void {
  withConnection(program.command("list"))
    .description("lists nodes, actors (dead ones too), jobs, placement groups, objects or queues")
    .addArgument(new Argument("<kind>", "what").choices(kinds))
    .option("--json", "as JSON")
    .option(
      "--limit <rows>",
      "at most so many: the first nodes and actors, the last jobs; objects: default 100",
      parseCount,
    )
    .option("--state <state,…>", "only in one of these states, such as alive or pending,restarting")
    .option("--node <id>", "only this node (its id or host), or what is on it (its id)")
    .option("--class <name>", "only actors of the class that a module exports under this name")
    .option("--role <role>", "only actors of this role")
    .action(async (kind: Kind, options: ListOptions) => {
      await withCluster(options, "list", async (cluster) => {
        const { items, text } = await read(cluster, kind, options);
        process.stdout.write(`${options.json ? printableJson(items) : text()}\n`);
      });
    });
}
