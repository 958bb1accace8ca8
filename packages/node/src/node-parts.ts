/**
 * What a node is made of besides its link and its processes: its folders, its object service, its metrics page, what
 * it offers and what it proves itself with.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, type Metrics, type MetricsServer, serveMetrics } from "@palimpsest/telemetry";
import {
  AuditLog,
  auditPathsOf,
  type Clock,
  grpcNetwork,
  httpGuard,
  type Network,
  systemClock,
} from "@palimpsest/wire";
import type { ResolvedNodeConfig } from "./config.js";
import type { PrepareDriver } from "./driver-process.js";
import { findGpus, visibleDevicesName } from "./gpu-devices.js";
import { Installation } from "./installation.js";
import { detectResources, type LoadMeter } from "./machine.js";
import { NodeCredentials } from "./node-credentials.js";
import { NodeObjects } from "./node-objects.js";
import type { StartActorProcess } from "./process-starts.js";

export interface NodeDeps {
  readonly logger: Logger;
  /** Environment of actors and drivers; PALIMPSEST_* of it is left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: gRPC with the configuration's token and certificate. */
  readonly network?: Network;
  /** Default: a forked Node.js process for each actor. */
  readonly startProcess?: StartActorProcess;
  /** Default: a Node.js process for each driver of a job. */
  readonly prepareDriver?: PrepareDriver;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** How busy the machine is. Default: measured. */
  readonly load?: Pick<LoadMeter, "read">;
}

export interface NodeParts {
  readonly objects: NodeObjects;
  readonly network: Network;
  readonly credentials: NodeCredentials;
  readonly installation: Installation;
  readonly resources: Readonly<Record<string, number>>;
  /** GPUs that it offers, as CUDA names them. */
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
    // Nothing that a node serves is an administrative call.
    { refusals: auditPathsOf(config.dataDir).refusals },
    {
      clock: systemClock,
      onError: (reason, fields) =>
        deps.logger.error({ err: reason, audit: fields }, "refused calls cannot be logged"),
    },
  );
  const network = deps.network ?? grpcNetwork({ credentials: credentials.own, onCall: audit.record });
  const folders = ["logs", "work"].map((name) => join(config.dataDir, name));
  await Promise.all(folders.map((path) => mkdir(path, { recursive: true, mode: 0o700 })));
  const gpus = await findGpus(deps.environment[visibleDevicesName], config.gpus);
  const resources = detectResources({ ...config, gpus: gpus.length });
  const objects = await NodeObjects.start({ config, metrics, network, clock: systemClock });
  if (objects.onDiskBecause !== "")
    deps.logger.warn({ folder: objects.folder }, `objects lie on disk: ${objects.onDiskBecause}`);
  const metricsServer = await serveMetrics(metrics.registry, {
    guard: httpGuard(credentials.own, audit.record),
    host: config.listenHost,
    port: config.metricsPort,
  });
  return { objects, network, credentials, installation, resources, gpus, metricsServer };
}
