/**
 * Responsibility: one node per machine: it reports the machine's resources to the head, runs what the head orders,
 * and stores objects.
 * Not responsible for: decisions about placement, restarts and jobs (the head makes them).
 *
 * Invariants:
 * - NODEMANAGER-1. After close() nothing runs that this node has started, and its objects are gone.
 * - NODEMANAGER-2. Actors and drivers keep running while the head is away, for up to headAwayLimitMs.
 * - NODEMANAGER-3. A node that is ending starts nothing, and the head learns of its end only when everything has
 *   stopped.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { createMetrics, type Logger, type Metrics } from "@palimpsest/telemetry";
import {
  newId,
  nodeLogsService,
  ownProtocols,
  PalimpsestError,
  type ProtocolRange,
  softwareVersion,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type NodeConfig, parseNodeConfig, type ResolvedNodeConfig } from "../base/config.js";
import { HeadChannels } from "../base/head-channels.js";
import { UseMeter } from "../base/use-meter.js";
import { TaskReports } from "../processes/task-reports.js";
import { HeadLink } from "./link.js";
import { NodeLease } from "./node-lease.js";
import { createNodeLogsHandlers } from "./node-logs-service.js";
import { NodeOrders } from "./node-orders.js";
import { type NodeDeps, type NodeParts, openNodeParts } from "./node-parts.js";
import { NodeProcesses } from "./node-processes.js";

export interface NodeEnd {
  /** Why the node ended, as a text for people. */
  readonly reason: string;
  /** Whether it was asked to end in order to be started again. */
  readonly restart: boolean;
  /** The error that ended it; undefined if it ended by an order. */
  readonly error: PalimpsestError | undefined;
}

type SendToHead = (message: proto.NodeMessage.$Properties) => void;

export class NodeManager {
  readonly nodeId: string;
  /** Resolves when the node has ended: by close(), by the head's order, or because the head stayed away. */
  readonly ended: Promise<NodeEnd>;
  readonly #config: ResolvedNodeConfig;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #parts: NodeParts;
  readonly #use: Pick<UseMeter, "read">;
  readonly #heads: HeadChannels;
  readonly #lease: NodeLease;
  readonly #taskReports: TaskReports;
  readonly #processes: NodeProcesses;
  readonly #link: HeadLink;
  readonly #abort = new AbortController();
  readonly #firstRegistration: Promise<void>;
  #registered!: () => void;
  #end!: (end: NodeEnd) => void;
  #notServing: (() => void) | undefined;
  readonly #unwatch: () => void;
  #closing: Promise<void> | undefined;

