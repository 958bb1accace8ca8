import type { Cluster } from "@palimpsest/client";
import { Argument, type Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { formatTable } from "../table.js";
import { jobHeadings, jobRows } from "./job.js";
import { actorHeadings, actorRows, formatUse } from "./status.js";

const kinds = ["nodes", "actors", "jobs", "queues"] as const;
type Kind = (typeof kinds)[number];

async function read(
  cluster: Cluster,
  kind: Kind,
): Promise<{ items: readonly unknown[]; text: () => string }> {
  switch (kind) {
    case "nodes": {
      const items = await cluster.nodes();
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
      const items = await cluster.actors({ includeDead: true });
      return { items, text: () => formatTable(actorHeadings, actorRows(items)) };
    }
    case "jobs": {
      const items = await cluster.jobs.list();
      return { items, text: () => formatTable(jobHeadings, jobRows(items)) };
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
    .description("lists nodes, actors (dead ones too), jobs or queues")
    .addArgument(new Argument("<kind>", "what").choices(kinds))
    .option("--json", "as JSON")
    .action(async (kind: Kind, options: ConnectionOptions & { json?: boolean }) => {
      await withCluster(options, "list", async (cluster) => {
        const { items, text } = await read(cluster, kind);
        process.stdout.write(`${options.json ? JSON.stringify(items, null, 2) : text()}\n`);
      });
    });
}
