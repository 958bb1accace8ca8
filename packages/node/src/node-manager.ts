/**
 * Responsibility: one per machine: tells the head what the machine has, runs what the head orders, keeps objects.
 * Not responsible for: decisions about placement, restarts and jobs (the head's).
 *
 * Invariants:
 * - NODEMANAGER-1. After close() nothing runs that this node has started, and its objects are gone.
 * - NODEMANAGER-2. Actors and drivers go on while the head is away, up to headAwayLimitMs.
 * - NODEMANAGER-3. While it ends it starts nothing, and the head hears of its end only when all has stopped.
 */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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
  grpcNetwork,
  HeadConnection,
  httpGuard,
  type Network,
  newId,
  PalimpsestError,
  type Peer,
  systemClock,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { BundleCache } from "./bundle-cache.js";
import { childEnvironment } from "./child-environment.js";
import { type NodeConfig, parseNodeConfig, type ResolvedNodeConfig } from "./config.js";
import { Drivers } from "./drivers.js";
import { findGpus, visibleDevicesName } from "./gpu-devices.js";
import { Installation } from "./installation.js";
import { HeadLink } from "./link.js";
import { detectResources, LoadMeter } from "./machine.js";
import { NodeCredentials } from "./node-credentials.js";
import { NodeLease } from "./node-lease.js";
import { NodeObjects } from "./node-objects.js";
import { ProcessSupervisor, type StartActorProcess } from "./process-supervisor.js";
import { RecentDeaths } from "./recent-deaths.js";

/** What drivers have to upload bundles again that a head which has just begun to lead does not have. */
const headRecoveryMs = 30_000;
const workerModule = "@palimpsest/worker/main";

export interface NodeDeps {
  readonly logger: Logger;
  /** Environment of actors and drivers; PALIMPSEST_* of it is left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: gRPC with the configuration's token and certificate. */
  readonly network?: Network;
  /** Default: a forked Node.js process for each actor. */
  readonly startProcess?: StartActorProcess;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** How busy the machine is. Default: measured. */
  readonly load?: Pick<LoadMeter, "read">;
}

export interface NodeEnd {
  /** Why the node ended, for a person. */
  readonly reason: string;
  /** Set when it did not end by an order. */
  readonly error: PalimpsestError | undefined;
}

export class NodeManager {
  readonly nodeId: string;
  /** Settles when the node has ended: by close(), by the head's order, or because the head stayed away. */
  readonly ended: Promise<NodeEnd>;
  readonly #config: ResolvedNodeConfig;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #heads: HeadConnection;
  /** For bundles and output of jobs: what waits there holds up neither the link nor heartbeats. */
  #bulk: Peer;
  readonly #lease: NodeLease;
  readonly #clock: Clock;
  readonly #load: Pick<LoadMeter, "read">;
  readonly #deaths: RecentDeaths;
  readonly #parts: Parts;
  readonly #link: HeadLink;
  readonly #abort = new AbortController();
  #clusterId = "";
  #epoch = 0;
  #headRecoversUntilMs = 0;
  #notServing: (() => void) | undefined;
  readonly #unwatch: () => void;
  #closing: Promise<void> | undefined;
  #registered!: () => void;
  readonly #firstRegistration: Promise<void>;
  #end!: (end: NodeEnd) => void;

