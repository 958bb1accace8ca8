/**
 * The head as one running thing: Redis, tables, gRPC server, metrics page, started and ended in order.
 *
 * Not its job: what the RPCs mean (the services), what becomes of actors and jobs (the control plane).
 *
 * Invariants:
 * - H1. Nothing is served before the tables of an earlier head are loaded.
 * - H2. Same folder: same token, same cluster id and, unless another was asked for, same port.
 * - H3. close() ends everything that start() began, in whatever state it is, once.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "@grpc/grpc-js";
import {
  createMetrics,
  type Logger,
  type Metrics,
  type MetricsServer,
  serveMetrics,
} from "@palimpsest/telemetry";
import { exportQueueDepths, queueDepths } from "@palimpsest/trajectories";
import {
  closeServer,
  createServer,
  formatAddress,
  headService,
  isLoopback,
  jobsService,
  listen,
  nodeLinkService,
  PalimpsestError,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Redis } from "ioredis";
import { type Clock, every, systemClock } from "./clock.js";
import { type HeadConfig, type HeadConfigInput, parseHeadConfig } from "./config.js";
import { ControlPlane } from "./control-plane.js";
import { EmbeddedRedis } from "./embedded-redis.js";
import {
  type HeadAddress,
  keepToken,
  portOf,
  prepareFolder,
  readHeadAddress,
  tokenPathOf,
  writeHeadAddress,
} from "./head-files.js";
import { createHeadHandlers } from "./head-service.js";
import { createJobsHandlers } from "./jobs-service.js";
import { createNodeLinkHandlers } from "./node-link-service.js";
import { connectRedis } from "./redis-connection.js";
import { RedisStore } from "./redis-store.js";
import { addStandardServices } from "./reflection.js";
import { Rpc } from "./rpc.js";

const redisCheckMs = 1_000;
const queueMetricsMs = 5_000;
const nodesStopTimeoutMs = 10_000;

export interface HeadDeps {
  readonly logger: Logger;
  /** Default: a registry of its own with component "head". */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

export interface HeadCloseOptions {
  /** Nodes end too, with all that runs on them. */
  readonly stopNodes?: boolean;
  /** The head's own Redis goes on, for nodes and drivers that go on. */
  readonly leaveRedis?: boolean;
}

export class Head {
  /** host:port to give to nodes and drivers. */
  readonly address: string;
  readonly token: string;
  readonly clusterId: string;
  /** host:port of the metrics page, empty when off. */
  readonly metricsAddress: string;
  /** Resolves when the head has ended, by close() or by an RPC. */
  readonly closed: Promise<void>;
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;
  #markClosed!: () => void;

  private constructor(facts: HeadAddress, token: string, parts: Parts) {
    this.address = facts.address;
    this.token = token;
    this.clusterId = facts.clusterId;
    this.metricsAddress = facts.metricsAddress;
    this.#parts = parts;
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
  }

  /** @throws {PalimpsestError} CONFIG_INVALID, UNAVAILABLE, ALREADY_EXISTS, each with the mend in one line */
  static async start(input: HeadConfigInput, deps: HeadDeps): Promise<Head> {
    const config = parseHeadConfig(input);
    prepareFolder(config.dataDir);
    const before = readHeadAddress(config.dataDir);
    await refuseSecondHead(before);
    const parts: Parts = { endings: [], leaveRedis: false, stopNodes: async () => undefined };
    let head: Head | undefined;
    try {
      const token = keepToken(config.dataDir, config.token);
      const shutdown = (all: boolean) => void head?.close({ stopNodes: all, leaveRedis: !all });
      const facts = await begin({
        config,
        deps,
        parts,
        token,
        shutdown,
        portBefore: before && portOf(before.address),
      });
      head = new Head(facts, token, parts);
      return head;
    } catch (reason) {
      await endAll(parts);
      throw reason;
    }
  }

