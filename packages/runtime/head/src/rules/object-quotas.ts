/**
 * Responsibility: how many bytes of objects each node may store for whom, so that all nodes together stay within the
 * quotas.
 * Not responsible for: counting objects, or which of them wait (the nodes do), or leases (the scheduler's ledger).
 *
 * A node asks when what it was granted does not suffice, and is granted more than it asks for, so that it seldom asks.
 * Grants are in memory only: after a restart of the head each node says what it has.
 *
 * Invariants:
 * - OBJECTQUOTA-1. For each quota the bytes granted to all nodes are together never above it. What exists already, of a
 *   lowered quota, of a node that had counted as dead or of leases on copies, counts, and nothing is granted until it
 *   fits.
 * - OBJECTQUOTA-2. Nothing is granted while some node has not said what it has since it registered, or since this head
 *   began. A node that knows no quotas has nothing.
 * - OBJECTQUOTA-3. Nodes are granted what they ask for in the order in which they began to wait. While one waits, the
 *   others are asked to return what they do not use.
 */
import type { Clock } from "@palimpsest/std";
import { type Holder, parseHolder } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { NodeTable } from "../tables/node-table.js";
import type { HolderState } from "../tables/object-holders.js";
import type { Claimant, Claims } from "./claims.js";

/** The first protocol in which nodes know quotas of objects. */
const sinceProtocol = 3;
/** A node is granted up to this many bytes at once, but at most `freePart` of what is free. */
const sliceBytes = 64 * 1024 * 1024;
const freePart = 1 / 4;

interface NodeUse {
  grantedBytes: number;
  /** As the node last said. */
  usedBytes: number;
}

interface Quota {
  readonly name: string;
  readonly nodes: Map<string, NodeUse>;
  /** What nodes lack, those first that have waited longest. */
  readonly wanted: Map<string, number>;
  /** When the others were last asked to return bytes, and for whom. */
  reclaimedAtMs: number;
  reclaimedFor: string;
}

/** The use of one quota by all nodes, for people. */
export interface ObjectQuotaUse {
  readonly name: string;
  readonly maxBytes: number;
  readonly usedBytes: number;
  readonly grantedBytes: number;
  /** How many nodes wait for more. */
  readonly waitingNodes: number;
}

export interface ObjectQuotasDeps {
  readonly nodes: NodeTable;
  readonly claims: Pick<Claims, "limitObjects" | "maxObjectBytes" | "ofObjects">;
  readonly claimantOf: (holder: Holder) => Claimant | undefined;
  readonly stateOf: (holder: Holder) => HolderState;
  /** Whether nodes may be missing from the table that return later. */
  readonly mayLackNodes: () => boolean;
  readonly clock: Clock;
  /** The milliseconds between two requests to return bytes. */
  readonly reclaimEveryMs: number;
}

export class ObjectQuotas {
  readonly #deps: ObjectQuotasDeps;
  readonly #quotas = new Map<string, Quota>();
  /** The nodes that have said what they have since they registered. */
  readonly #told = new Set<string>();

  constructor(deps: ObjectQuotasDeps) {
    this.#deps = deps;
    deps.nodes.onDead(({ nodeId }) => {
      this.#told.delete(nodeId);
      this.#forget(nodeId);
    });
  }

  /** Whether nodes must ask before they store objects. */
  get areThere(): boolean {
    return this.#deps.claims.limitObjects;
  }

