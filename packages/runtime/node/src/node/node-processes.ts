/**
 * Responsibility: what runs on this node: the processes of actors and drivers, the bundles that they run, and what
 * has to be reported to the head again after a break.
 * Not responsible for: which of them run (the head decides it), or the link.
 */
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import type { Metrics } from "@palimpsest/telemetry";
import type * as proto from "@palimpsest/wire/protocol";
import { backgroundPriority } from "../base/background-priority.js";
import { childEnvironment, fileThreads } from "../base/child-environment.js";
import type { ResolvedNodeConfig } from "../base/config.js";
import { visibleDevicesName } from "../base/gpu-devices.js";
import type { HeadChannels } from "../base/head-channels.js";
import type { Installation } from "../base/installation.js";
import { cpuCount, memoryLook } from "../base/machine.js";
import { RecentDeaths } from "../base/recent-deaths.js";
import { BundleCache } from "../environments/bundle-cache.js";
import { RuntimeEnvironments } from "../environments/runtime-environments.js";
import { Drivers } from "../processes/drivers.js";
import { ProcessSupervisor } from "../processes/process-supervisor.js";
import { SharedProcesses } from "../processes/shared-processes.js";
import type { TaskReports } from "../processes/task-reports.js";
import { WarmProcesses } from "../processes/warm/warm-processes.js";
import { WorkerProcess, type WorkerProgram } from "../processes/worker-process.js";
import type { NodeDeps, NodeParts } from "./node-parts.js";

const workerModule = "@palimpsest/worker/main";
const lateCertificatesModule = "@palimpsest/worker/late-certificates";
const defaultLeastWarm = 4;
const defaultMostWarmPerCore = 16;

export interface NodeProcessesDeps {
  readonly config: ResolvedNodeConfig;
  readonly deps: NodeDeps;
  readonly parts: NodeParts;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly heads: HeadChannels;
  /** Sends a message over the link; it is dropped if there is no link. */
  readonly send: (message: proto.NodeMessage.$Properties) => void;
  readonly taskReports: Pick<TaskReports, "forward">;
  /** Returns whether the node is ending. */
  readonly closing: () => boolean;
  /** Aborts when downloads must end. */
  readonly signal: AbortSignal;
}

export class NodeProcesses {
  readonly supervisor: ProcessSupervisor;
  readonly drivers: Drivers;
  /** The warm processes; absent if another component creates the processes. */
  readonly warm: WarmProcesses | undefined;
  /** The processes of light actors; absent in the same case. */
  readonly shared: SharedProcesses | undefined;
  readonly #deps: NodeProcessesDeps;
  readonly #deaths: RecentDeaths;

