import {
  type ActorInfo,
  type Cluster,
  type ClusterSummary,
  fullNameOf,
  type NodeInfo,
} from "@palimpsest/client";
import type { Command } from "commander";
import {
  type ConnectionOptions,
  resolveConnection,
  withCluster,
  withConnection,
} from "../../cluster/connection.js";
import { pageUrl } from "../../cluster/metrics-page.js";
import { formatBytes } from "../../display/bytes.js";
import { JsonOutput } from "../../display/json-output.js";
import { printableLine } from "../../display/printable.js";
import { formatTable } from "../../display/table.js";
import { parseCount } from "../../input/key-values.js";
import { statusSchema } from "../../state/row-schemas.js";

const amount = (value: number) =>
  Number.isInteger(value) ? String(value) : value.toFixed(2).replace(/0+$/, "");

/** Formats leased and offered resources, such as "1.6/2 cpu, 0/1 gpu". Memory is shown only if some is leased. */
export function formatUse(node: Pick<NodeInfo, "total" | "available">): string {
  return Object.entries(node.total)
    .map(([name, total]) => ({ name, total, used: total - (node.available[name] ?? 0) }))
    .filter(({ name, used, total }) => total > 0 && (name !== "memory" || used > 0))
    .map(({ name, used, total }) => `${amount(used)}/${amount(total)} ${name}`)
    .join(", ");
}

export function formatResources(resources: Readonly<Record<string, number>>): string {
  return Object.entries(resources)
    .map(([name, quantity]) => `${amount(quantity)} ${name}`)
    .join(", ");
}

export function actorRows(actors: readonly ActorInfo[]): string[][] {
  return actors.map((actor) => [
    actor.actorId,
    fullNameOf(actor),
    actor.role,
    actor.state,
    actor.pid > 0 ? String(actor.pid) : "",
    String(actor.incarnation),
    formatResources(actor.resources),
    actor.state === "pending" ? actor.pendingReason : (actor.certificate?.reason ?? ""),
  ]);
}

export const actorHeadings = ["actor", "name", "role", "state", "pid", "process", "resources", "note"];

/** Maximum number of rows of nodes and of actors, as text and as JSON. Further rows are only counted. */
const defaultRows = { text: 50, json: 1_000 } as const;

/** Formats counts above zero: "3 alive, 1 pending". */
function formatCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.map(([name, count]) => `${count} ${name}`).join(", ") || "none";
}

/** Summarizes the cluster in lines of counts, because its rows may not fit on a screen. */
function summaryLines(summary: ClusterSummary): string[] {
  const lines = [`nodes: ${formatCounts(summary.nodes)}`, `actors: ${formatCounts(summary.actors)}`];
  if (summary.reservedNodeCount > 0)
    lines.push(
      `${summary.reservedNodeCount} nodes are reserved for requests that have waited for a long time`,
    );
  for (const { count, resources, reason } of summary.waiting.slice(0, 10)) {
    lines.push(`${count} wait for ${formatResources(resources) || "a node"}: ${reason}`);
  }
  for (const { name, maxBytes, usedBytes, waitingNodes } of summary.objectQuotas) {
    const waits = waitingNodes > 0 ? `; objects wait on ${waitingNodes} nodes` : "";
    lines.push(`objects of ${name}: ${formatBytes(usedBytes)} of ${formatBytes(maxBytes)} used${waits}`);
  }
  lines.push(...autoscalerLines(summary.autoscaler));
  const hidden = summary.waitingShapeCount - Math.min(10, summary.waiting.length);
  if (hidden > 0) lines.push(`${hidden} more kinds of requests wait: palimpsest list actors`);
  return lines;
}