  /** Ends the head in order. Without options its own Redis ends too, and nodes go on looking for the head. */
  close(options: HeadCloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: HeadCloseOptions): Promise<void> {
    this.#parts.leaveRedis = options.leaveRedis ?? false;
    if (options.stopNodes) await this.#parts.stopNodes();
    await endAll(this.#parts);
    this.#markClosed();
  }
}

/** What there is to end, in the order in which it began. */
interface Parts {
  readonly endings: (() => Promise<void> | void)[];
  stopNodes: () => Promise<void>;
  leaveRedis: boolean;
}

async function endAll(parts: Parts): Promise<void> {
  for (const end of parts.endings.splice(0).reverse()) await end();
}

interface Beginning {
  readonly config: HeadConfig;
  readonly deps: HeadDeps;
  readonly parts: Parts;
  readonly token: string;
  readonly shutdown: (all: boolean) => void;
  readonly portBefore: number | undefined;
}

async function begin(beginning: Beginning): Promise<HeadAddress> {
  const { config, deps, parts, token, portBefore } = beginning;
  const clock = deps.clock ?? systemClock;
  const logger = deps.logger;
  const metrics = deps.metrics ?? createMetrics({ component: "head" });
  const startedAtMs = clock.now();
  const redis = await beginRedis(beginning, clock);
  const store = new RedisStore(redis.client);
  const plane = await ControlPlane.open(config, { store, clock, logger, metrics });
  parts.endings.push(() => plane.close());
  parts.stopNodes = () => stopNodes(plane);
  const metricsAddress = await beginMetrics(beginning, metrics, redis.client, clock);
  const version = ownVersion();
  const clusterInfo = (): proto.ClusterInfo.$Properties => ({
    clusterId: plane.clusterId,
    redisUrl: redis.url(),
    redisPid: redis.pid(),
    version,
    startedAtMs,
    metricsAddress,
    pid: process.pid,
  });
  const server = createServer(token);
  addServices(server, beginning, plane, { metrics, redis, clusterInfo });
  const standard = addStandardServices(server);
  const bound = await listen(server, config.host, config.port === 0 ? (portBefore ?? 0) : config.port);
  parts.endings.push(async () => {
    standard.notServing();
    plane.sessions.close();
    await closeServer(server);
  });
  if (!isLoopback(config.host))
    logger.warn({ host: config.host }, "the token travels unencrypted: trust the network");
  const facts: HeadAddress = {
    address: formatAddress(advertisedHost(config), portOf(bound)),
    pid: process.pid,
    clusterId: plane.clusterId,
    tokenPath: tokenPathOf(config.dataDir),
    metricsAddress,
    startedAtMs,
    version,
  };
  writeHeadAddress(config.dataDir, facts);
  parts.endings.push(() => writeHeadAddress(config.dataDir, { ...facts, pid: 0 }));
  logger.info(
    { address: facts.address, clusterId: plane.clusterId, actors: plane.actors.size },
    "head started",
  );
  return facts;
}

interface HeadRedis {
  readonly client: Redis;
  readonly url: () => string;
  readonly pid: () => number;
}

async function beginRedis({ config, deps, parts }: Beginning, clock: Clock): Promise<HeadRedis> {
  const { logger } = deps;
  const embedded =
    config.redisUrl === undefined
      ? await EmbeddedRedis.start({
          folder: join(config.dataDir, "redis"),
          host: config.host,
          advertiseHost: advertisedHost(config),
          program: config.redisServer,
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
  return { client, url, pid: () => embedded?.pid ?? 0 };
}

async function beginMetrics(
  { config, deps, parts }: Beginning,
  metrics: Metrics,
  redis: Redis,
  clock: Clock,
): Promise<string> {
  if (config.metricsPort === null) return "";
  const { registry } = metrics;
  const healthy = () => redis.status === "ready";
  let server: MetricsServer;
  try {
    server = await serveMetrics(registry, { host: config.host, port: config.metricsPort, healthy });
  } catch (reason) {
    const where = formatAddress(config.host, config.metricsPort);
    throw new PalimpsestError(
      "UNAVAILABLE",
      `cannot serve metrics on ${where}: ${String(reason)}; choose another port`,
    );
  }
  parts.endings.push(() => server.close());
  const stopMeasuring = every(clock, queueMetricsMs, () => {
    queueDepths(redis).then(
      (depths) => exportQueueDepths(metrics, depths),
      (reason: unknown) => deps.logger.debug({ err: reason }, "queues not measured"),
    );
  });
  parts.endings.push(stopMeasuring);
  return formatAddress(advertisedHost(config), portOf(server.address));
}

function addServices(
  server: Server,
  { config, deps, shutdown }: Beginning,
  plane: ControlPlane,
  own: {
    readonly metrics: Metrics;
    readonly redis: HeadRedis;
    readonly clusterInfo: () => proto.ClusterInfo.$Properties;
  },
): void {
  const rpc = new Rpc(own.metrics, config.rpcTimeoutMs);
  const { actors, nodes, sessions, lifecycle, jobLifecycle, jobs, logs, bundles } = plane;
  server.addService(
    headService,
    createHeadHandlers({
      rpc,
      actors,
      nodes,
      sessions,
      lifecycle,
      shutdown,
      clusterInfo: own.clusterInfo,
      ownerGraceMs: config.ownerGraceMs,
      queueDepths: () => queueDepths(own.redis.client),
    }),
  );
  const link = createNodeLinkHandlers({
    nodes,
    actors: lifecycle,
    jobs: jobLifecycle,
    logs,
    logger: deps.logger,
    clusterId: plane.clusterId,
    redisUrl: own.redis.url,
    heartbeatIntervalMs: config.heartbeatIntervalMs,
  });
  server.addService(nodeLinkService, { ...link });
  server.addService(jobsService, createJobsHandlers({ rpc, jobs, logs, bundles, lifecycle: jobLifecycle }));
}

/** Tells every node to end and waits until all have left. */
async function stopNodes(plane: ControlPlane): Promise<void> {
  const gone = () => plane.nodes.all().every((node) => node.state !== "ALIVE");
  plane.nodes.broadcast({ stopNode: { reason: "the cluster is shut down" } });
  const deadline = Date.now() + nodesStopTimeoutMs;
  while (!gone() && Date.now() < deadline) await delay(20);
}

/** @throws {PalimpsestError} ALREADY_EXISTS when a head of this folder still answers */
async function refuseSecondHead(before: HeadAddress | undefined): Promise<void> {
  if (!before || before.pid === 0) return;
  if (!isProcess(before.pid) || !(await accepts(before.address))) return;
  throw new PalimpsestError(
    "ALREADY_EXISTS",
    `a head runs already with this folder, pid ${before.pid} at ${before.address}: stop it or take another data folder`,
  );
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function accepts(address: string): Promise<boolean> {
  const host = address.slice(0, address.lastIndexOf(":")).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: portOf(address), timeout: 1_000 });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once("connect", () => answer(true));
    socket.once("timeout", () => answer(false));
    socket.once("error", () => answer(false));
  });
}

function advertisedHost(config: HeadConfig): string {
  if (config.advertiseHost !== undefined) return config.advertiseHost;
  return config.host === "0.0.0.0" || config.host === "::" ? hostname() : config.host;
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
