/** Serves the head's metrics page, as a part of its start. */

import { type Clock, every } from "@palimpsest/std";
import type { ScrapeTarget } from "@palimpsest/telemetry";
import { type Metrics, type MetricsServer, serveMetrics } from "@palimpsest/telemetry";
import { type AuditLog, formatAddress, httpGuard, PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import { exportQueueDepths } from "../services/queues.js";
import { portOf } from "../store/head-files.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { NodeTable } from "../tables/node-table.js";
import type { ControlPlane } from "./control-plane.js";
import { advertisedHost, type Beginning } from "./head-beginning.js";

const queueMetricsMs = 5_000;

/** @returns host:port of the page; empty when it is off */
export async function beginMetrics(
  { config, deps, parts, credentials, before }: Beginning,
  plane: ControlPlane,
  metrics: Metrics,
  redis: Redis,
  audit: AuditLog,
  clock: Clock,
): Promise<string> {
  if (config.metricsPort === null) return "";
  const portBefore = before?.metricsAddress ? portOf(before.metricsAddress) : 0;
  let address = "";
  const options = {
    guard: httpGuard(credentials, audit.record),
    host: config.host,
    healthy: () => redis.status === "ready",
    targets: () => scrapeTargets(address, plane.nodes, plane.actors),
  };
  const serve = (port: number) => serveMetrics(metrics.registry, { ...options, port });
  let server: MetricsServer;
  try {
    // The port of the last start is tried first, so that a scraper finds the page again.
    server =
      config.metricsPort === 0 && portBefore > 0
        ? await serve(portBefore).catch(() => serve(0))
        : await serve(config.metricsPort);
  } catch (reason) {
    const where = formatAddress(config.host, config.metricsPort);
    throw new PalimpsestError(
      "UNAVAILABLE",
      `cannot serve metrics on ${where}: ${String(reason)}; choose another --metrics-port`,
    );
  }
  parts.endings.push(() => server.close());
  const { readQueueDepths } = deps;
  if (readQueueDepths !== undefined) {
    const measure = async () => exportQueueDepths(metrics, await readQueueDepths(redis, plane.clusterId));
    const stopMeasuring = every(clock, queueMetricsMs, () => {
      measure().catch((reason: unknown) => deps.logger.debug({ err: reason }, "queues not measured"));
    });
    parts.endings.push(stopMeasuring);
  }
  address = formatAddress(advertisedHost(config), portOf(server.address));
  return address;
}

/** Returns every metrics page of the cluster, including the head's own, for Prometheus's service discovery. */
function scrapeTargets(ownAddress: string, nodes: NodeTable, actors: ActorTable): readonly ScrapeTarget[] {
  const targets: ScrapeTarget[] = [{ address: ownAddress, labels: { role: "head" } }];
  for (const node of nodes.all()) {
    if (node.state !== "ALIVE" || node.metricsAddress === "") continue;
    targets.push({ address: node.metricsAddress, labels: { role: "node", node_id: node.nodeId } });
  }
  const shared = new Set<string>();
  for (const actor of actors.all()) {
    if (actor.state !== "ALIVE" || actor.metricsAddress === "") continue;
    const { actorId, role, sharedProcess } = actor.spec;
    // Light actors have the page of their shared process, which is one target.
    if (sharedProcess && shared.has(actor.metricsAddress)) continue;
    if (sharedProcess) shared.add(actor.metricsAddress);
    const labels = { role: role || "actor", actor_id: sharedProcess ? "" : actorId, node_id: actor.nodeId };
    targets.push({ address: actor.metricsAddress, labels });
  }
  return targets;
}
