import type { Cluster } from "@palimpsest/client";

/** One process of a run. */
export interface ProcessRow {
  /** "head", "redis", "node", "driver", or an actor's role. */
  readonly role: string;
  readonly pid: number;
}

/** Returns every live process of the cluster, with this one as the driver. */
export async function processesOf(cluster: Cluster): Promise<ProcessRow[]> {
  const [info, nodes, actors] = await Promise.all([cluster.info(), cluster.nodes(), cluster.actors()]);
  return [
    { role: "head", pid: info.pid },
    ...(info.redisPid > 0 ? [{ role: "redis", pid: info.redisPid }] : []),
    ...nodes.filter((node) => node.state === "alive").map(({ pid }) => ({ role: "node", pid })),
    { role: "driver", pid: process.pid },
    ...actors.filter((actor) => actor.state === "alive").map(({ role, pid }) => ({ role, pid })),
  ];
}
