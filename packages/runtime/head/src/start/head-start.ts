/** Starts a head part by part. Each part registers how it ends. */
import type { AutoscalerReport } from "@palimpsest/scheduler";
import { systemClock } from "@palimpsest/std";
import { createMetrics, type Metrics } from "@palimpsest/telemetry";
import {
  AuditLog,
  auditPathsOf,
  faultsLoaded,
  formatAddress,
  grpcNetwork,
  headService,
  isLoopback,
  jobsService,
  LocalCalls,
  nodeLinkService,
  ownProtocols,
  type RpcServer,
  softwareVersion,
  watchTls,
} from "@palimpsest/wire";
import { type HeadAddress, tokenPathOf } from "@palimpsest/wire/local-head";
import type * as proto from "@palimpsest/wire/protocol";
import { TokenRotation } from "../rules/token-rotation.js";
import { createHeadHandlers } from "../services/head-service.js";
import { createJobOutputHandler } from "../services/job-output-service.js";
import { createJobsHandlers } from "../services/jobs-service.js";
import { createNodeLinkHandlers } from "../services/node-link-service.js";
import { Rpc } from "../services/rpc.js";
import { DurableStates } from "../store/durable-states.js";
import { portOf, writeHeadAddress } from "../store/head-files.js";
import type { Leadership } from "../store/leadership.js";
import { rowVersion } from "../store/row-versions.js";
import { SharedBundles } from "../store/shared-bundles.js";
import { beginAutoscaler } from "./autoscaling.js";
import { ControlPlane } from "./control-plane.js";
import { beginDashboard } from "./dashboard.js";
import { advertisedHost, type Beginning } from "./head-beginning.js";
import { beginLeadership } from "./head-lead.js";
import { beginMetrics } from "./head-metrics-page.js";
import { beginRedis, type HeadRedis } from "./head-redis.js";

const nodesStopTimeoutMs = 10_000;

export interface Begun {
  readonly facts: HeadAddress;
  /** Resolves with the reason when this head no longer leads. */
  readonly lost: Promise<string>;
}

export async function begin(beginning: Beginning): Promise<Begun> {
  const { config, deps, parts, credentials } = beginning;
  const clock = deps.clock ?? systemClock;
  const logger = deps.logger;
  const audit = new AuditLog(auditPathsOf(config.dataDir), {
    clock,
    onError: (reason, fields) => logger.error({ err: reason, audit: fields }, "audit log cannot be written"),
  });
  parts.endings.push(() => audit.close());
  await faultsLoaded;
  const network = grpcNetwork({ credentials, onCall: audit.record });
  if (config.tls !== "") {
    const stopWatching = watchTls({
      folder: config.tls,
      onChange: (tls) => credentials.replaceTls(tls),
      onError: (reason) =>
        logger.warn({ err: reason }, "the changed certificates cannot be used; the earlier ones stay in use"),
    });
    parts.endings.push(stopWatching);
  }
  const metrics = deps.metrics ?? createMetrics({ component: "head" });
  const startedAtMs = clock.now();
  // Loading it takes a while, and so does starting Redis, so both happen at once.
  const reflection = import("../services/standard-services.js");
  const redis = await beginRedis(beginning, clock);
  const { leadership, headId, port, clusterId } = await beginLeadership(beginning, redis, network, clock);
  const { store } = leadership;
  // A private Redis has no other heads to share bundles with.
  const bundleShare =
    config.redisUrl === undefined
      ? undefined
      : new SharedBundles(redis.client, {
          clusterName: config.cluster,
          maxBytes: config.bundleSharedBytes,
          epoch: () => leadership.epoch,
        });
  const plane = await ControlPlane.open(config, {
    ...{ store, clock, logger, metrics, clusterId, bundleShare },
    isStoreComplete: redis.isComplete,
  });
  leadership.remember({
    rowsOf: (table) => plane.rowsOf(table),
    causeWrite: () => plane.causeWrite(),
  });
  // Redis may have come back with fewer writes than it had acknowledged.
  redis.client.on("ready", () => leadership.check());
  parts.endings.push(() => plane.close(parts.deposed));
  parts.stopNodes = () => plane.endCluster(nodesStopTimeoutMs);
  const metricsAddress = await beginMetrics(beginning, plane, metrics, redis.client, audit, clock);
  const version = softwareVersion();
  const clusterInfo = (): proto.ClusterInfo.$Properties => ({
    clusterId: plane.clusterId,
    redisUrl: redis.queueUrl(),
    redisPid: redis.pid(),
    version,
    protocols: ownProtocols(),
    rowVersion,
    startedAtMs,
    metricsAddress,
    pid: process.pid,
    clusterName: config.cluster,
    epoch: leadership.epoch,
    headAddresses: [...leadership.addresses],
  });
  const server = network.createServer();
  let report: () => AutoscalerReport | undefined = () => undefined;
  const autoscalerReport = () => report();
  const local = new LocalCalls(credentials, audit.record);
  addServices([server, local], beginning, plane, {
    ...{ metrics, redis, leadership, clusterInfo, autoscalerReport },
  });
  const standard = (await reflection).addStandardServices(server);
  const bound = await server.listen(config.host, port);
  parts.endings.push(async () => {
    standard.notServing();
    plane.sessions.close();
    await server.close();
  });
  const dashboardAddress = await beginDashboard(beginning, plane, { calls: local, network });
  if (!isLoopback(config.host) && !credentials.tls) {
    logger.warn({ host: config.host }, "insecure: tokens and data travel unencrypted");
  }
  const facts: HeadAddress = {
    address: formatAddress(advertisedHost(config), portOf(bound)),
    tls: config.tls !== "",
    pid: process.pid,
    clusterId: plane.clusterId,
    cluster: config.cluster,
    headId,
    epoch: leadership.epoch,
    tokenPath: tokenPathOf(config.dataDir),
    metricsAddress,
    dashboardAddress,
    startedAtMs,
    version,
  };
  writeHeadAddress(config.dataDir, facts);
  parts.endings.push(() => writeHeadAddress(config.dataDir, { ...facts, epoch: leadership.epoch, pid: 0 }));
  const autoscaler = beginAutoscaler(beginning, plane, {
    ...{ clusterName: config.cluster, address: facts.address, metrics },
  });
  report = () => autoscaler?.report();
  await leadership.announce(facts.address);
  // Nodes have reported by then what the tables had lost.
  const mark = () =>
    redis.markComplete().catch((reason: unknown) => logger.warn({ err: reason }, "redis cannot be marked"));
  if (!redis.isComplete) parts.endings.push(clock.after(plane.recovery.leftMs, () => void mark()));
  logger.info(
    { address: facts.address, clusterId: plane.clusterId, actors: plane.actors.size },
    "head started",
  );
  return { facts, lost: leadership.lost };
}

