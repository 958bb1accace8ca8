import type { ActorInfo, Cluster, NodeInfo } from "@palimpsest/client";
import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { formatTable } from "../table.js";

const amount = (value: number) =>
  Number.isInteger(value) ? String(value) : value.toFixed(2).replace(/0+$/, "");

/** "1.6/2 cpu, 0/1 gpu": leased of offered; memory only where somebody leased some. */
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
    actor.role,
    actor.state,
    actor.pid > 0 ? String(actor.pid) : "",
    String(actor.incarnation),
    formatResources(actor.resources),
    actor.state === "pending" ? actor.pendingReason : (actor.certificate?.reason ?? ""),
  ]);
}

export const actorHeadings = ["actor", "role", "state", "pid", "process", "resources", "note"];

async function statusText(cluster: Cluster): Promise<string> {
  const [info, nodes, actors, queues] = await Promise.all([
    cluster.info(),
    cluster.nodes(),
    cluster.actors(),
    cluster.queues(),
  ]);
  const head = `cluster ${info.clusterId}, version ${info.version}: head pid ${info.pid}${info.redisPid ? `, redis pid ${info.redisPid}` : ""}, metrics http://${info.metricsAddress}/metrics`;
  const nodeRows = nodes.map((node) => [
    node.nodeId,
    node.hostname,
    node.state,
    String(node.pid),
    formatUse(node),
  ]);
  const queueRows = queues.map((queue) =>
    [queue.name, queue.waiting, queue.active, queue.waitingChildren, queue.delayed, queue.failed].map(String),
  );
  const none = "(none)";
  return [
    head,
    "",
    formatTable(["node", "host", "state", "pid", "leased"], nodeRows.length > 0 ? nodeRows : [[none]]),
    "",
    formatTable(actorHeadings, actors.length > 0 ? actorRows(actors) : [[none]]),
    "",
    formatTable(
      ["queue", "waiting", "active", "waits for children", "delayed", "failed"],
      queueRows.length > 0 ? queueRows : [[none]],
    ),
    "",
  ].join("\n");
}

export function addStatus(program: Command): void {
  withConnection(program.command("status"))
    .description("shows the head, its nodes, actors with their processes and resources, and queue depths")
    .option("--json", "as JSON")
    .action(async (options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "status", async (cluster) => {
        if (!options.json) {
          process.stdout.write(await statusText(cluster));
          return;
        }
        const [{ redisUrl: _secret, ...info }, nodes, actors, queues] = await Promise.all([
          cluster.info(),
          cluster.nodes(),
          cluster.actors(),
          cluster.queues(),
        ]);
        process.stdout.write(`${JSON.stringify({ head: info, nodes, actors, queues }, null, 2)}\n`);
      });
    });
}
