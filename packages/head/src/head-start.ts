/** How a head starts, part by part; each part says how it ends. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import {
  createMetrics,
  type Logger,
  type Metrics,
  type MetricsServer,
  serveMetrics,
} from "@palimpsest/telemetry";
import {
  AuditLog,
  auditPathsOf,
  type Clock,
  type Credentials,
  every,
  formatAddress,
  grpcNetwork,
  headService,
  httpGuard,
  isLoopback,
  jobsService,
  type Network,
  newId,
  nodeLinkService,
  PalimpsestError,
  type RpcServer,
  systemClock,
  type TlsIdentity,
  tlsFiles,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Redis } from "ioredis";
import type { HeadConfig } from "./config.js";
import { ControlPlane } from "./control-plane.js";
import { defaultMaxMemoryBytes, EmbeddedRedis } from "./embedded-redis.js";
import type { HeadDeps } from "./head.js";
import { type HeadAddress, portOf, tokenPathOf, writeHeadAddress } from "./head-files.js";
import { createHeadHandlers } from "./head-service.js";
import { createJobOutputHandler } from "./job-output-service.js";
import { createJobsHandlers } from "./jobs-service.js";
import { Leadership } from "./leadership.js";
import { createNodeLinkHandlers } from "./node-link-service.js";
import { measureQueues, readQueueDepths } from "./queues.js";
import type { RedisTls } from "./redis-access.js";
import { connectRedis } from "./redis-connection.js";
import { RedisStore } from "./redis-store.js";
import { Rpc } from "./rpc.js";
import { scrapeTargets } from "./scrape-targets.js";
import { SharedBundles } from "./shared-bundles.js";
import type { Leader } from "./shared-store.js";
import { standbyServer } from "./standby-server.js";
import { TokenRotation } from "./token-rotation.js";

const redisCheckMs = 1_000;
const queueMetricsMs = 5_000;
const nodesStopTimeoutMs = 10_000;

/** What there is to end, in the order in which it began. */
export interface Parts {
  readonly endings: (() => Promise<void> | void)[];
  readonly logger: Logger;
  stopNodes: () => Promise<void>;
  leaveRedis: boolean;
  /** Another head leads: nothing is written to the store any more. */
  deposed: boolean;
}

/** Ends all parts, the last one first. One that cannot be ended is logged: it keeps no other from ending. */
export async function endAll(parts: Parts): Promise<void> {
  for (const end of parts.endings.splice(0).reverse()) {
    try {
      await end();
    } catch (reason) {
      parts.logger.error({ err: reason }, "a part of the head did not end in order");
    }
  }
}

export interface Beginning {
  readonly config: HeadConfig;
  readonly deps: HeadDeps;
  readonly parts: Parts;
  readonly credentials: Credentials;
  readonly shutdown: (all: boolean) => void;
  /** What the last head of this folder told. */
  readonly before: HeadAddress | undefined;
}

export interface Begun {
  readonly facts: HeadAddress;
  /** Resolves with the reason when this head leads no more. */
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
  const network = grpcNetwork({ credentials, onCall: audit.record });
  const metrics = deps.metrics ?? createMetrics({ component: "head" });
  const startedAtMs = clock.now();
  // Takes a while to load, and Redis takes a while to start: both at once.
  const reflection = import("./reflection.js");
  const redis = await beginRedis(beginning, clock);
  const { leadership, headId, port, before } = await beginLeadership(beginning, redis, network, clock);
  const { store } = leadership;
  const clusterId = leadership.clusterId || before?.clusterId || "";
  // A private Redis has no other head.
  const bundleShare =
    config.redisUrl === undefined
      ? undefined
      : new SharedBundles(redis.client, config.cluster, config.bundleSharedBytes);
  const plane = await ControlPlane.open(config, { store, clock, logger, metrics, clusterId, bundleShare });
  leadership.remember({
    rowsOf: (table) => plane.rowsOf(table),
    causeWrite: () => plane.causeWrite(),
  });
  // Redis may have come back with less than it had.
  redis.client.on("ready", () => leadership.check());
  parts.endings.push(() => plane.close(parts.deposed));
  parts.stopNodes = () => plane.endCluster(nodesStopTimeoutMs);
  const metricsAddress = await beginMetrics(beginning, plane, metrics, redis.client, audit, clock);
  const version = ownVersion();
  const clusterInfo = (): proto.ClusterInfo.$Properties => ({
    clusterId: plane.clusterId,
    redisUrl: redis.queueUrl(),
    redisPid: redis.pid(),
    version,
    startedAtMs,
    metricsAddress,
    pid: process.pid,
    clusterName: config.cluster,
    epoch: leadership.epoch,
    headAddresses: [...leadership.addresses],
  });
  const server = network.createServer();
  addServices(server, beginning, plane, { metrics, redis, leadership, clusterInfo });
  const standard = (await reflection).addStandardServices(server);
  const bound = await server.listen(config.host, port);
  parts.endings.push(async () => {
    standard.notServing();
    plane.sessions.close();
    await server.close();
  });
  if (!isLoopback(config.host) && !credentials.tls) {
    logger.warn({ host: config.host }, "insecure: tokens and data travel unencrypted");
  }
  const facts: HeadAddress = {
    address: formatAddress(advertisedHost(config), portOf(bound)),
    pid: process.pid,
    clusterId: plane.clusterId,
    cluster: config.cluster,
    headId,
    epoch: leadership.epoch,
    tokenPath: tokenPathOf(config.dataDir),
    metricsAddress,
    startedAtMs,
    version,
  };
  writeHeadAddress(config.dataDir, facts);
  parts.endings.push(() => writeHeadAddress(config.dataDir, { ...facts, epoch: leadership.epoch, pid: 0 }));
  await leadership.announce(facts.address);
  logger.info(
    { address: facts.address, clusterId: plane.clusterId, actors: plane.actors.size },
    "head started",
  );
  return { facts, lost: leadership.lost };
}

