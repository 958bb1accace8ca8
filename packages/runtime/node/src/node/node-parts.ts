/**
 * The parts of a node besides its link and its processes: folders, object service, metrics page, resources and
 * credentials.
 */

import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { type Logger, type Metrics, type MetricsServer, serveMetrics } from "@palimpsest/telemetry";
import { AuditLog, auditPathsOf, faultsLoaded, grpcNetwork, httpGuard, type Network } from "@palimpsest/wire";
import type { ResolvedNodeConfig } from "../base/config.js";
import { findGpus, visibleDevicesName } from "../base/gpu-devices.js";
import { Installation } from "../base/installation.js";
import { detectResources } from "../base/machine.js";
import { NodeCredentials } from "../base/node-credentials.js";
import type { UseMeter } from "../base/use-meter.js";
import type { PrepareDriver } from "../processes/driver-process.js";
import type { StartActorProcess } from "../processes/process-starts.js";
import type { SharedProcessesDeps } from "../processes/shared-processes.js";
import { NodeObjects } from "./node-objects.js";

export interface NodeDeps {
  readonly logger: Logger;
  /** The environment of actors and drivers, from which PALIMPSEST_* is left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: gRPC with the token and the certificate of the configuration. */
  readonly network?: Network;
  /** Default: a forked Node.js process per actor. */
  readonly startProcess?: StartActorProcess;
  /**
   * Creates the processes of light actors. If `startProcess` is given without it, there are none. Default: a Node.js
   * process.
   */
  readonly spawnShared?: SharedProcessesDeps["spawn"];
  /** Default: a Node.js process per driver. */
  readonly prepareDriver?: PrepareDriver;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Measures what is in use. Default: of this machine. */
  readonly use?: Pick<UseMeter, "read">;
}

export interface NodeParts {
  readonly objects: NodeObjects;
  readonly network: Network;
  readonly credentials: NodeCredentials;
  readonly installation: Installation;
  readonly resources: Readonly<Record<string, number>>;
  /** The GPUs that it offers, as CUDA names them. */
  readonly gpus: readonly string[];
  readonly metricsServer: MetricsServer;
}

/** @throws {PalimpsestError} CONFIG_INVALID, NOT_FOUND, UNAVAILABLE (a port is taken) */
export async function openNodeParts(
  config: ResolvedNodeConfig,
  deps: NodeDeps,
  metrics: Metrics,
): Promise<NodeParts> {
  const installation = new Installation(config.modulesFrom, config.bundledModules);
  const credentials = NodeCredentials.open(config);
  const audit = new AuditLog(
    // A node serves no administrative calls, so only refusals are logged.
    { refusals: auditPathsOf(config.dataDir).refusals },
    {
      clock: systemClock,
      onError: (reason, fields) =>
        deps.logger.error({ err: reason, audit: fields }, "refused calls cannot be logged"),
    },
  );
  await faultsLoaded;
  const network = deps.network ?? grpcNetwork({ credentials: credentials.own, onCall: audit.record });
  const folders = ["logs", "work"].map((name) => join(config.dataDir, name));
  for (const path of folders) makeFolder(path, 0o700);
  const gpus = await findGpus(deps.environment[visibleDevicesName], config.gpus);
  const resources = detectResources({ ...config, gpus: gpus.length });
  const objects = await NodeObjects.start({
    ...{ config, metrics, network, clock: systemClock },
    onWait: (why) => deps.logger.warn(why),
  });
  if (objects.onDiskBecause !== "")
    deps.logger.warn({ folder: objects.folder }, `objects are stored on disk: ${objects.onDiskBecause}`);
  const metricsServer = await serveMetrics(metrics.registry, {
    guard: httpGuard(credentials.own, audit.record),
    host: config.listenHost,
    port: config.metricsPort,
  }).catch(async (reason: unknown) => {
    // The object service listens already and would keep the process.
    await objects.close();
    throw reason;
  });
  return { objects, network, credentials, installation, resources, gpus, metricsServer };
}
