/**
 * Responsibility: every node that the head knows: its link, its heartbeats, and the leases on it.
 * Not responsible for: the actors of a dead node (the listeners of `onDead` handle them).
 *
 * Invariants:
 * - NODE-1. Only ALIVE nodes, those with an open link, are offered to the scheduler, and none that is about to end.
 * - NODE-2. At all times available = total − the sum of the node's leases.
 * - NODE-3. A node is DEAD when it was silent for its timeout, counted only while the head itself was awake.
 * - NODE-4. Of two links of one node process the newer one counts; the end of the older one changes nothing.
 * - NODE-5. A second process with the id of a node is refused as long as the first one's link is open.
 * - NODE-6. A GPU is never leased beyond the whole device, and a lease keeps its devices for as long as it lasts.
 */

import type { NodeView, Quantities } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Journal } from "../store/journal.js";
import type { AwakeTime } from "./awake-time.js";
import { decodeNode, encodeNode, type Node, registeredNode } from "./node.js";
import { type Lease, type LeaseOptions, NodeLeases } from "./node-leases.js";
import { NodeSums } from "./node-sums.js";

/** The head's side of a node's stream. */
export interface NodeConnection {
  send(message: proto.HeadMessage.$Properties): void;
  /** Ends the stream from the head's side. */
  close(reason: string): void;
}

interface Entry {
  node: Node;
  connection: NodeConnection | undefined;
  /** The node process that registered last; empty when none has registered with this head. */
  readonly instanceId: string;
  /** Whether that process had registered with this head before. */
  readonly isBack: boolean;
  /** When the head last heard from the node, or else was started, on the monotonic clock. */
  heardAtMs: number;
  leases: NodeLeases;
  /** The leases of processes that the node listed when it registered, or was ordered to start since then. */
  readonly processes: Set<string>;
  /** The milliseconds without a heartbeat, and how many of them are allowed. */
  silentMs: number;
  timeoutMs: number;
  /** Whether nothing is placed on it any more, because it is about to end. */
  retired: boolean;
}

export interface NodeTableDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly awake: AwakeTime;
  readonly nodeTimeoutMs: number;
  /** The milliseconds that a node from an earlier head's tables has to come back. */
  readonly recoveryGraceMs: number;
  /** The maximum number of DEAD nodes that are remembered. */
  readonly maxDead: number;
}

/** Whether the node left in an orderly way, or was silent for its timeout. */
export type NodeDeathCause = "left" | "lost";
/** Called with what the scheduler may use of the node; undefined means nothing, for now or for good. */
export type NodeChange = (nodeId: string, view: NodeView | undefined) => void;
/** Called with a lease that was taken on a node, also in the place of one of its name; undefined: it has ended. */
export type LeaseChange = (nodeId: string, name: string, lease: Lease | undefined) => void;
export type NodeDeath = (node: Node, reason: string, cause: NodeDeathCause) => void;

export class NodeTable {
  readonly #deps: NodeTableDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #deathListeners = new Set<NodeDeath>();
  readonly #changeListeners = new Set<NodeChange>();
  #onLease: LeaseChange = () => undefined;
  /** Counts and totals of all nodes. */
  readonly sums = new NodeSums();

  constructor(deps: NodeTableDeps) {
    this.#deps = deps;
    // Counters are initialized with 0. One that appears with its first event has not risen, so that alerts would miss
    // it.
    const deaths = deps.metrics.counter("palimpsest_head_node_deaths_total");
    for (const cause of ["left", "lost"] satisfies NodeDeathCause[]) deaths.inc({ cause }, 0);
  }

  load(rows: ReadonlyMap<string, Uint8Array>): void {
    for (const bytes of rows.values()) {
      const stored = decodeNode(bytes);
      const node: Node = { ...stored, state: stored.state === "DEAD" ? "DEAD" : "SUSPECT" };
      this.#entries.set(node.nodeId, this.#entry(node, undefined, this.#deps.recoveryGraceMs));
      this.sums.replace(undefined, node);
    }
  }

  /** Yields every node's row in the store. */
  *rows(): Generator<readonly [string, Uint8Array]> {
    for (const [nodeId, { node }] of this.#entries) yield [nodeId, encodeNode(node)];
  }

  /**
   * Registers a node that has opened a link. Its leases, and an older link of it, are replaced or kept as NODE-2 and
   * NODE-4 require.
   * @throws {PalimpsestError} ALREADY_EXISTS (NODE-5)
   */
  register(message: proto.RegisterNode.$Properties, connection: NodeConnection): Node {
    const now = this.#deps.clock.now();
    const nodeId = message.nodeId ?? "";
    const known = this.#entries.get(nodeId);
    const instanceId = message.instanceId ?? "";
    if (known?.connection !== undefined && known.instanceId !== instanceId) {
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `node_id ${nodeId} is in use by process ${known.node.pid} on ${known.node.hostname}: end that process or use another id`,
      );
    }
    known?.connection?.close("a newer link of this node was opened");
    const joinedAtMs = known && known.node.state !== "DEAD" ? known.node.joinedAtMs : now;
    const node: Node = { ...registeredNode(message), joinedAtMs, lastHeartbeatMs: now };
    const isBack = instanceId !== "" && known?.instanceId === instanceId;
    const entry = this.#entry(node, connection, this.#deps.nodeTimeoutMs, { instanceId, isBack });
    entry.leases = new NodeLeases(node.total, known?.leases);
    entry.node = { ...node, available: entry.leases.available };
    this.#entries.set(nodeId, entry);
    this.#persist(entry);
    this.#changed(entry, known?.node);
    return entry.node;
  }

