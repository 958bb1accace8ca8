/**
 * Responsibility: which nodes have which objects, as the nodes report it. In memory only: after a restart of the head
 * the nodes report everything again.
 * Not responsible for: who has leases on objects and whether they are alive (object-holders.ts).
 *
 * Invariants:
 * - DIRECTORY-1. Only nodes that are alive are named as locations, by the address of their registration.
 * - DIRECTORY-2. A node's reports are forgotten when it starts a complete report, and when it is dead. Until every
 *   node has completed its report the directory does not call itself complete. Nor is it complete for a lookup during
 *   which a node was silent, because reports of that node may still be delayed by a partition.
 * - DIRECTORY-3. When the last lease on an object ends (not when its node dies), its copies are dropped, including
 *   copies that are being fetched at that moment, as soon as they have arrived.
 * - DIRECTORY-4. An order to free that a node did not confirm is repeated when the node has completed its report
 *   after its next registration, unless it no longer has the object. A node that was dead in between gets no repeated
 *   orders: its objects end with their lease owners.
 * - DIRECTORY-5. Orders name the revision that the head knows, so that they end no lease that was taken after them.
 * - DIRECTORY-6. A free is not complete while some node has not reported its objects, because no order could be sent
 *   to it.
 */
import type { Metrics } from "@palimpsest/telemetry";
import { type Clock, OldestFirstMap } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { NodeTable } from "./node-table.js";
import { ObjectFetchers } from "./object-fetchers.js";

const maxOrdersPerMessage = 1_000;
/**
 * The maximum of objects with unconfirmed orders per node. Beyond it the oldest are forgotten, and are freed when
 * their lease owner ends.
 */
const maxOrders = 100_000;
/**
 * The maximum of objects that ended during a fetch. Beyond it the oldest are forgotten, and their copies stay until
 * they are evicted.
 */
const maxEndedInFetch = 10_000;

interface Place {
  readonly held: boolean;
  readonly revision: number;
  readonly spilled: boolean;
}

interface Listing {
  sizeBytes: number;
  readonly places: Map<string, Place>;
}

interface FreeOrder {
  readonly objectId: string;
  readonly holder: string;
  readonly revision: number;
}

export interface ObjectDirectoryDeps {
  readonly nodes: NodeTable;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

export class ObjectDirectory {
  readonly #deps: ObjectDirectoryDeps;
  readonly #objects = new Map<string, Listing>();
  readonly #objectsOfNode = new Map<string, Set<string>>();
  /** Nodes that have completed their report since they last registered. */
  readonly #told = new Set<string>();
  /** Unconfirmed orders by node and object, then by lease owner. */
  readonly #orders = new Map<string, OldestFirstMap<string, Map<string, FreeOrder>>>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #fetchers: ObjectFetchers;
  /** Objects whose last lease ended while nodes were fetching them. */
  readonly #endedInFetch = new OldestFirstMap<string, true>();