interface HeadRedis {
  readonly client: Redis;
  /** What nodes and drivers get. */
  readonly queueUrl: () => string;
  readonly pid: () => number;
}

interface Lead {
  readonly leadership: Leadership;
  readonly headId: string;
  /** Where to listen; 0 for any free port. */
  readonly port: number;
  /** What the last head of this folder left, if it was a head of this cluster. */
  readonly before: HeadAddress | undefined;
}

/** Returns when this head leads; until then it listens as a standby. */
async function beginLeadership(
  { config, deps, parts, before: last }: Beginning,
  redis: HeadRedis,
  network: Network,
  clock: Clock,
): Promise<Lead> {
  const headId = newId("head");
  const exclusive = config.redisUrl === undefined;
  const before = last?.cluster === config.cluster ? last : undefined;
  const wish = config.port === 0 && last ? portOf(last.address) : config.port;
  // A head that cannot listen must find that out before it takes the lead from another one.
  const standby = await standbyServer(network);
  try {
    const port = portOf(await standby.listen(config.host, wish));
    const address = formatAddress(advertisedHost(config), port);
    const leadership = await Leadership.take({
      shared: new RedisStore(redis.client, config.cluster),
      clock,
      logger: deps.logger,
      headId,
      leaseMs: config.leaseMs,
      address: exclusive ? "" : address,
      epochFloor: before?.epoch ?? 0,
      // That one's process has ended (second-head.ts), so nobody has to wait for its lease to run out.
      predecessorId: before?.headId ?? "",
      exclusive,
      signal: deps.signal ?? new AbortController().signal,
      onStandby: (leader) => {
        if (!config.standby) throw leaderExists(config.cluster, leader);
        deps.logger.warn({ leader, address }, "another head leads: this one waits as a standby");
        deps.onStandby?.({ address, leader });
      },
    });
    parts.endings.push(() => leadership.release());
    return { leadership, headId, port, before };
  } finally {
    standby.kill();
  }
}

function leaderExists(cluster: string, leader: Leader): PalimpsestError {
  return new PalimpsestError(
    "ALREADY_EXISTS",
    `head ${leader.headId} at ${leader.address} leads cluster ${cluster} with epoch ${leader.epoch}: stop it, ` +
      "name another cluster with --cluster, or leave --no-standby out to wait for its end",
  );
}