/** Formats the state of the autoscaler, and why nodes are not coming. */
function autoscalerLines(status: ClusterSummary["autoscaler"]): string[] {
  if (status === undefined) return [];
  const types = status.types.map(({ name, running, starting, stopping, minNodes, maxNodes }) => {
    const coming = starting > 0 ? `, ${starting} starting` : "";
    const going = stopping > 0 ? `, ${stopping} ending` : "";
    return `${name} ${running} running${coming}${going} (${minNodes} to ${maxNodes})`;
  });
  const retry = status.retryAtMs > 0 ? `, retried at ${new Date(status.retryAtMs).toISOString()}` : "";
  return [
    `autoscaler (${status.provider}): ${types.join("; ")}`,
    ...status.unmet.map(
      ({ resources, count, reason }) =>
        `no node will come for ${count} of ${formatResources(resources) || "a node"}: ${reason}`,
    ),
    ...(status.error ? [`autoscaler error: ${status.error}${retry}`] : []),
  ];
}

function moreRow(total: number, shown: number, kind: string): string[][] {
  return total > shown ? [[`… ${total - shown} more: palimpsest list ${kind}`]] : [];
}

async function statusText(cluster: Cluster, tls: boolean, limit: number): Promise<string> {
  const [info, summary, nodes, actors, queues] = await Promise.all([
    cluster.info(),
    cluster.summary(),
    cluster.nodes({ limit }),
    cluster.actors({ limit }),
    cluster.queues(),
  ]);
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).reduce((all, [state, count]) => (state === "dead" ? all : all + count), 0);
  const head = `cluster ${info.clusterId}, version ${info.version}: head pid ${info.pid}${info.redisPid ? `, redis pid ${info.redisPid}` : ""}, metrics ${pageUrl(info.metricsAddress, tls) || "off"}`;
  const nodeRows = [
    ...nodes.map((node) => [
      node.nodeId,
      node.hostname,
      node.state,
      String(node.pid),
      node.version,
      formatUse(node),
    ]),
    ...moreRow(sum(summary.nodes), nodes.length, "nodes"),
  ];
  const rowsOfActors = [...actorRows(actors), ...moreRow(sum(summary.actors), actors.length, "actors")];
  const queueRows = queues.map((queue) =>
    [queue.name, queue.waiting, queue.active, queue.waitingChildren, queue.delayed, queue.failed].map(String),
  );
  const none = "(none)";
  return [
    ...[head, ...summaryLines(summary)].map(printableLine),
    "",
    formatTable(
      ["node", "host", "state", "pid", "version", "leased"],
      nodeRows.length > 0 ? nodeRows : [[none]],
    ),
    "",
    formatTable(actorHeadings, rowsOfActors.length > 0 ? rowsOfActors : [[none]]),
    "",
    formatTable(
      ["queue", "waiting", "active", "waits for children", "delayed", "failed"],
      queueRows.length > 0 ? queueRows : [[none]],
    ),
    "",
  ].join("\n");
}

const output = new JsonOutput(() => statusSchema);

export function addStatus(program: Command): void {
  withConnection(program.command("status"))
    .description("shows the head, its nodes, actors with their processes and resources, and queue depths")
    .addOption(output.option())
    .option(
      "--limit <rows>",
      `nodes and actors to show; the rest is counted (default: ${defaultRows.text}, as JSON ${defaultRows.json})`,
      parseCount,
    )
    .action(async (options: ConnectionOptions & { json?: boolean; limit?: number }) => {
      await withCluster(
        options,
        "status",
        async (cluster) => {
          const tls = resolveConnection(options).tls !== "";
          const limit = options.limit ?? (options.json ? defaultRows.json : defaultRows.text);
          if (!options.json) {
            process.stdout.write(await statusText(cluster, tls, limit));
            return;
          }
          const [{ redisUrl: _secret, ...info }, summary, nodes, actors, queues] = await Promise.all([
            cluster.info(),
            cluster.summary(),
            cluster.nodes({ limit }),
            cluster.actors({ limit }),
            cluster.queues(),
          ]);
          output.print({ head: info, summary, nodes, actors, queues });
        },
        { anyProtocol: true },
      );
    });
}
