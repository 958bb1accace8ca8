/**
 * Responsibility: the head without its sockets: tables, pending queue, lifecycles and sessions, connected to each
 * other over a store.
 * Not responsible for: gRPC, the files of address and token, or processes.
 */
import { join } from "node:path";
import { Ledger, PlacementIndex } from "@palimpsest/scheduler";
import { type Clock, delay, every } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { type Holder, newId, parseHolder } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ActorLifecycle } from "../rules/actors/actor-lifecycle.js";
import { Claims } from "../rules/claims.js";
import type { HeadConfig } from "../rules/config.js";
import { Demand } from "../rules/demand.js";
import { HolderStates } from "../rules/holder-states.js";
import { JobLifecycle } from "../rules/job-lifecycle.js";
import { NodeDrains } from "../rules/node-drains.js";
import { ObjectQuotas } from "../rules/object-quotas.js";
import { ObjectRecoveries } from "../rules/object-recoveries.js";
import { endOrphans, expectDrivers, ownerHasEnded } from "../rules/owners.js";
import { PendingQueue } from "../rules/placement.js";
import { PlacementGroups } from "../rules/placement-groups.js";
import { Preemptions } from "../rules/preemptions.js";
import { Recovery } from "../rules/recovery.js";
import { StackRequests } from "../rules/stack-requests.js";
import { TaskWorkers } from "../rules/task-workers.js";
import { UsedBundles } from "../rules/used-bundles.js";
import { Bundles } from "../store/bundles.js";
import { Journal } from "../store/journal.js";
import type { BundleShare } from "../store/shared-bundles.js";
import type { Store, StoreTable } from "../store/store.js";
import { type Actor, actorForReaders, actorSpecFromProto } from "../tables/actor.js";
import { ActorTable } from "../tables/actor-table.js";
import { AwakeTime } from "../tables/awake-time.js";
import { History } from "../tables/history/history.js";
import { hasEnded, outputTailMs } from "../tables/job.js";
import { JobLogs, type WriteAt } from "../tables/job-logs.js";
import { JobTable } from "../tables/job-table.js";
import { NodeTable } from "../tables/node-table.js";
import { ObjectDirectory } from "../tables/object-directory.js";
import { ObjectHolders } from "../tables/object-holders.js";
import { PlacementGroupTable } from "../tables/placement-group-table.js";
import { Sessions } from "../tables/sessions.js";
import { measureTables } from "./head-metrics.js";
import { measureObjectQuotas, measureShares, PreemptionCounts } from "./share-metrics.js";

export interface ControlPlaneDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Writes the output of jobs; by default to disk. */
  readonly writeLog?: WriteAt;
  /** The cluster's id if it is known from a source other than the store. */
  readonly clusterId?: string;
  /** Whether the store has everything that an earlier head stored. Default: it may have lost some of it. */
  readonly isStoreComplete?: boolean;
  /** Where the cluster's heads share their bundles. */
  readonly bundleShare?: BundleShare | undefined;
}

const flushTimeoutMs = 5_000;
const maxDeadNodes = 100;
const leavePollMs = 20;

export class ControlPlane {
  readonly clusterId: string;
  readonly actors: ActorTable;
  readonly nodes: NodeTable;
  readonly jobs: JobTable;
  readonly pendingQueue: PendingQueue;
  readonly claims: Claims;
  readonly ledger: Ledger;
  readonly groupTable: PlacementGroupTable;
  readonly groups: PlacementGroups;
  readonly recovery: Recovery;
  readonly lifecycle: ActorLifecycle;
  readonly jobLifecycle: JobLifecycle;
  readonly sessions: Sessions;
  readonly objects: ObjectDirectory;
  readonly taskWorkers: TaskWorkers;
  readonly objectHolders: ObjectHolders;
  readonly objectQuotas: ObjectQuotas;
  readonly history: History;
  readonly drains: NodeDrains;
  readonly preemptions: Preemptions;
  readonly stacks: StackRequests;
  readonly recoveries: ObjectRecoveries;
  readonly logs: JobLogs;
  readonly bundles: Bundles;
  readonly #clock: Clock;
  readonly #usedBundles: UsedBundles;
  readonly #journal: Journal;
  readonly #adoptedGraceMs: number;
  readonly #stopTicking: () => void;

