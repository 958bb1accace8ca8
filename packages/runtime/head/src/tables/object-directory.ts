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
 * - DIRECTORY-3. When the last lease on an object ends (not when its node dies), its copies are dropped: those that are
 *   known at once, those that are being fetched as soon as they have arrived, and those of nodes that were disconnected
 *   or are unknown to this head as soon as they are reported. Of objects that are named by their hash only the copies
 *   that are known then are dropped, because equal bytes may be stored again under that name, first as a copy.
 * - DIRECTORY-4. An order to free that a node did not confirm is repeated when the node has completed its report
 *   after its next registration, unless it no longer has the object. So is an order for a node that counts as dead and
 *   had a lease on the object: it may only have been cut off.
 * - DIRECTORY-5. Orders name the revision that the head knows, so that they end no lease that was taken after them.
 * - DIRECTORY-6. A free is not complete while some node has not reported its objects, because no order could be sent
 *   to it.
 */

import { type Clock, Waiters } from "@palimpsest/std";
import type { Metrics } from "@palimpsest/telemetry";
import { isSha256, OldestFirstMap } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type FreeOrder, FreeOrders } from "../store/free-orders.js";
import { LostPlaces } from "./lost-places.js";
import type { NodeTable } from "./node-table.js";
import { ObjectFetchers } from "./object-fetchers.js";

const maxOrdersPerMessage = 1_000;
/**
 * The maximum number of objects that ended while copies of them may come. Beyond it the oldest are forgotten, and their
 * copies stay until they are evicted.
 */
const maxEnded = 100_000;

interface Place {
  readonly held: boolean;
  readonly revision: number;
  readonly spilled: boolean;
}

interface Listing {
  sizeBytes: number;
  readonly places: Map<string, Place>;
}

export interface ObjectDirectoryDeps {
  readonly nodes: NodeTable;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Whether nodes may still come that the head's tables do not know. */
  readonly mayLackNodes: () => boolean;
}

export class ObjectDirectory {
  readonly #deps: ObjectDirectoryDeps;
  readonly #objects = new Map<string, Listing>();
  readonly #objectsOfNode = new Map<string, Set<string>>();
  /** The nodes that have completed their report since they last registered. */
  readonly #told = new Set<string>();
  readonly #orders = new FreeOrders();
  readonly #lost = new LostPlaces((nodeId) => this.#orders.forget(nodeId));
  readonly #waiting: Waiters<string>;
  readonly #fetchers: ObjectFetchers;
  /** Values whose last lease ended while nodes were fetching them, or had not reported their objects (DIRECTORY-3). */
  readonly #ended = new OldestFirstMap<string, true>();