function addServices(
  servers: readonly Pick<RpcServer, "addService">[],
  { config, deps, credentials, shutdown }: Beginning,
  plane: ControlPlane,
  own: {
    readonly metrics: Metrics;
    readonly redis: HeadRedis;
    readonly leadership: Leadership;
    readonly clusterInfo: () => proto.ClusterInfo.$Properties;
    readonly autoscalerReport: () => AutoscalerReport | undefined;
  },
): void {
  const rpc = new Rpc(own.metrics, config.rpcTimeoutMs);
  const { dataDir } = config;
  const clock = deps.clock ?? systemClock;
  const tokens = new TokenRotation({
    dataDir,
    credentials,
    clock,
    logger: deps.logger,
    ...(own.redis.rotatePasswords ? { rotateRedis: own.redis.rotatePasswords } : {}),
  });
  const { actors, nodes, pendingQueue, sessions, lifecycle, jobLifecycle, jobs, logs, bundles } = plane;
  const add: RpcServer["addService"] = (service, handlers) => {
    for (const server of servers) server.addService(service, handlers);
  };
  add(
    headService,
    createHeadHandlers({
      ...{ groups: plane.groups, groupTable: plane.groupTable },
      rpc,
      actors,
      nodes,
      pendingQueue,
      objectQuotas: plane.objectQuotas,
      clock: deps.clock ?? systemClock,
      sessions,
      lifecycle,
      bundles,
      jobs,
      recovery: plane.recovery,
      objects: plane.objects,
      taskWorkers: plane.taskWorkers,
      history: plane.history,
      drains: plane.drains,
      claims: plane.claims,
      shutdown,
      clusterInfo: own.clusterInfo,
      durableStates: new DurableStates(own.redis.client, {
        clusterName: config.cluster,
        epoch: () => own.leadership.epoch,
        ownRedis: config.redisUrl === undefined,
      }),
      autoscalerReport: own.autoscalerReport,
      stacks: plane.stacks,
      recoveries: plane.recoveries,
      ownerGraceMs: config.ownerGraceMs,
      sessionLeaseMs: config.sessionLeaseMs,
      headAddresses: () => own.leadership.addresses,
      tokens,
      queueDepths: async () => (await deps.readQueueDepths?.(own.redis.client, plane.clusterId)) ?? [],
    }),
  );
  const link = createNodeLinkHandlers({
    nodes,
    actors: lifecycle,
    jobs: jobLifecycle,
    objects: plane.objects,
    objectHolders: plane.objectHolders,
    objectQuotas: plane.objectQuotas,
    stacks: plane.stacks,
    recoveries: plane.recoveries,
    history: plane.history,
    logger: deps.logger,
    clusterId: plane.clusterId,
    version: softwareVersion(),
    protocols: ownProtocols(),
    redisUrl: own.redis.queueUrl,
    heartbeatIntervalMs: config.heartbeatIntervalMs,
    nodeTimeoutMs: config.nodeTimeoutMs,
    fenceAfterMs: config.fenceAfterMs,
    leadership: own.leadership,
    tokens,
    adopt: (nodeId, described) => plane.adopt(nodeId, described),
  });
  const jobOutput = createJobOutputHandler({ jobs, logs, logger: deps.logger });
  add(nodeLinkService, { ...link, jobOutput });
  add(
    jobsService,
    createJobsHandlers({
      rpc,
      jobs,
      logs,
      bundles,
      lifecycle: jobLifecycle,
      clock: systemClock,
      uploadStallMs: config.rpcTimeoutMs,
    }),
  );
}