  /** Must be called when the node registers: what it was granted is unknown until it says what it has. */
  nodeRegistered(nodeId: string): void {
    this.#told.delete(nodeId);
    // An older version of the node has started in the place of one that knew quotas.
    if ((this.#deps.nodes.get(nodeId)?.protocols.max ?? 0) < sinceProtocol) this.#forget(nodeId);
    for (const { wanted } of this.#quotas.values()) wanted.delete(nodeId);
  }

  /** Handles a node's report, without granting anything. */
  report(nodeId: string, { reset, holders, quotas }: proto.ObjectUse.$Properties): void {
    if (reset) {
      this.#forget(nodeId);
      this.#told.add(nodeId);
    }
    for (const { name = "", usedBytes, grantedBytes, returnedBytes, wantedBytes } of quotas ?? []) {
      const quota = this.#quotaOf(name ?? "");
      const use = quota.nodes.get(nodeId) ?? { grantedBytes: 0, usedBytes: 0 };
      use.usedBytes = usedBytes ?? 0;
      use.grantedBytes += (reset ? (grantedBytes ?? 0) : 0) - (returnedBytes ?? 0);
      if (use.grantedBytes > 0 || use.usedBytes > 0) quota.nodes.set(nodeId, use);
      else quota.nodes.delete(nodeId);
      if (wantedBytes) quota.wanted.set(nodeId, wantedBytes);
      else quota.wanted.delete(nodeId);
    }
    if (holders && holders.length > 0) this.#answer(nodeId, holders);
    this.#clean();
  }

  /** Grants what waits and fits. The caller has made sure that no other head leads. */
  serve(): void {
    for (const quota of this.#quotas.values()) if (quota.wanted.size > 0) this.#serve(quota);
  }

  /** Returns the use of each quota of which something is used or granted, those with most bytes first. */
  uses(): ObjectQuotaUse[] {
    const uses = [...this.#quotas.values()].map(({ name, nodes, wanted }) => {
      let [usedBytes, grantedBytes] = [0, 0];
      for (const use of nodes.values()) {
        usedBytes += use.usedBytes;
        grantedBytes += use.grantedBytes;
      }
      const maxBytes = this.#deps.claims.maxObjectBytes(name) ?? 0;
      return { name, maxBytes, usedBytes, grantedBytes, waitingNodes: wanted.size };
    });
    return uses.sort((a, b) => b.usedBytes - a.usedBytes);
  }

  /** OBJECTQUOTA-2 */
  isComplete(): boolean {
    if (this.#deps.mayLackNodes()) return false;
    return this.#deps.nodes
      .all()
      .every(
        ({ nodeId, state, protocols }) =>
          state === "DEAD" || protocols.max < sinceProtocol || this.#told.has(nodeId),
      );
  }

  #serve(quota: Quota): void {
    if (!this.isComplete()) return;
    const { nodes, claims } = this.#deps;
    const maxBytes = claims.maxObjectBytes(quota.name) ?? Number.MAX_SAFE_INTEGER;
    for (const [nodeId, wantedBytes] of quota.wanted) {
      const use = quota.nodes.get(nodeId) ?? { grantedBytes: 0, usedBytes: 0 };
      const freeBytes = Math.max(0, maxBytes - takenBytes(quota, nodeId) - use.grantedBytes);
      if (wantedBytes > freeBytes) {
        this.#reclaim(quota, nodeId, maxBytes);
        return;
      }
      const bytes = Math.max(wantedBytes, Math.min(sliceBytes, Math.floor(freeBytes * freePart)));
      use.grantedBytes += bytes;
      quota.nodes.set(nodeId, use);
      quota.wanted.delete(nodeId);
      nodes.send(nodeId, { objectAllowance: { quotas: [this.#about(quota, maxBytes, bytes)] } });
    }
  }

  /** OBJECTQUOTA-3 */
  #reclaim(quota: Quota, forNodeId: string, maxBytes: number): void {
    const { clock, reclaimEveryMs, nodes } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (quota.reclaimedFor === forNodeId && nowMs - quota.reclaimedAtMs < reclaimEveryMs) return;
    quota.reclaimedFor = forNodeId;
    quota.reclaimedAtMs = nowMs;
    const about = this.#about(quota, maxBytes, 0);
    for (const [nodeId, { grantedBytes }] of quota.nodes)
      if (nodeId !== forNodeId && grantedBytes > 0)
        nodes.send(nodeId, { objectAllowance: { quotas: [{ ...about, reclaimed: true }] } });
    // Those that wait can then say what is used.
    for (const nodeId of quota.wanted.keys()) nodes.send(nodeId, { objectAllowance: { quotas: [about] } });
  }

  #about(quota: Quota, maxBytes: number, grantedBytes: number): proto.ObjectQuota.$Properties {
    let usedBytes = 0;
    for (const use of quota.nodes.values()) usedBytes += use.usedBytes;
    return { name: quota.name, maxBytes, usedBytes, grantedBytes };
  }

  /** Says against which quotas the objects of these owners count. The node asks again for those that nobody knows yet. */
  #answer(nodeId: string, texts: readonly string[]): void {
    const { claims, claimantOf, stateOf, nodes } = this.#deps;
    const holders: proto.HolderQuotas.$Properties[] = [];
    const names = new Set<string>();
    for (const text of texts) {
      const holder = parseHolder(text);
      const claimant = claimantOf(holder);
      if (claimant === undefined && stateOf(holder) !== "ended") continue;
      const quotas = claimant === undefined ? [] : [...claims.ofObjects(claimant)];
      holders.push({ holder: text, quotas });
      for (const name of quotas) names.add(name);
    }
    if (holders.length === 0) return;
    const quotas = [...names].map((name) =>
      this.#about(
        this.#quotas.get(name) ?? emptyQuota(name),
        claims.maxObjectBytes(name) ?? Number.MAX_SAFE_INTEGER,
        0,
      ),
    );
    nodes.send(nodeId, { objectAllowance: { quotas, holders } });
  }

  #quotaOf(name: string): Quota {
    const quota = this.#quotas.get(name) ?? emptyQuota(name);
    this.#quotas.set(name, quota);
    return quota;
  }

  #forget(nodeId: string): void {
    for (const { nodes, wanted } of this.#quotas.values()) {
      nodes.delete(nodeId);
      wanted.delete(nodeId);
    }
    this.#clean();
  }

  #clean(): void {
    for (const [name, { nodes, wanted }] of this.#quotas)
      if (nodes.size === 0 && wanted.size === 0) this.#quotas.delete(name);
  }
}

function emptyQuota(name: string): Quota {
  return {
    name,
    nodes: new Map(),
    wanted: new Map(),
    reclaimedAtMs: Number.NEGATIVE_INFINITY,
    reclaimedFor: "",
  };
}

/** Returns what the other nodes have, as granted or above it. */
function takenBytes({ nodes }: Quota, exceptNodeId: string): number {
  let bytes = 0;
  for (const [nodeId, { grantedBytes, usedBytes }] of nodes)
    if (nodeId !== exceptNodeId) bytes += Math.max(grantedBytes, usedBytes);
  return bytes;
}