  constructor(deps: ObjectDirectoryDeps) {
    this.#deps = deps;
    this.#fetchers = new ObjectFetchers(deps.clock);
    this.#waiting = new Waiters(deps.clock);
    // The counter is initialized with 0, because a rate needs a sample from before the first lookup.
    const asked = deps.metrics.counter("palimpsest_head_object_locates_total");
    for (const answer of ["found", "unknown"]) asked.inc({ answer }, 0);
    deps.nodes.onDead((node) => {
      this.#fetchers.nodeDied(node.nodeId);
      this.#lost.died(node.nodeId, this.#leasedOn(node.nodeId));
      this.#forget(node.nodeId);
      this.#objectsOfNode.delete(node.nodeId);
      this.#told.delete(node.nodeId);
    });
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Returns whether some node has reported the object. */
  has(objectId: string): boolean {
    return this.#objects.has(objectId);
  }

  /**
   * Returns whether an object has a lease on this node and on no other living one, so that it would be lost with the
   * node.
   */
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
    // An object that a node names as gone before its report is complete had a lease that ended while the node had no
    // head.
    const isReturning = !this.#told.has(nodeId);
    const unheld: string[] = [];
    for (const sha256 of gone ?? []) {
      const objectId = hex(sha256);
      this.#fetchers.ended(objectId, nodeId);
      this.#orders.confirmed(nodeId, objectId);
      const wasLast = this.#strike(nodeId, objectId);
      const endedBefore = isReturning && !isSha256(objectId) && !this.#isHeld(objectId);
      if (wasLast || endedBefore) unheld.push(objectId);
    }
    for (const objectId of unheld)
      if (!isSha256(objectId) && this.#mayComeAsCopy(objectId)) this.#ended.set(objectId, true);
    while (this.#ended.size > maxEnded && this.#ended.oldest !== undefined)
      this.#ended.delete(this.#ended.oldest);
    if (unheld.length > 0) this.#dropCopies(unheld);
  }

  /** Must be called when the node registers, because its objects are unknown until its report is complete. */
  nodeRegistered(nodeId: string): void {
    this.#told.delete(nodeId);
  }

  /** Must be called when the node's report is complete, which its first heartbeat after the last slice shows. */
  nodeTold(nodeId: string): void {
    this.#told.add(nodeId);
    this.#lost.back(nodeId);
    const objects = this.#objectsOfNode.get(nodeId);
    for (const { orders, ...how } of this.#orders.left(nodeId, (objectId) => objects?.has(objectId) ?? false))
      this.#send(nodeId, orders, how);
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
    if (this.#addresses(objectId).length === 0 && waitMs > 0)
      await this.#waiting.wait(waitMs, undefined, objectId);
    const addresses = this.#addresses(objectId);
    const answer = addresses.length > 0 ? "found" : "unknown";
    this.#deps.metrics.counter("palimpsest_head_object_locates_total").inc({ answer });
    const sizeBytes = this.#objects.get(objectId)?.sizeBytes ?? 0;
    const complete = this.#allTold() && this.#allHeardSince(askedAtMs);
    // If no node has the object, there is nothing that fetchers could pass on.
    const isFetched = fetcherId !== "" && (addresses.length > 0 || this.#fetchers.has(objectId));
    const before = isFetched ? this.#fetchers.ask(objectId, fetcherId) : [];
    const fetchingAddresses = this.#alive(before).filter((address) => !addresses.includes(address));
    return { addresses, complete, sizeBytes, fetchingAddresses };
  }

  /** Returns those of the objects that no living or returning node has. */
  missing(objectIds: readonly string[]): proto.MissingObjectsResponse.$Properties {
    return {
      objectIds: objectIds.filter((objectId) => !this.#objects.has(objectId)),
      complete: this.#allTold(),
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
        orders.push({ objectId, holder, revision, copiesOnly: false });
        byNode.set(nodeId, orders);
      }
      for (const [nodeId, revision] of this.#lost.of(objectId))
        this.#orders.remember(nodeId, [{ objectId, holder, revision, copiesOnly: false }]);
    }
    for (const [nodeId, orders] of byNode) {
      this.#orders.remember(nodeId, orders);
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

  /** Returns what would be lost with the node: objects that have a lease there and nowhere else. */
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

  #allTold(): boolean {
    return this.#untold().length === 0 && !this.#deps.mayLackNodes();
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

  /** Returns the nodes whose objects are not known yet. */
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

  #enter(nodeId: string, objectId: string, sizeBytes: number, place: Place): void {
    const listing = this.#objects.get(objectId) ?? { sizeBytes, places: new Map<string, Place>() };
    this.#objects.set(objectId, listing);
    listing.sizeBytes = sizeBytes;
    listing.places.set(nodeId, place);
    const objects = this.#objectsOfNode.get(nodeId) ?? new Set();
    this.#objectsOfNode.set(nodeId, objects);
    objects.add(objectId);
    this.#waiting.wake(objectId);
    if (!this.#ended.has(objectId)) return;
    if (place.held || !this.#mayComeAsCopy(objectId)) this.#ended.delete(objectId);
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
    return place.held && !this.#isHeld(objectId);
  }

  #isHeld(objectId: string): boolean {
    for (const { held } of this.#objects.get(objectId)?.places.values() ?? []) if (held) return true;
    return false;
  }

  /** Returns whether a node may still report a copy of it: one that fetches it, or one whose objects are not known. */
  #mayComeAsCopy(objectId: string): boolean {
    return this.#fetchers.has(objectId) || this.#untold().length > 0;
  }

  #leasedOn(nodeId: string): ReadonlyMap<string, number> {
    const leased = new Map<string, number>();
    for (const objectId of this.#objectsOfNode.get(nodeId) ?? []) {
      const place = this.#objects.get(objectId)?.places.get(nodeId);
      if (place?.held) leased.set(objectId, place.revision);
    }
    return leased;
  }

  #forget(nodeId: string): void {
    for (const objectId of [...(this.#objectsOfNode.get(nodeId) ?? [])]) this.#strike(nodeId, objectId);
  }

  /** DIRECTORY-3 */
  #dropCopies(objectIds: readonly string[]): void {
    const byNode = new Map<string, FreeOrder[]>();
    for (const objectId of objectIds) {
      for (const [nodeId, { revision }] of this.#objects.get(objectId)?.places ?? []) {
        const orders = byNode.get(nodeId) ?? [];
        orders.push({ objectId, holder: "", revision, copiesOnly: true });
        byNode.set(nodeId, orders);
      }
    }
    for (const [nodeId, orders] of byNode) {
      this.#orders.remember(nodeId, orders);
      this.#send(nodeId, orders, { holder: "", copiesOnly: true });
    }
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