  private constructor(config: ResolvedNodeConfig, deps: NodeDeps, metrics: Metrics, parts: NodeParts) {
    this.#config = config;
    this.nodeId = config.nodeId;
    this.#logger = deps.logger;
    this.#metrics = metrics;
    this.#deaths = new RecentDeaths(config.headAwayLimitMs);
    this.#load = deps.load ?? new LoadMeter();
    const { network } = parts;
    const clock = deps.clock ?? systemClock;
    this.#clock = clock;
    this.#heads = new HeadConnection(network, config.headAddress);
    this.#bulk = network.connect(this.#heads.peer.address, "bulk");
    this.#heads.onMoved(() => {
      this.#bulk.close();
      this.#bulk = network.connect(this.#heads.peer.address, "bulk");
    });
    this.#lease = new NodeLease(clock, () => this.#fence());
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#firstRegistration = new Promise((resolve) => {
      this.#registered = resolve;
    });
    this.#unwatch = parts.credentials.watch((reason) =>
      deps.logger.warn({ err: reason }, "changed certificates cannot be used, the ones before stay"),
    );
    const environment = childEnvironment(deps.environment, config.passEnvironment);
    parts.credentials.own.onChange(() => this.#parts.supervisor.adopt(parts.credentials.forActor()));
    const bundles = new BundleCache({
      folder: join(config.dataDir, "bundles"),
      head: () => this.#bulk,
      installation: parts.installation,
      signal: this.#abort.signal,
      retryForMs: config.headAwayLimitMs,
      headRecovers: () => clock.monotonicMs() < this.#headRecoversUntilMs,
      maxBytes: config.bundleCacheBytes,
      clock,
      logger: deps.logger,
    });
    const supervisor = new ProcessSupervisor({
      nodeId: this.nodeId,
      program: parts.installation.pathOf(workerModule),
      logDir: join(config.dataDir, "logs"),
      logsBytes: config.actorLogsBytes,
      startTimeoutMs: config.actorStartTimeoutMs,
      environment,
      gpus: parts.gpus,
      moduleUrlOf: (code, signal) => moduleUrlOf(code, parts.installation, bundles, signal),
      session: () => ({
        clusterId: this.#clusterId,
        headAddress: this.#heads.addresses,
        credentials: parts.credentials.forActor(),
        objectsAddress: parts.objects.address,
        listenHost: config.listenHost,
        objectsPath: parts.objects.folder,
        logLevel: config.logLevel,
      }),
      onStarted: (actorStarted) => this.#link.send({ actorStarted }),
      onDied: (actorDied) => {
        // The head takes all that a node ran for dead when the node ends; before that it would start them again.
        if (this.#closing !== undefined) return;
        this.#deaths.add(actorDied, clock.monotonicMs());
        this.#link.send({ actorDied });
      },
      ...(deps.startProcess ? { startProcess: deps.startProcess } : {}),
      metrics,
      logger: deps.logger,
    });
    const drivers = new Drivers({
      nodeId: this.nodeId,
      headAddresses: () => this.#heads.addresses,
      tokenFile: parts.credentials.driverTokenFile,
      tls: parts.credentials.driverTls,
      command: config.driverCommand,
      bundles,
      environment,
      gpus: parts.gpus,
      workDir: join(config.dataDir, "work"),
      outputPeer: () => this.#bulk,
      clock: systemClock,
      send: (message) => this.#link.send(message),
      logger: deps.logger,
    });
    this.#parts = { ...parts, supervisor, drivers };
    parts.objects.attach({
      head: () => this.#heads.peer,
      send: (objectReport) => this.#link.send({ objectReport }),
    });
    this.#link = new HeadLink({
      heads: this.#heads,
      clock,
      headAwayLimitMs: config.headAwayLimitMs,
      register: () => this.#registration(),
      heartbeat: () => this.#heartbeat(),
      replay: () => {
        for (const actorDied of this.#deaths.since(clock.monotonicMs())) this.#link.send({ actorDied });
        drivers.replay();
      },
      onRegistered: (message) => this.#onRegistered(message),
      onMessage: (message) => this.#onMessage(message),
      onRenewed: (sentAtMs, fenceAfterMs) => {
        if (fenceAfterMs > 0) this.#lease.renew(sentAtMs, fenceAfterMs);
      },
      onReconnect: () => metrics.counter("palimpsest_node_head_reconnects_total").inc(),
      onLost: (error) => void this.#close(error.rawMessage, error),
      logger: deps.logger,
    });
  }

  /**
   * Starts the node and returns when it listens; `registered()` tells when the head has it.
   * @throws {PalimpsestError} CONFIG_INVALID, NOT_FOUND (the worker is not installed), UNAVAILABLE (a port is taken)
   */
  static async start(input: NodeConfig, deps: NodeDeps): Promise<NodeManager> {
    const parsed = parseNodeConfig(input);
    const config = { ...parsed, nodeId: parsed.nodeId || newId("node") };
    const metrics = createMetrics({ component: "node", labels: { node_id: config.nodeId } });
    const installation = new Installation(config.modulesFrom);
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
    const metricsServer = await serveMetrics(metrics.registry, {
      guard: httpGuard(credentials.own, audit.record),
      host: config.listenHost,
      port: config.metricsPort,
    });
    const manager = NodeManager.assemble(config, deps, metrics, {
      objects,
      network,
      credentials,
      installation,
      resources,
      gpus,
      metricsServer,
    });
    void manager.#addStandardServices();
    return manager;
  }

  /** A node over parts that are there already: what start() does after it has made them. */
  static assemble(
    config: ResolvedNodeConfig,
    deps: NodeDeps,
    metrics: Metrics,
    parts: NodeParts,
  ): NodeManager {
    const manager = new NodeManager(config, deps, metrics, parts);
    manager.#link.open();
    return manager;
  }

  /** host:port of the object service. */
  get objectsAddress(): string {
    return this.#parts.objects.address;
  }

  get metricsAddress(): string {
    return this.#parts.metricsServer.address;
  }

  /** Settles when the head has taken the node for the first time. @throws {PalimpsestError} when it ended before */
  async registered(): Promise<void> {
    const ended = this.ended.then(({ reason, error }) => {
      throw error ?? new PalimpsestError("CANCELLED", `the node ended before it was registered: ${reason}`);
    });
    await Promise.race([this.#firstRegistration, ended]);
  }

  /** Ends all that it runs, then itself. */
  close(reason = "the node was stopped"): Promise<void> {
    return this.#close(reason, undefined);
  }

  #close(reason: string, error: PalimpsestError | undefined): Promise<void> {
    this.#closing ??= this.#shutDown(reason, error);
    return this.#closing;
  }

  async #shutDown(reason: string, error: PalimpsestError | undefined): Promise<void> {
    // After this turn: #closing is set by then, and nothing is started or told any more (NODEMANAGER-3).
    await Promise.resolve();
    const { supervisor, drivers, objects, metricsServer } = this.#parts;
    this.#logger.info({ reason }, "node ends");
    this.#notServing?.();
    this.#unwatch();
    this.#abort.abort();
    const graceMs = this.#config.stopGraceMs;
    await Promise.all([supervisor.close(graceMs, reason), drivers.close(graceMs, reason)]);
    this.#lease.close();
    await this.#link.close();
    this.#heads.close();
    this.#bulk.close();
    await Promise.all([objects.close(), metricsServer.close()]);
    this.#end({ reason, error });
  }

  #registration(): proto.RegisterNode.$Properties {
    const { supervisor, drivers, resources, objects, metricsServer } = this.#parts;
    return {
      nodeId: this.nodeId,
      hostname: hostname(),
      pid: process.pid,
      total: { quantities: resources },
      labels: this.#config.labels,
      objectsAddress: objects.address,
      metricsAddress: metricsServer.address,
      version: this.#config.version,
      actors: supervisor.running(),
      jobIds: drivers.jobIds(),
    };
  }

  #heartbeat(): proto.NodeHeartbeat.$Properties {
    const { objects } = this.#parts;
    objects.measure();
    this.#metrics
      .gauge("palimpsest_node_processes")
      .set({ state: "running" }, this.#parts.supervisor.running().length);
    return { sentAtMs: Date.now(), ...this.#load.read(), objectStoreBytes: objects.storedBytes };
  }

  #onRegistered(message: proto.Registered.$Properties): void {
    this.#clusterId = message.clusterId ?? "";
    const epoch = message.epoch ?? 0;
    if (epoch !== this.#epoch) this.#headRecoversUntilMs = this.#clock.monotonicMs() + headRecoveryMs;
    this.#epoch = epoch;
    this.#logger.info(
      { clusterId: this.#clusterId, head: this.#heads.peer.address, epoch: message.epoch },
      "registered at the head",
    );
    for (const actorId of message.unknownActorIds ?? []) {
      const actorDescribed = this.#parts.supervisor.describe(actorId);
      if (actorDescribed) this.#link.send({ actorDescribed });
    }
    for (const actorId of message.stopActorIds ?? []) {
      this.#parts.supervisor.stop(actorId, this.#config.stopGraceMs, "the head does not want it any more");
    }
    this.#parts.objects.registered();
    this.#registered();
  }

  /** The head may start this node's actors elsewhere from now on: those that must be alone end here. */
  #fence(): void {
    const fenced = this.#parts.supervisor.fence("its node could not renew its lease at the head");
    this.#metrics.counter("palimpsest_node_fenced_actors_total").inc(fenced);
    this.#logger.error(
      { fenced },
      "the lease of this node ran out: its actors with fence: lease were killed",
    );
  }

  #onMessage(message: proto.HeadMessage.$Properties): void {
    const { supervisor, drivers, objects } = this.#parts;
    if (this.#closing !== undefined) return;
    if (message.startActor) supervisor.start(message.startActor);
    else if (message.stopActor) {
      const { actorId, graceMs, reason } = message.stopActor;
      supervisor.stop(actorId ?? "", graceMs ?? 0, reason || "the head stopped it");
    } else if (message.startDriver) drivers.start(message.startDriver);
    else if (message.stopDriver) {
      drivers.stop(message.stopDriver.jobId ?? "", message.stopDriver.graceMs ?? 0, "its job was stopped");
    } else if (message.endedHolders || message.dropObjects) objects.receive(message);
    else if (message.newToken) this.#parts.credentials.take(message.newToken);
    else if (message.stackRequest) void this.#answerStack(message.stackRequest);
    else if (message.stopNode) void this.close(message.stopNode.reason || "the head stopped it");
  }

  async #answerStack({ requestId, actorId }: proto.StackRequest.$Properties): Promise<void> {
    const { supervisor } = this.#parts;
    // A node whose own thread computes does not come to answer: the question's time runs out.
    const asked = actorId
      ? supervisor.stack(actorId)
      : Promise.resolve({ busy: false, method: "", frames: [] });
    const report = await asked.then(
      ({ busy, method, frames }) => ({ busy, method, frames: [...frames] }),
      (reason: unknown) => ({ problem: PalimpsestError.from(reason).rawMessage }),
    );
    this.#link.send({ stack: { ...report, requestId: requestId ?? "" } });
  }

  /** Not needed by the cluster itself, and not light to load: after the node has started. */
  async #addStandardServices(): Promise<void> {
    try {
      await this.registered();
      const { addStandardServices } = await import("./standard-services.js");
      if (this.#closing === undefined)
        this.#notServing = addStandardServices(this.#parts.objects.server).notServing;
    } catch (reason) {
      if (this.#closing === undefined)
        this.#logger.warn({ err: reason }, "health and reflection are not served");
    }
  }
}

/** What a node is made of besides its link and its processes. */
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

interface Parts extends NodeParts {
  readonly supervisor: ProcessSupervisor;
  readonly drivers: Drivers;
}

async function moduleUrlOf(
  code: proto.CodeRef.$Properties,
  installation: Installation,
  bundles: BundleCache,
  signal: AbortSignal,
): Promise<string> {
  if (code.module) return installation.urlOf(code.module);
  return pathToFileURL(await bundles.fileOf(code.bundle ?? "", "program", signal)).href;
}