  /**
   * The components call each other through this object, so their order matters only in one respect: nothing happens
   * before the link is opened, and by then all of them exist.
   */
  private constructor(config: ResolvedNodeConfig, deps: NodeDeps, metrics: Metrics, parts: NodeParts) {
    const { logger, clock = systemClock } = deps;
    const { nodeId } = config;
    this.nodeId = nodeId;
    this.#config = config;
    this.#logger = logger;
    this.#metrics = metrics;
    this.#parts = parts;
    this.#use = deps.use ?? new UseMeter({ clock, folder: config.dataDir, hasGpus: parts.gpus.length > 0 });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#firstRegistration = new Promise((resolve) => {
      this.#registered = resolve;
    });
    const send = (message: proto.NodeMessage.$Properties) => this.#link.send(message);
    this.#heads = new HeadChannels(parts.network, config.headAddress, clock);
    this.#lease = new NodeLease(clock, () => this.#processes.fence());
    this.#taskReports = new TaskReports({
      about: { nodeId, pid: process.pid, role: "node" },
      clock,
      send: (taskReport) => this.#link.sendIfRead({ taskReport }),
    });
    this.#processes = new NodeProcesses({
      ...{ config, deps, parts, metrics, clock, send },
      heads: this.#heads,
      taskReports: this.#taskReports,
      closing: () => this.#closing !== undefined,
      signal: this.#abort.signal,
    });
    this.#link = this.#createLink(clock, send);
    this.#connectObjects(send);
    this.#serveLogs(clock);
    this.#unwatch = parts.credentials.watch((err) =>
      logger.warn({ err }, "the changed certificates cannot be used; the earlier ones stay in use"),
    );
  }

  #createLink(clock: Clock, send: SendToHead): HeadLink {
    const orders = new NodeOrders({
      processes: this.#processes,
      parts: this.#parts,
      send,
      stopNode: (reason, restart) => void this.#close(reason, undefined, restart),
    });
    return new HeadLink({
      heads: this.#heads.connection,
      protocols: this.#protocols,
      clock,
      headAwayLimitMs: this.#config.headAwayLimitMs,
      register: () => this.#registration(),
      heartbeat: () => this.#heartbeat(),
      replay: () => this.#processes.replay(),
      onRegistered: (message) => this.#onRegistered(message),
      onMessage: (message) => {
        // NODEMANAGER-3
        if (this.#closing === undefined) orders.carryOut(message);
      },
      onRenewed: (sentAtMs, fenceAfterMs, taskEventsPerSecond) => {
        this.#taskReports.perSecond = taskEventsPerSecond;
        if (fenceAfterMs > 0) this.#lease.renew(sentAtMs, fenceAfterMs);
      },
      onReconnect: () => this.#metrics.counter("palimpsest_node_head_reconnects_total").inc(),
      onLost: (error) => void this.#close(error.rawMessage, error),
      logger: this.#logger,
    });
  }

  /** The object service has been listening since before there was a link; from now on it can ask the head. */
  #connectObjects(send: SendToHead): void {
    this.#parts.objects.attach({
      head: () => this.#heads.peer,
      send: (objectReport) => send({ objectReport }),
      sendUse: (objectUse) => send({ objectUse }),
      sendRecovered: (objectRecovered) => send({ objectRecovered }),
      onTransfer: (transfer) => this.#taskReports.transferred(transfer),
    });
  }

  #serveLogs(clock: Clock): void {
    const handlers = createNodeLogsHandlers({
      folder: join(this.#config.dataDir, "logs"),
      clock,
      isRunning: (actorId, incarnation) => this.#processes.supervisor.runs(actorId, incarnation),
    });
    this.#parts.objects.server.addService(nodeLogsService, handlers);
  }

  /**
   * Starts the node, and resolves when it listens; `registered()` resolves when the head has accepted it.
   * @throws {PalimpsestError} CONFIG_INVALID, NOT_FOUND (the worker is not installed), UNAVAILABLE (a port is taken)
   */
  static async start(input: NodeConfig, deps: NodeDeps): Promise<NodeManager> {
    const parsed = parseNodeConfig(input);
    const config = { ...parsed, nodeId: parsed.nodeId || newId("node") };
    if (process.pid === 1)
      deps.logger.warn(
        "this worker is process 1 of its container and collects no orphans: what its actors leave behind stays as zombies. Start it under an init (docker run --init, or tini as in deploy/)",
      );
    const metrics = createMetrics({ component: "node", labels: { node_id: config.nodeId } });
    // The counter is initialized with 0, because a rate needs a sample from before the first event.
    metrics.counter("palimpsest_node_head_reconnects_total").inc(0);
    metrics.counter("palimpsest_node_fenced_actors_total").inc(0);
    const moved = metrics.counter("palimpsest_node_objects_transferred_bytes_total");
    for (const direction of ["in", "out", "adopted"]) moved.inc({ direction }, 0);
    const parts = await openNodeParts(config, deps, metrics);
    const manager = NodeManager.assemble(config, deps, metrics, parts);
    void manager.#addStandardServices();
    return manager;
  }

  /** Creates a node over existing parts, as start() does after it has made them. */
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

  /** Resolves when the head has accepted the node for the first time. @throws {PalimpsestError} if it ended before */
  async registered(): Promise<void> {
    const ended = this.ended.then(({ reason, error }) => {
      throw error ?? new PalimpsestError("CANCELLED", `the node ended before it was registered: ${reason}`);
    });
    await Promise.race([this.#firstRegistration, ended]);
  }

  /** Ends everything that it runs, then itself. */
  close(reason = "the node was stopped"): Promise<void> {
    return this.#close(reason, undefined);
  }

  #close(reason: string, error: PalimpsestError | undefined, restart = false): Promise<void> {
    this.#closing ??= this.#shutDown({ reason, error, restart });
    return this.#closing;
  }

  async #shutDown(end: NodeEnd): Promise<void> {
    const { reason } = end;
    // Waits one turn: #closing is set by then, so nothing is started or reported any more (NODEMANAGER-3).
    await Promise.resolve();
    const { objects, metricsServer } = this.#parts;
    this.#logger.info({ reason }, "node ends");
    this.#notServing?.();
    this.#unwatch();
    this.#abort.abort();
    await this.#processes.close(reason);
    this.#lease.close();
    this.#taskReports.close();
    await this.#link.close();
    this.#heads.close();
    await Promise.all([objects.close(), metricsServer.close()]);
    this.#end(end);
  }

  #registration(): proto.RegisterNode.$Properties {
    const { resources, objects, metricsServer } = this.#parts;
    const { supervisor, drivers } = this.#processes;
    return {
      nodeId: this.nodeId,
      hostname: hostname(),
      pid: process.pid,
      total: { quantities: resources },
      labels: this.#config.labels,
      objectsAddress: objects.address,
      metricsAddress: metricsServer.address,
      version: this.#config.version || softwareVersion(),
      protocols: this.#protocols,
      actors: supervisor.running(),
      drivers: drivers.running(),
    };
  }

  #heartbeat(): proto.NodeHeartbeat.$Properties {
    const { objects } = this.#parts;
    objects.measure();
    const { supervisor, drivers, warm } = this.#processes;
    warm?.check();
    const processes = this.#metrics.gauge("palimpsest_node_processes");
    processes.set({ state: "running" }, supervisor.running().length);
    processes.set({ state: "warm" }, warm?.size ?? 0);
    const use = this.#use.read(() => [
      ...supervisor.running().map(({ actorId, pid }) => ({ id: actorId ?? "", pid: pid ?? 0 })),
      ...drivers.pids(),
    ]);
    return { sentAtMs: Date.now(), objectStoreBytes: objects.storedBytes, ...(use ? { use } : {}) };
  }

  #onRegistered(message: proto.Registered.$Properties): void {
    const { supervisor } = this.#processes;
    this.#heads.registered(message);
    this.#logger.info(
      { clusterId: this.#heads.clusterId, head: this.#heads.peer.address, epoch: message.epoch },
      "registered at the head",
    );
    for (const actorId of message.unknownActorIds ?? []) {
      const actorDescribed = supervisor.describe(actorId);
      if (actorDescribed) this.#link.send({ actorDescribed });
    }
    for (const actorId of message.stopActorIds ?? []) {
      supervisor.stop(actorId, this.#config.stopGraceMs, "the head no longer wants it");
    }
    this.#parts.objects.registered(message.objectQuotas ?? false);
    this.#processes.warm?.open();
    this.#registered();
  }

  get #protocols(): ProtocolRange {
    return this.#parts.network.protocols ?? ownProtocols();
  }

  /**
   * Adds the standard services after the node has started, because they are slow to load and the cluster itself does
   * not need them.
   */
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
