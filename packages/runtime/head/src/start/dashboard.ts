/**
 * Starts the dashboard as a part of the leading head. Its pages are implemented elsewhere (HeadDeps.startDashboard).
 */

import { formatAddress, type LocalCalls, type Network, PalimpsestError } from "@palimpsest/wire";
import { portOf } from "../store/head-files.js";
import type { ControlPlane } from "./control-plane.js";
import { advertisedHost, type Beginning } from "./head-beginning.js";
import type { RunningDashboard } from "./running-dashboard.js";

/** @returns host:port of the dashboard; empty when it is off */
export async function beginDashboard(
  { config, deps, parts, credentials, before }: Beginning,
  plane: ControlPlane,
  { calls, network }: { readonly calls: LocalCalls; readonly network: Network },
): Promise<string> {
  const { startDashboard, logger } = deps;
  const { dashboardPort, host } = config;
  if (startDashboard === undefined || dashboardPort === null) return "";
  const cluster = {
    ...{ credentials, calls, network },
    jobLogBytes: (jobId: string) => plane.logs.sizeBytes(jobId),
    nodeAddress: (nodeId: string) => plane.nodes.get(nodeId)?.objectsAddress ?? "",
  };
  const serve = (port: number) => startDashboard(cluster, { host, port, logger });
  const portBefore = before?.dashboardAddress ? portOf(before.dashboardAddress) : 0;
  let running: RunningDashboard;
  try {
    // The port of the last start is tried first, so that links and bookmarks stay valid.
    running =
      dashboardPort === 0 && portBefore > 0
        ? await serve(portBefore).catch(() => serve(0))
        : await serve(dashboardPort);
  } catch (reason) {
    const where = formatAddress(host, dashboardPort);
    throw new PalimpsestError(
      "UNAVAILABLE",
      `cannot serve the dashboard on ${where}: ${String(reason)}; choose another --dashboard-port, or --no-dashboard`,
    );
  }
  parts.endings.push(() => running.close());
  return formatAddress(advertisedHost(config), portOf(running.address));
}