async function beginRedis({ config, deps, parts, credentials }: Beginning, clock: Clock): Promise<HeadRedis> {
  const { logger } = deps;
  const embedded =
    config.redisUrl === undefined
      ? await EmbeddedRedis.start({
          folder: join(config.dataDir, "redis"),
          host: config.host,
          advertiseHost: advertisedHost(config),
          program: config.redisServer,
          maxMemoryBytes: config.redisMaxMemoryBytes ?? defaultMaxMemoryBytes(),
          tls: credentials.tls ? redisTls(config.tls, credentials.tls) : undefined,
          logger,
        })
      : undefined;
  // Until the head has started; close() says anew.
  parts.leaveRedis = embedded?.adopted ?? false;
  parts.endings.push(async () => {
    if (!parts.leaveRedis) await embedded?.stop();
  });
  const url = () => embedded?.url ?? config.redisUrl ?? "";
  const client = await connectRedis(url(), logger);
  parts.endings.push(() => client.disconnect());
  if (embedded !== undefined) {
    const stopChecking = every(clock, redisCheckMs, () => {
      if (client.status === "ready") return;
      embedded.ensure().catch((reason: unknown) => logger.error({ err: reason }, "own redis does not start"));
    });
    parts.endings.push(stopChecking);
  }
  const queueUrl = () => embedded?.queueUrl ?? config.queueRedisUrl ?? config.redisUrl ?? "";
  return { client, queueUrl, pid: () => embedded?.pid ?? 0 };
}

async function beginMetrics(
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
    // The port of the last start is only a wish, so that a scraper finds the page again.
    server =
      config.metricsPort === 0 && portBefore > 0
        ? await serve(portBefore).catch(() => serve(0))
        : await serve(config.metricsPort);
  } catch (reason) {
    const where = formatAddress(config.host, config.metricsPort);
    throw new PalimpsestError(
      "UNAVAILABLE",
      `cannot serve metrics on ${where}: ${String(reason)}; choose another port`,
    );
  }
  parts.endings.push(() => server.close());
  const stopMeasuring = every(clock, queueMetricsMs, () => {
    measureQueues(redis, metrics).catch((reason: unknown) => {
      deps.logger.debug({ err: reason }, "queues not measured");
    });
  });
  parts.endings.push(stopMeasuring);
  address = formatAddress(advertisedHost(config), portOf(server.address));
  return address;
}

function addServices(
  server: RpcServer,
  { config, deps, credentials, shutdown }: Beginning,
  plane: ControlPlane,
  own: {
    readonly metrics: Metrics;
    readonly redis: HeadRedis;
    readonly leadership: Leadership;
    readonly clusterInfo: () => proto.ClusterInfo.$Properties;
  },
): void {
  const rpc = new Rpc(own.metrics, config.rpcTimeoutMs);
  const { dataDir } = config;
  const clock = deps.clock ?? systemClock;
  const tokens = new TokenRotation({ dataDir, credentials, clock, logger: deps.logger });
  const { actors, nodes, pendingQueue, sessions, lifecycle, jobLifecycle, jobs, logs, bundles } = plane;
  server.addService(
    headService,
    createHeadHandlers({
      rpc,
      actors,
      nodes,
      pendingQueue,
      clock: deps.clock ?? systemClock,
      sessions,
      lifecycle,
      bundles,
      recovery: plane.recovery,
      objects: plane.objects,
      shutdown,
      clusterInfo: own.clusterInfo,
      stacks: plane.stacks,
      ownerGraceMs: config.ownerGraceMs,
      sessionLeaseMs: config.sessionLeaseMs,
      headAddresses: () => own.leadership.addresses,
      tokens,
      queueDepths: () => readQueueDepths(own.redis.client),
    }),
  );
  const link = createNodeLinkHandlers({
    nodes,
    actors: lifecycle,
    jobs: jobLifecycle,
    objects: plane.objects,
    objectHolders: plane.objectHolders,
    stacks: plane.stacks,
    logger: deps.logger,
    clusterId: plane.clusterId,
    redisUrl: own.redis.queueUrl,
    heartbeatIntervalMs: config.heartbeatIntervalMs,
    nodeTimeoutMs: config.nodeTimeoutMs,
    fenceAfterMs: config.fenceAfterMs,
    leadership: own.leadership,
    tokens,
    adopt: (nodeId, described) => plane.adopt(nodeId, described),
  });
  const jobOutput = createJobOutputHandler({ jobs, logs, logger: deps.logger });
  server.addService(nodeLinkService, { ...link, jobOutput });
  server.addService(
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

function redisTls(folder: string, identity: TlsIdentity): RedisTls {
  const [caFile, certFile, keyFile] = [tlsFiles.ca, tlsFiles.cert, tlsFiles.key].map((name) =>
    resolve(folder, name),
  );
  return { identity, caFile: caFile ?? "", certFile: certFile ?? "", keyFile: keyFile ?? "" };
}

function advertisedHost(config: HeadConfig): string {
  if (config.advertiseHost !== undefined) return config.advertiseHost;
  return config.host === "0.0.0.0" || config.host === "::" ? hostname() : config.host;
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