  constructor(deps: ObjectDirectoryDeps) {
    this.#deps = deps;
    this.#fetchers = new ObjectFetchers(deps.clock);
    // Initialized with 0, because a rate needs a sample from before the first lookup.
    const asked = deps.metrics.counter("palimpsest_head_object_locates_total");
    for (const answer of ["found", "unknown"]) asked.inc({ answer }, 0);
    deps.nodes.onDead((node) => {
      this.#fetchers.nodeDied(node.nodeId);
      this.#forget(node.nodeId);
      this.#objectsOfNode.delete(node.nodeId);
      this.#told.delete(node.nodeId);
      this.#orders.delete(node.nodeId);
    });
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Whether some node has reported the object. */
  has(objectId: string): boolean {
    return this.#objects.has(objectId);
  }

  /** Whether an object has a lease on this node and on no other living one, so that it would be lost with the node. */
  holdsAlone(nodeId: string): boolean {
    const { nodes } = this.#deps;
    for (const objectId of this.#objectsOfNode.get(nodeId) ?? []) {
      const places = this.#objects.get(objectId)?.places ?? new Map<string, Place>();
      if (!places.get(nodeId)?.held) continue;
      const elsewhere = [...places].some(
        ([other, { held }]) => held && other !== nodeId && nodes.get(other)?.state === "ALIVE",
      );
      if (!elsewhere) return true;
    }
    return false;
  }

  report(nodeId: string, { reset, present, gone }: proto.ObjectReport.$Properties): void {
    if (reset) this.#forget(nodeId);
    for (const { sha256, sizeBytes, held, revision, spilled } of present ?? []) {
      const place = { held: held ?? false, revision: revision ?? 0, spilled: spilled ?? false };
      this.#fetchers.ended(hex(sha256), nodeId);
      this.#enter(nodeId, hex(sha256), sizeBytes ?? 0, place);
    }
    const unheld: string[] = [];
    for (const sha256 of gone ?? []) {
      const objectId = hex(sha256);
      this.#fetchers.ended(objectId, nodeId);
      this.#orders.get(nodeId)?.delete(objectId);
      if (this.#strike(nodeId, objectId)) unheld.push(objectId);
    }
    for (const objectId of unheld) if (this.#fetchers.has(objectId)) this.#endedInFetch.set(objectId, true);
    while (this.#endedInFetch.size > maxEndedInFetch && this.#endedInFetch.oldest !== undefined)
      this.#endedInFetch.delete(this.#endedInFetch.oldest);
    if (unheld.length > 0) this.#dropCopies(unheld);
  }

  /** To be called when the node registers: its objects are unknown until its report is complete. */
  nodeRegistered(nodeId: string): void {
    this.#told.delete(nodeId);
  }

  /** To be called when the node's report is complete: its first heartbeat follows the last slice. */
  nodeTold(nodeId: string): void {
    this.#told.add(nodeId);
    const objects = this.#objectsOfNode.get(nodeId);
    const orders = this.#orders.get(nodeId);
    for (const objectId of orders?.keys() ?? []) if (!objects?.has(objectId)) orders?.delete(objectId);
    this.#repeatOrders(nodeId);
  }

  /**
   * Finds the nodes that have an object, and waits up to waitMs until one has.
   * @param askingMs how long the caller has been looking already
   * @param fetcherId the node that will fetch the object; empty for none
   */
  async locate(
    objectId: string,
    waitMs: number,
    askingMs = 0,
    fetcherId = "",
  ): Promise<proto.LocateObjectResponse.$Properties> {
    const askedAtMs = this.#deps.clock.monotonicMs() - askingMs;
    if (this.#addresses(objectId).length === 0 && waitMs > 0) await this.#appearance(objectId, waitMs);
    const addresses = this.#addresses(objectId);
    const answer = addresses.length > 0 ? "found" : "unknown";
    this.#deps.metrics.counter("palimpsest_head_object_locates_total").inc({ answer });
    const sizeBytes = this.#objects.get(objectId)?.sizeBytes ?? 0;
    const complete = this.#untold().length === 0 && this.#allHeardSince(askedAtMs);
    // If no node has the object, there is nothing that fetchers could pass on.
    const isFetched = fetcherId !== "" && (addresses.length > 0 || this.#fetchers.has(objectId));
    const before = isFetched ? this.#fetchers.ask(objectId, fetcherId) : [];
    const fetchingAddresses = this.#alive(before).filter((address) => !addresses.includes(address));
    return { addresses, complete, sizeBytes, fetchingAddresses };
  }

  /** Those of the objects that no living or returning node has. */
  missing(objectIds: readonly string[]): proto.MissingObjectsResponse.$Properties {
    return {
      objectIds: objectIds.filter((objectId) => !this.#objects.has(objectId)),
      complete: this.#untold().length === 0,
    };
  }

  /**
   * Ends the leases of one owner, or of all owners if `holder` is empty, on every node that is known to have the
   * objects.
   * @returns the nodes that may have the objects too, because their report is incomplete (DIRECTORY-6)
   */
  free(objectIds: readonly string[], holder: string): readonly string[] {
    const byNode = new Map<string, FreeOrder[]>();
    for (const objectId of objectIds) {
      for (const [nodeId, { revision }] of this.#objects.get(objectId)?.places ?? []) {
        const orders = byNode.get(nodeId) ?? [];
        orders.push({ objectId, holder, revision });
        byNode.set(nodeId, orders);
      }
    }
    for (const [nodeId, orders] of byNode) {
      this.#remember(nodeId, orders);
      this.#send(nodeId, orders, { holder });
    }
    return this.#untold();
  }

  list(limit: number): proto.ListObjectsResponse.$Properties {
    const objects: proto.ObjectRow.$Properties[] = [];
    for (const [objectId, { sizeBytes, places }] of this.#objects) {
      if (objects.length >= limit) break;
      const nodesWhere = (isMeant: (place: Place) => boolean) =>
        [...places].flatMap(([nodeId, place]) => (isMeant(place) ? [nodeId] : []));
      objects.push({
        objectId,
        sizeBytes,
        holdingNodeIds: nodesWhere(({ held }) => held),
        copyNodeIds: nodesWhere(({ held }) => !held),
        spilledNodeIds: nodesWhere(({ spilled }) => spilled),
      });
    }
    return { objects, totalObjects: this.#objects.size };
  }

  /** What would be lost with the node: objects that have a lease there and nowhere else. */
  heldOnlyOn(nodeId: string): { readonly objects: number; readonly bytes: number } {
    let objects = 0;
    let bytes = 0;
    for (const objectId of this.#objectsOfNode.get(nodeId) ?? []) {
      const listing = this.#objects.get(objectId);
      if (!listing?.places.get(nodeId)?.held) continue;
      const isElsewhere = [...listing.places].some(
        ([other, { held }]) => other !== nodeId && held && this.#deps.nodes.get(other)?.state === "ALIVE",
      );
      if (isElsewhere) continue;
      objects += 1;
      bytes += listing.sizeBytes;
    }
    return { objects, bytes };
  }

  #alive(nodeIds: readonly string[]): string[] {
    const nodes = nodeIds.map((nodeId) => this.#deps.nodes.get(nodeId));
    return nodes.flatMap((node) =>
      node?.state === "ALIVE" && node.objectsAddress !== "" ? [node.objectsAddress] : [],
    );
  }

  #addresses(objectId: string): string[] {
    const held: string[] = [];
    const copies: string[] = [];
    for (const [nodeId, place] of this.#objects.get(objectId)?.places ?? []) {
      const node = this.#deps.nodes.get(nodeId);
      if (node?.state !== "ALIVE" || node.objectsAddress === "") continue;
      (place.held ? held : copies).push(node.objectsAddress);
    }
    // Nodes with a lease come first, because a mere copy may be evicted before it is fetched.
    return [...held, ...copies];
  }

  /** Nodes whose objects are not known yet. */
  #untold(): string[] {
    const isTold = (nodeId: string, state: string) =>
      state === "DEAD" || (state === "ALIVE" && this.#told.has(nodeId));
    return this.#deps.nodes.all().flatMap(({ nodeId, state }) => (isTold(nodeId, state) ? [] : [nodeId]));
  }

  #allHeardSince(askedAtMs: number): boolean {
    const { nodes } = this.#deps;
    const heard = (nodeId: string) => (nodes.heardAtMs(nodeId) ?? 0) >= askedAtMs;
    return nodes.all().every(({ nodeId, state }) => state === "DEAD" || heard(nodeId));
  }

  #appearance(objectId: string, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(objectId) ?? new Set();
      this.#waiting.set(objectId, waiting);
      const done = () => {
        cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(objectId);
        resolve();
      };
      const cancel = this.#deps.clock.after(waitMs, done);
      waiting.add(done);
    });
  }

  #enter(nodeId: string, objectId: string, sizeBytes: number, place: Place): void {
    const listing = this.#objects.get(objectId) ?? { sizeBytes, places: new Map<string, Place>() };
    this.#objects.set(objectId, listing);
    listing.sizeBytes = sizeBytes;
    listing.places.set(nodeId, place);
    const objects = this.#objectsOfNode.get(nodeId) ?? new Set();
    this.#objectsOfNode.set(nodeId, objects);
    objects.add(objectId);
    for (const appeared of [...(this.#waiting.get(objectId) ?? [])]) appeared();
    if (!this.#endedInFetch.has(objectId)) return;
    if (place.held || !this.#fetchers.has(objectId)) this.#endedInFetch.delete(objectId);
    if (!place.held) this.#dropCopies([objectId]);
  }

  /** Removes the object from the node's listing. Returns true if its last lease went with it. */
  #strike(nodeId: string, objectId: string): boolean {
    this.#objectsOfNode.get(nodeId)?.delete(objectId);
    const listing = this.#objects.get(objectId);
    const place = listing?.places.get(nodeId);
    if (listing === undefined || place === undefined) return false;
    listing.places.delete(nodeId);
    if (listing.places.size === 0) this.#objects.delete(objectId);
    return place.held && ![...listing.places.values()].some(({ held }) => held);
  }

  #forget(nodeId: string): void {
    for (const objectId of [...(this.#objectsOfNode.get(nodeId) ?? [])]) this.#strike(nodeId, objectId);
  }

  /** DIRECTORY-3. These orders are not repeated: a copy that remains is evicted when room is needed. */
  #dropCopies(objectIds: readonly string[]): void {
    const byNode = new Map<string, FreeOrder[]>();
    for (const objectId of objectIds) {
      for (const [nodeId, { revision }] of this.#objects.get(objectId)?.places ?? []) {
        const orders = byNode.get(nodeId) ?? [];
        orders.push({ objectId, holder: "", revision });
        byNode.set(nodeId, orders);
      }
    }
    for (const [nodeId, orders] of byNode) this.#send(nodeId, orders, { holder: "", copiesOnly: true });
  }

  #remember(nodeId: string, orders: readonly FreeOrder[]): void {
    const remembered = this.#orders.get(nodeId) ?? new OldestFirstMap<string, Map<string, FreeOrder>>();
    this.#orders.set(nodeId, remembered);
    for (const order of orders) {
      const ofObject = remembered.get(order.objectId) ?? new Map<string, FreeOrder>();
      remembered.set(order.objectId, ofObject.set(order.holder, order));
    }
    while (remembered.size > maxOrders && remembered.oldest !== undefined)
      remembered.delete(remembered.oldest);
  }

  /** DIRECTORY-4. */
  #repeatOrders(nodeId: string): void {
    const byHolder = new Map<string, FreeOrder[]>();
    for (const ofObject of this.#orders.get(nodeId)?.values() ?? []) {
      for (const order of ofObject.values()) {
        const orders = byHolder.get(order.holder) ?? [];
        orders.push(order);
        byHolder.set(order.holder, orders);
      }
    }
    for (const [holder, orders] of byHolder) this.#send(nodeId, orders, { holder });
  }

  #send(nodeId: string, orders: readonly FreeOrder[], how: proto.DropObjects.$Properties): void {
    for (let at = 0; at < orders.length; at += maxOrdersPerMessage) {
      const objects = orders
        .slice(at, at + maxOrdersPerMessage)
        .map(({ objectId, revision }) => ({ sha256: Buffer.from(objectId, "hex"), revision }));
      this.#deps.nodes.send(nodeId, { dropObjects: { ...how, objects } });
    }
  }
}

function hex(sha256: Uint8Array | null | undefined): string {
  return Buffer.from(sha256 ?? []).toString("hex");
}