  heartbeat(nodeId: string): void {
    const entry = this.#entries.get(nodeId);
    if (entry === undefined) return;
    entry.silentMs = 0;
    entry.heardAtMs = this.#deps.clock.monotonicMs();
    entry.node = { ...entry.node, lastHeartbeatMs: this.#deps.clock.now() };
  }

  /**
   * Handles the end of the node's stream.
   * @param inOrder whether the node has left; otherwise it may come back
   */
  disconnected(nodeId: string, connection: NodeConnection, inOrder: boolean): void {
    const entry = this.#entries.get(nodeId);
    if (entry?.connection !== connection) return;
    entry.connection = undefined;
    if (inOrder) {
      this.#die(entry, "it left the cluster", "left");
      return;
    }
    const before = entry.node;
    entry.node = { ...entry.node, state: "SUSPECT" };
    this.#changed(entry, before);
    this.#persist(entry);
  }

  /** Counts silence. It must be called about once per heartbeat interval. */
  tick(): void {
    const awakeMs = this.#deps.awake.tick();
    for (const entry of this.#entries.values()) {
      if (entry.node.state === "DEAD") continue;
      entry.silentMs += awakeMs;
      if (entry.silentMs > entry.timeoutMs) {
        const seconds = (entry.silentMs / 1000).toFixed(1);
        this.#die(entry, `node lost: no heartbeat from ${entry.node.nodeId} for ${seconds} s`, "lost");
      }
    }
  }

  /**
   * Returns when the head last heard from the node, or else was started, on the monotonic clock; undefined for an
   * unknown node.
   */
  heardAtMs(nodeId: string): number | undefined {
    return this.#entries.get(nodeId)?.heardAtMs;
  }

  /** Returns whether the process that registered last under this id had registered with this head before. */
  isBack(nodeId: string): boolean {
    return this.#entries.get(nodeId)?.isBack ?? false;
  }

  get(nodeId: string): Node | undefined {
    return this.#entries.get(nodeId)?.node;
  }

  all(): Node[] {
    return [...this.#entries.values()].map((entry) => entry.node);
  }

  /** Sends a message to the node. Returns false when it has no link at the moment. */
  send(nodeId: string, message: proto.HeadMessage.$Properties): boolean {
    const connection = this.#entries.get(nodeId)?.connection;
    connection?.send(message);
    return connection !== undefined;
  }

  broadcast(message: proto.HeadMessage.$Properties): void {
    for (const entry of this.#entries.values()) entry.connection?.send(message);
  }

  /**
   * Reserves resources of a node, or of a bundle on it, under a lease's name: what was chosen for it, or what a
   * running process already has.
   * @returns ids of the lease's GPUs
   */
  reserve(
    nodeId: string,
    name: string,
    quantities: Quantities,
    options: LeaseOptions = {},
  ): readonly number[] {
    const entry = this.#entries.get(nodeId);
    if (entry === undefined) return options.gpuIds ?? [];
    const gpuIds = entry.leases.take(name, quantities, options);
    this.#onLease(nodeId, name, entry.leases.get(name));
    this.#leasesChanged(entry);
    return gpuIds;
  }

  /** Reserves a bundle, from which other leases can be taken. */
  reserveBundle(nodeId: string, name: string, quantities: Quantities, gpuIds: readonly number[]): void {
    const entry = this.#entries.get(nodeId);
    if (entry === undefined) return;
    entry.leases.takeBundle(name, quantities, gpuIds);
    this.#onLease(nodeId, name, entry.leases.get(name));
    this.#leasesChanged(entry);
  }

  /**
   * Returns a bundle on the node as the scheduler sees it, with the labels of its node; undefined when it cannot be
   * used.
   */
  bundleView(nodeId: string, name: string): Omit<NodeView, "nodeId"> | undefined {
    const entry = this.#entries.get(nodeId);
    if (entry?.node.state !== "ALIVE") return undefined;
    const view = entry.leases.bundleView(name);
    return view && { ...view, labels: entry.node.labels };
  }

  /** Records that the node has listed the process of the lease, or is ordered to start it over its present link. */
  noteProcess(nodeId: string, name: string): void {
    this.#entries.get(nodeId)?.processes.add(name);
  }

  /** Returns whether the node may run the process of the lease, so that it will report its end. */
  mayRun(nodeId: string, name: string): boolean {
    return this.#entries.get(nodeId)?.processes.has(name) ?? false;
  }

  release(nodeId: string, name: string): void {
    const entry = this.#entries.get(nodeId);
    entry?.processes.delete(name);
    if (!entry?.leases.giveBack(name)) return;
    this.#onLease(nodeId, name, undefined);
    // LEASES-2
    for (const inner of entry.leases.freed) this.#onLease(nodeId, inner, entry.leases.get(inner));
    this.#leasesChanged(entry);
  }

  /** Returns the ids of the GPUs that the lease has. */
  gpusOf(nodeId: string, name: string): readonly number[] {
    return this.#entries.get(nodeId)?.leases.gpusOf(name) ?? [];
  }

  /** Excludes the node from placement until it registers again. */
  retire(nodeId: string): void {
    const entry = this.#entries.get(nodeId);
    if (entry === undefined) return;
    entry.retired = true;
    this.#changed(entry, entry.node);
  }

  /** Records that the node is told to leave and will be started again. */
  restarts(nodeId: string): void {
    const entry = this.#entries.get(nodeId);
    if (entry === undefined) return;
    entry.node = { ...entry.node, isRestarting: true };
    this.#persist(entry);
  }

  /** Makes a retired node available again. */
  restore(nodeId: string): void {
    const entry = this.#entries.get(nodeId);
    if (!entry?.retired) return;
    entry.retired = false;
    this.#changed(entry, entry.node);
  }

  /** Returns what the scheduler may use of each node. */
  views(): NodeView[] {
    return [...this.#entries.values()].flatMap((entry) => viewOf(entry) ?? []);
  }

  /** Returns the leases on the node by name. */
  leasesOn(nodeId: string): ReadonlyMap<string, Lease> {
    return new Map(this.#entries.get(nodeId)?.leases.all());
  }

  /** Registers what is called for each lease that is taken or ends, before onChange() is. */
  onLease(listener: LeaseChange): void {
    this.#onLease = listener;
  }

  /** Calls back for each node that dies. */
  onDead(listener: NodeDeath): void {
    this.#deathListeners.add(listener);
  }

  /**
   * Calls back with what the scheduler may use of a node after each change; undefined means nothing, for now or for
   * good.
   */
  onChange(listener: NodeChange): void {
    this.#changeListeners.add(listener);
  }

  #entry(
    node: Node,
    connection: NodeConnection | undefined,
    timeoutMs: number,
    process = { instanceId: "", isBack: false },
  ): Entry {
    const heardAtMs = this.#deps.clock.monotonicMs();
    return {
      ...{ node, connection, ...process, heardAtMs, silentMs: 0, timeoutMs },
      retired: false,
      leases: new NodeLeases(node.total),
      processes: new Set(),
    };
  }

  #leasesChanged(entry: Entry): void {
    const before = entry.node;
    entry.node = { ...before, available: entry.leases.available };
    this.#changed(entry, before);
  }

  /** Updates the sums and notifies listeners of what the scheduler may use of the node (NODE-1). */
  #changed(entry: Entry, before: Node | undefined): void {
    this.sums.replace(before, entry.node);
    const view = viewOf(entry);
    for (const listener of this.#changeListeners) listener(entry.node.nodeId, view);
  }

  #die(entry: Entry, reason: string, cause: NodeDeathCause): void {
    entry.connection?.close(reason);
    entry.connection = undefined;
    const before = entry.node;
    for (const name of entry.leases.names) this.#onLease(before.nodeId, name, undefined);
    entry.leases = new NodeLeases(before.total);
    entry.node = { ...before, state: "DEAD", available: before.total };
    this.#changed(entry, before);
    this.#persist(entry);
    this.#deps.metrics.counter("palimpsest_head_node_deaths_total").inc({ cause });
    this.#deps.logger.warn({ nodeId: entry.node.nodeId, reason }, "node died");
    for (const listener of this.#deathListeners) listener(entry.node, reason, cause);
    this.#forgetOldest();
  }

  #persist(entry: Entry): void {
    void this.#deps.journal.put("nodes", entry.node.nodeId, encodeNode(entry.node));
  }

  #forgetOldest(): void {
    const dead = [...this.#entries.values()].filter((entry) => entry.node.state === "DEAD");
    for (const { node } of dead.slice(0, Math.max(0, dead.length - this.#deps.maxDead))) {
      this.#entries.delete(node.nodeId);
      this.sums.replace(node, undefined);
      void this.#deps.journal.put("nodes", node.nodeId, undefined);
    }
  }
}

/** Returns what the scheduler may use of the node (NODE-1). */
function viewOf({ node, leases, retired }: Entry): NodeView | undefined {
  const { nodeId, total, available, labels } = node;
  if (node.state !== "ALIVE" || retired) return undefined;
  return { nodeId, total, available, labels, gpus: leases.gpus, leases: leases.size };
}