  /** Loads the state that an earlier head left in the store, and takes it over. */
  static async open(config: HeadConfig, deps: ControlPlaneDeps): Promise<ControlPlane> {
    const { store } = deps;
    const clusterId = await store.fact("clusterId", deps.clusterId || newId("cluster"));
    const plane = new ControlPlane(clusterId, config, deps);
    plane.nodes.load(await store.readTable("nodes"));
    const [specs, states, deaths] = await Promise.all([
      store.readTable("specs"),
      store.readTable("actors"),
      store.readTable("deaths"),
    ]);
    plane.groupTable.load(await store.readTable("groups"));
    plane.actors.load(specs, states, deaths);
    plane.jobs.load(await store.readTable("jobs"), await store.readTable("submissions"));
    const nodes = plane.nodes.all();
    const someMayReturn = nodes.some(({ state }) => state !== "DEAD");
    // If a cluster is known from another source but has no node in the store, the store may have been emptied.
    const mayLack = someMayReturn || (nodes.length === 0 && deps.clusterId);
    if (mayLack && !deps.isStoreComplete) plane.recovery.begin();
    plane.#recover();
    plane.#usedBundles.sweep();
    return plane;
  }

  /** Built from the bottom up: what is made refers only to what stands above it here. */
  private constructor(clusterId: string, config: HeadConfig, deps: ControlPlaneDeps) {
    const { clock, logger, metrics } = deps;
    const { ownerGraceMs, sessionLeaseMs, recoveryGraceMs } = config;
    this.clusterId = clusterId;
    this.#clock = clock;
    this.#adoptedGraceMs = adoptedGraceMs(config);

    // The store: what is kept.
    const journal = new Journal(deps);
    const bundles = new Bundles(join(config.dataDir, "bundles"), config.bundleMaxBytes, {
      share: deps.bundleShare,
      onShareFailed: (sha256, reason) =>
        logger.warn({ err: reason, sha256 }, "a standby that takes over would not have this bundle"),
    });
    this.#journal = journal;
    this.bundles = bundles;

    // The tables: what is known.
    const awake = new AwakeTime(clock, config.heartbeatIntervalMs);
    const nodes = new NodeTable({ ...deps, ...config, journal, awake, maxDead: maxDeadNodes });
    const actors = new ActorTable({ journal, clock, maxDead: config.maxDeadActors });
    const jobs = new JobTable({ journal, clock, maxEnded: config.maxEndedJobs });
    const groupTable = new PlacementGroupTable({ journal, clock });
    const sessions = new Sessions({ clock, logger, ownerGraceMs, sessionLeaseMs });
    this.logs = new JobLogs({
      folder: join(config.dataDir, "logs"),
      maxBytes: config.jobLogMaxBytes,
      retryMs: config.jobLogRetryMs,
      clock,
      ...(deps.writeLog ? { writeAt: deps.writeLog } : {}),
    });
    this.nodes = nodes;
    this.actors = actors;
    this.jobs = jobs;
    this.groupTable = groupTable;
    this.sessions = sessions;
    this.history = new History({
      ...{ nodes, actors, clock },
      isAlive: (reporterId) => stateOf(parseHolder(reporterId)) === "alive",
    });
    const mayLackNodes = () => this.recovery.leftMs > 0;
    this.objects = new ObjectDirectory({ nodes, clock, metrics, mayLackNodes });

    // The rules: what decides. Groups hear of freed resources before the queue of other requests, so that those are
    // offered to groups first.
    const { logs, objects } = this;
    const claims = new Claims({ quotas: config.quotas, jobs, actors, groups: groupTable });
    const ledger = new Ledger(
      (name) => claims.quota(name),
      () => clock.monotonicMs(),
    );
    const [index, demand] = [new PlacementIndex(ledger), new Demand({ nodes, clock, ledger })];
    nodes.onLease((nodeId, name, lease) => {
      if (lease === undefined) ledger.giveBack(`${nodeId} ${name}`);
      else ledger.take(`${nodeId} ${name}`, ...claims.ofLease(name, lease));
    });
    nodes.onChange((nodeId, view) => ledger.shares.setNode(nodeId, view?.total));
    ledger.shares.onChange((fairnessKey) => index.rescore(fairnessKey));
    this.claims = claims;
    this.ledger = ledger;
    const groups = new PlacementGroups({
      ...{ groups: groupTable, nodes, clock, logger, demand, ledger, claims },
      reservations: index,
    });
    const pendingQueue = new PendingQueue({
      ...{ nodes, clock, index, demand },
      reserveAfterMs: config.placementReserveAfterMs,
    });
    const taskWorkers = new TaskWorkers(actors, nodes);
    const shared = { nodes, pendingQueue, claims, clock, logger };
    const lifecycle = new ActorLifecycle({
      ...{ ...shared, metrics, actors, groups, taskWorkers },
      stopGraceMs: config.actorStopGraceMs,
      startRetries: config,
      fenceAfterMs: config.fenceAfterMs,
    });
    this.groups = groups;
    this.pendingQueue = pendingQueue;
    this.taskWorkers = taskWorkers;
    this.lifecycle = lifecycle;
    this.recovery = new Recovery({ actors, clock, graceMs: recoveryGraceMs });
    this.jobLifecycle = new JobLifecycle({
      ...{ ...shared, jobs, bundles, logs },
      driverStopGraceMs: config.driverStopGraceMs,
    });
    const holders = new HolderStates({ actors, jobs, sessions, objects, lifecycle });
    const stateOf = (holder: Holder) => holders.of(holder);
    this.objectHolders = new ObjectHolders({
      ...{ nodes, awake, stateOf },
      graceMs: Math.max(ownerGraceMs, recoveryGraceMs),
    });
    this.objectQuotas = new ObjectQuotas({
      ...{ nodes, claims, stateOf, clock, reclaimEveryMs: config.heartbeatIntervalMs },
      claimantOf: (holder) => holders.claimantOf(holder),
      mayLackNodes,
    });
    this.drains = new NodeDrains({
      ...{ nodes, actors, jobs, clock, objects, lifecycle },
      events: this.history.cluster,
    });
    this.preemptions = new Preemptions({
      ...{ index, pendingQueue, ledger, claims, actors, nodes, lifecycle, clock },
      counts: new PreemptionCounts(metrics),
      preemptAfterMs: config.preemptAfterMs,
      events: this.history.cluster,
    });
    this.recoveries = new ObjectRecoveries({ nodes, clock, stateOf });
    this.stacks = new StackRequests({ actors, nodes, sessions, clock });

    // What has ended is told when everybody who must hear of it is there.
    jobs.onForgotten((jobId) => {
      logs.remove(jobId);
      this.history.tasks.forget(jobId);
    });
    this.#usedBundles = new UsedBundles({
      ...{ bundles, actors, jobs, clock, logger },
      keepMs: config.bundleKeepMs,
    });
    sessions.onEnded((sessionId, reason) => this.#sessionEnded(sessionId, reason));
    this.jobLifecycle.onEnded((jobId) => this.#jobEnded(jobId));
    actors.onChange((actor, before) => {
      const { incarnation, spec } = before ?? actor;
      if (incarnation > 0 && holders.isOver(actor, incarnation))
        this.objectHolders.ended({ kind: "incarnation", actorId: spec.actorId, incarnation });
      if (actor.state === "DEAD" && before?.state !== "DEAD") this.#actorDied(actor);
    });
    this.#stopTicking = every(clock, config.heartbeatIntervalMs, () => {
      for (const fairnessKey of ledger.shares.moving()) index.rescore(fairnessKey);
      for (const table of [nodes, pendingQueue, groups, this.drains, this.preemptions]) table.tick();
      measureTables(metrics, this);
      measureShares(metrics, ledger, index);
      measureObjectQuotas(metrics, this.objectQuotas);
    });
  }

  /** Ends jobs, actors and nodes for good, and waits until the nodes have left, for at most timeoutMs. */
  async endCluster(timeoutMs: number): Promise<void> {
    const reason = "the cluster is shut down";
    const ended = Promise.all([this.jobLifecycle.endAll(), this.lifecycle.endAll(reason)]);
    this.nodes.broadcast({ stopNode: { reason } });
    const deadline = performance.now() + timeoutMs;
    const someAlive = () => this.nodes.all().some((node) => node.state === "ALIVE");
    while (someAlive() && performance.now() < deadline) await delay(leavePollMs);
    // `ended` is not awaited first, because an unreachable store must not keep the nodes running.
    const waited = new AbortController();
    const late = delay(Math.max(0, deadline - performance.now()), waited.signal);
    // The wait is aborted, because a pending timer would keep the process alive.
    await Promise.race([ended, late]).finally(() => waited.abort());
  }

  /**
   * Adopts an actor that a node runs and the tables have lost. Returns false when it is not wanted because its job or
   * its owner is known to have ended.
   */
  adopt(nodeId: string, described: proto.ActorDescribed.$Properties): boolean {
    const spec = actorSpecFromProto(described.spec);
    const job = this.jobs.find(spec.jobId);
    if (!spec.detached) {
      if (job !== undefined && hasEnded(job)) return false;
      if (ownerHasEnded(this.actors, spec) || this.sessions.hasEnded(spec.ownerId)) return false;
      if (this.actors.get(spec.ownerId) === undefined)
        this.sessions.expect(spec.ownerId, this.#adoptedGraceMs);
    }
    return this.lifecycle.adoptUnknown(nodeId, spec, described);
  }

  /** Returns every row of a table in its present state, as the store should have it. */
  rowsOf(table: StoreTable): Iterable<readonly [string, Uint8Array]> {
    switch (table) {
      case "specs":
      case "actors":
      case "deaths":
        return this.actors.rows(table);
      case "groups":
        return this.groupTable.rows();
      case "nodes":
        return this.nodes.rows();
      case "jobs":
        return this.jobs.rows();
      case "submissions":
        return this.jobs.submissionRows();
    }
  }

  /** Causes a write soon by removing a row that never existed. */
  causeWrite(): void {
    void this.#journal.put("nodes", "-", undefined);
  }

  /**
   * Resolves when the store has accepted a write of this head, which proves that it still leads. The caller sets a
   * deadline.
   */
  confirmLead(): Promise<void> {
    return this.#journal.put("nodes", "-", undefined);
  }

  /**
   * Writes what has not reached the store yet.
   * @param deposed whether another head leads, so that nothing can be written any more
   */
  async close(deposed = false): Promise<void> {
    this.#stopTicking();
    this.#usedBundles.close();
    this.recovery.close();
    this.lifecycle.close();
    // The journal is closed even if a log cannot be.
    const logs = await Promise.allSettled([this.logs.close()]);
    await this.#journal.close(deposed ? 0 : flushTimeoutMs);
    for (const result of logs) if (result.status === "rejected") throw result.reason;
  }

  #recover(): void {
    this.lifecycle.recover();
    this.preemptions.recover();
    this.jobLifecycle.recover();
    endOrphans(this);
    expectDrivers(this, this.#adoptedGraceMs);
  }

  #actorDied(actor: Actor): void {
    const { incarnation, spec } = actor;
    this.sessions.send(spec.ownerId, { actorDied: actorForReaders(actor) });
    this.objectHolders.ended({ kind: "program", id: spec.actorId });
    this.objectHolders.ended({ kind: "incarnation", actorId: spec.actorId, incarnation });
  }

  #sessionEnded(sessionId: string, reason: string): void {
    // This owner is an actor that a node reported before its owner, so a session was expected for it as for a driver
    // (OWNER-7).
    if (this.actors.get(sessionId)) endOrphans(this);
    else this.lifecycle.ownerEnded(sessionId, reason);
    this.objectHolders.ended({ kind: "program", id: sessionId });
    this.history.sessionEnded(sessionId, reason);
  }

  #jobEnded(jobId: string): void {
    this.logs.ended(jobId);
    this.history.cluster.jobEnded(this.jobs.get(jobId));
    // Followers of a job whose last output does not arrive are woken once more.
    if (this.logs.sizeBytes(jobId) < this.jobs.get(jobId).outputBytes)
      this.#clock.after(outputTailMs, () => this.logs.ended(jobId));
    this.sessions.jobEnded(jobId);
    this.lifecycle.jobEnded(jobId);
    this.objectHolders.ended({ kind: "program", id: jobId });
  }
}

/**
 * The milliseconds that the owner of an adopted actor has to come back. Where heads take over from each other, its
 * stream broke with the earlier head, so it has its whole lease (OWNER-3).
 */
function adoptedGraceMs({ redisUrl, ownerGraceMs, recoveryGraceMs, sessionLeaseMs }: HeadConfig): number {
  return Math.max(ownerGraceMs, recoveryGraceMs, redisUrl === undefined ? 0 : sessionLeaseMs);
}