  constructor(given: NodeProcessesDeps) {
    const { config, deps, parts, metrics, clock, heads, send, closing, signal } = given;
    this.#deps = given;
    this.#deaths = new RecentDeaths(config.headAwayLimitMs);
    const { tracesEndpoint } = config;
    const environment = {
      ...fileThreads(cpuCount(), deps.environment["UV_THREADPOOL_SIZE"]),
      ...childEnvironment(deps.environment, config.passEnvironment),
      ...(tracesEndpoint ? { OTEL_EXPORTER_OTLP_ENDPOINT: tracesEndpoint } : {}),
    };
    parts.credentials.own.onChange(() => {
      this.supervisor.adopt(parts.credentials.forActor());
      this.shared?.adopt(parts.credentials.forActor());
    });
    const bundles = new BundleCache({
      folder: join(config.dataDir, "bundles"),
      head: () => heads.bulk,
      installation: parts.installation,
      signal,
      retryForMs: config.headAwayLimitMs,
      headRecovers: () => heads.recovering,
      maxBytes: config.bundleCacheBytes,
      clock,
      logger: deps.logger,
    });
    const program = programOf(config, parts.installation);
    // The process sees no GPUs, like that of an actor that leases none.
    const spawn = (own: Readonly<Record<string, string>> = {}, cwd?: string) =>
      WorkerProcess.spawn({
        program,
        cwd,
        environment: { ...environment, ...own, [visibleDevicesName]: "" },
      });
    this.warm = deps.startProcess
      ? undefined
      : new WarmProcesses({
          ...warmCounts(config),
          idleMs: config.warmProcessIdleSeconds * 1_000,
          spawn: () => spawn(),
          background: backgroundPriority(),
          memory: memoryLook,
          clock,
          logger: deps.logger,
        });
    const logDir = join(config.dataDir, "logs");
    const environments = new RuntimeEnvironments({
      folder: join(config.dataDir, "environments"),
      maxBytes: config.environmentCacheBytes,
      setupTimeoutMs: config.environmentSetupMs,
      installation: parts.installation,
      ...{ logDir, bundles, environment, signal, clock, logger: deps.logger },
    });
    const session = () => ({
      clusterId: heads.clusterId,
      headAddress: heads.addresses,
      credentials: parts.credentials.forActor(),
      objectsAddress: parts.objects.address,
      listenHost: config.listenHost,
      firstPort: config.actorPorts?.first ?? 0,
      lastPort: config.actorPorts?.last ?? 0,
      taskEvents: config.taskEvents,
      objectsPath: parts.objects.folder,
      logLevel: config.logLevel,
    });
    this.shared =
      deps.startProcess && !deps.spawnShared
        ? undefined
        : new SharedProcesses({
            ...{ logDir, clock },
            startTimeoutMs: config.actorStartTimeoutMs,
            blockLimitMs: config.sharedProcessBlockMs,
            onTaskReport: (report) => given.taskReports.forward(report),
            spawn:
              deps.spawnShared ??
              ((own, cwd) =>
                (Object.keys(own).length === 0 && cwd === undefined ? this.warm?.take() : undefined) ??
                spawn(own, cwd)),
            session: () => ({ ...session(), nodeId: config.nodeId }),
          });
    this.supervisor = new ProcessSupervisor({
      nodeId: config.nodeId,
      program,
      warm: this.warm,
      shared: this.shared,
      logDir,
      logsBytes: config.actorLogsBytes,
      startTimeoutMs: config.actorStartTimeoutMs,
      environment,
      gpus: parts.gpus,
      prepare: (request, abort) => environments.prepare(request, abort),
      session,
      onStarted: (actorStarted) => send({ actorStarted }),
      onDied: (actorDied) => {
        // When the node ends, the head considers everything on it dead. If the deaths were reported before, it would
        // restart the actors here.
        if (closing()) return;
        this.#deaths.add(actorDied, clock.monotonicMs());
        send({ actorDied });
      },
      ...(config.taskEvents ? { onTaskReport: (report) => given.taskReports.forward(report) } : {}),
      deathOf: (actorId, incarnation) => this.#deaths.of(actorId, incarnation),
      ...(deps.startProcess ? { startProcess: deps.startProcess } : {}),
      metrics,
      logger: deps.logger,
    });
    this.drivers = new Drivers({
      nodeId: config.nodeId,
      headAddresses: () => heads.addresses,
      tokenFile: parts.credentials.driverTokenFile,
      tls: parts.credentials.driverTls,
      command: config.driverCommand,
      bundles,
      environments,
      environment,
      gpus: parts.gpus,
      workDir: join(config.dataDir, "work"),
      outputPeer: () => heads.bulk,
      clock: systemClock,
      send,
      logger: deps.logger,
      prepare: deps.prepareDriver,
    });
  }

  /** Repeats what the head may have missed while it was away. */
  replay(): void {
    const { clock, send } = this.#deps;
    for (const actorDied of this.#deaths.since(clock.monotonicMs())) send({ actorDied });
    this.drivers.replay();
  }

  /**
   * Kills the actors that must never run twice, because the head may start this node's actors elsewhere from now on.
   */
  fence(): void {
    const { metrics, deps } = this.#deps;
    const fenced = this.supervisor.fence("its node could not renew its lease at the head");
    metrics.counter("palimpsest_node_fenced_actors_total").inc(fenced);
    deps.logger.error({ fenced }, "the lease of this node expired: its actors with fence: lease were killed");
  }

  async close(reason: string): Promise<void> {
    const graceMs = this.#deps.config.stopGraceMs;
    await Promise.all([
      this.supervisor.close(graceMs, reason),
      this.drivers.close(graceMs, reason),
      this.warm?.close(),
    ]);
    await this.shared?.close(reason);
  }
}

/** Returns how many processes are kept warm at least and at most. Without warm processes, demand raises nothing. */
function warmCounts({ warmProcesses, warmProcessesMost }: ResolvedNodeConfig) {
  const cores = cpuCount();
  const least = warmProcesses ?? Math.min(defaultLeastWarm, cores);
  const most = least === 0 ? 0 : Math.max(least, warmProcessesMost ?? defaultMostWarmPerCore * cores);
  return { least, most };
}

function programOf(
  { bundledWorker, workerSnapshot }: ResolvedNodeConfig,
  installation: Installation,
): WorkerProgram {
  const lateCertificates = installation.pathOf(lateCertificatesModule);
  if (bundledWorker === undefined)
    return { path: installation.pathOf(workerModule), flags: [], lateCertificates };
  // With this condition, the installation's modules that actors import are the bundle's copies
  // (scripts/setup/bundle).
  const flags = ["--conditions=palimpsest-bundled"];
  return { path: bundledWorker, flags, lateCertificates, snapshot: workerSnapshot };
}
