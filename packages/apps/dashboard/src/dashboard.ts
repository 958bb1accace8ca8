/** The dashboard of a cluster. The head starts it in its own process (HeadDeps.startDashboard). */
import { fileURLToPath } from "node:url";
import { systemClock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { headService, httpGuard } from "@palimpsest/wire";
import { RunData } from "./runs/run-data.js";
import { actorRoutes } from "./server/actor-routes.js";
import { clusterRoutes, type DashboardCluster } from "./server/cluster-routes.js";
import { jobRoutes } from "./server/job-routes.js";
import { LogStreams } from "./server/log-streams.js";
import { NodePeers } from "./server/node-peers.js";
import { PageFiles } from "./server/page-files.js";
import { profileRoutes } from "./server/profile-routes.js";
import { runRoutes } from "./server/run-routes.js";
import { type RunningServer, serve } from "./server/serve.js";
import { SignIns } from "./server/sign-ins.js";
import { taskRoutes } from "./server/task-routes.js";

/** Folder of the built front end. */
export const pageFolder = fileURLToPath(new URL("../dist/page", import.meta.url));

export interface DashboardOptions {
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  /** Folders of runs, and folders that contain some. */
  readonly runs: readonly string[];
}

/** @throws the listen error, such as EADDRINUSE */
export async function startDashboard(
  cluster: DashboardCluster,
  { host, port, logger, runs: folders }: DashboardOptions,
): Promise<RunningServer> {
  const guard = httpGuard(cluster.credentials);
  const runs = new RunData(folders);
  const streams = new LogStreams();
  const peers = new NodePeers(cluster.network);
  const server = await serve({
    host,
    port,
    logger,
    tls: guard.tls,
    onTls: guard.onTls,
    files: new PageFiles(pageFolder),
    signIns: new SignIns(systemClock, () => cluster.credentials.token),
    routes: [
      ...clusterRoutes(cluster),
      ...actorRoutes(cluster, { streams, peers }),
      ...jobRoutes(cluster, streams),
      ...taskRoutes(cluster, peers),
      ...profileRoutes(cluster),
      ...runRoutes(runs),
    ],
    admit: (caller) => cluster.calls.admit(headService.getCluster, caller),
  });
  return {
    address: server.address,
    async close() {
      await server.close();
      peers.close();
      await runs.close();
    },
  };
}
