/** Adds up what the machines of a cluster use. */
import type { NodeRow, Use, UseSeries } from "../api/cluster.js";

type Points = readonly (number | null)[];

export interface ClusterUse {
  readonly intervalMs: number;
  /** Mean over the machines that reported, in percent. */
  readonly cpuPercent: Points;
  readonly memoryBytes: Points;
  readonly memoryTotalBytes: number;
}

export function clusterUse(
  { series: all, intervalMs }: Use,
  nodes: readonly Pick<NodeRow, "nodeId" | "hostname">[],
): ClusterUse {
  // Several nodes of one machine each report the whole machine.
  const hosts = new Map(nodes.map(({ nodeId, hostname }) => [nodeId, hostname]));
  const first = new Map(all.map((one) => [hosts.get(one.id) ?? one.id, one.id]));
  const series = all.filter(({ id }) => first.get(hosts.get(id) ?? id) === id);
  const sum = (of: (one: UseSeries) => Points, isMean: boolean): Points => {
    const length = Math.max(0, ...series.map((one) => of(one).length));
    return Array.from({ length }, (_, at) => {
      // Machines report one after the other: until one has, what it used in the interval before stands.
      if (series.every((one) => of(one)[at] == null)) return null;
      const values = series.flatMap((one) => of(one)[at] ?? of(one)[at - 1] ?? []);
      const total = values.reduce((all, value) => all + value, 0);
      return isMean ? total / values.length : total;
    });
  };
  return {
    intervalMs,
    cpuPercent: sum(({ cpuPercent }) => cpuPercent, true),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes, false),
    memoryTotalBytes: series.reduce((total, { memoryTotalBytes }) => total + memoryTotalBytes, 0),
  };
}
