/**
 * Responsibility: which nodes have which objects, as they report it. In memory only: after a restart of the head the
 * nodes tell it anew.
 * Not responsible for: who holds objects and whether he lives (object-holders.ts).
 *
 * Invariants:
 * - DIRECTORY-1. Only nodes that are alive, by the address of their registration, are named as places.
 * - DIRECTORY-2. What a node told is forgotten when it tells everything anew, and when it is dead. Until it has told
 *   everything the directory does not call itself complete; nor for a question during which a node was not heard of:
 *   what that node has stored may be on its way still, behind a partition.
 * - DIRECTORY-3. When the last hold of an object ends (not when its node dies), its copies are dropped, and those that nodes were
 *   fetching at that moment as soon as they have come.
 * - DIRECTORY-4. An order to free that a node did not confirm is given again when the node has told everything after
 *   its next registration, unless it has the object no more. A node that was dead meanwhile is not ordered again: what
 *   it still has ends with its holder.
 * - DIRECTORY-5. Orders name the revision that the head knows, so that they end no hold that was made after them.
 * - DIRECTORY-6. A free is not called done while a node has not told what it has: nothing could be ordered of it.
 */
import type { Metrics } from "@palimpsest/telemetry";
import { type Clock, OldestFirstMap } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { NodeTable } from "./node-table.js";
import { ObjectFetchers } from "./object-fetchers.js";

const maxOrdersPerMessage = 1_000;
/** Objects with unconfirmed orders per node: above it the oldest are forgotten, and the end of their holder frees them. */
const maxOrders = 100_000;
/** Objects that ended while somebody fetched them: above it the oldest are forgotten, and their copies stay until room is needed. */
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
  /** Nodes that have told everything since they registered last. */
  readonly #told = new Set<string>();
  /** Unconfirmed orders by node and object, then by holder. */
  readonly #orders = new Map<string, OldestFirstMap<string, Map<string, FreeOrder>>>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #fetchers: ObjectFetchers;
  /** Objects whose last hold ended while nodes were fetching them. */
  readonly #endedInFetch = new OldestFirstMap<string, true>();

  constructor(deps: ObjectDirectoryDeps) {
    this.#deps = deps;
    this.#fetchers = new ObjectFetchers(deps.clock);
    // A rate needs the zero before the first question.
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

  /** Whether some node has told that it has the object. */
  has(objectId: string): boolean {
    return this.#objects.has(objectId);
  }

  /** Whether an object is held on this node and on no other that is alive: it would be lost with the node. */
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

  /** The node registers: what it has is not known until it has told everything. */
  nodeRegistered(nodeId: string): void {
    this.#told.delete(nodeId);
  }

  /** The node has told everything: its first heartbeat follows the last slice. */
  nodeTold(nodeId: string): void {
    this.#told.add(nodeId);
    const objects = this.#objectsOfNode.get(nodeId);
    const orders = this.#orders.get(nodeId);
    for (const objectId of orders?.keys() ?? []) if (!objects?.has(objectId)) orders?.delete(objectId);
    this.#repeatOrders(nodeId);
  }

  /**
   * Waits up to waitMs until some node has it.
   * @param askingMs how long whoever asks has been asking already
   * @param fetcherId the node that asks because it is about to fetch it; empty: nobody is
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
    // Of what nobody has there is nothing to pass on.
    const isFetched = fetcherId !== "" && (addresses.length > 0 || this.#fetchers.has(objectId));
    const before = isFetched ? this.#fetchers.ask(objectId, fetcherId) : [];
    const fetchingAddresses = this.#alive(before).filter((address) => !addresses.includes(address));
    return { addresses, complete, sizeBytes, fetchingAddresses };
  }

  /** Of these, the ones that no node has that is alive or may come back. */
  missing(objectIds: readonly string[]): proto.MissingObjectsResponse.$Properties {
    return {
      objectIds: objectIds.filter((objectId) => !this.#objects.has(objectId)),
      complete: this.#untold().length === 0,
    };
  }

  /**
   * Ends the hold of one holder, or of all when holder is empty, wherever the objects are known to be.
   * @returns the nodes that may have them too: they have not told everything (DIRECTORY-6)
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

  /** What would be lost with the node: objects that are held there and nowhere else. */
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
    // A copy may be evicted before it is asked for.
    return [...held, ...copies];
  }

  /** Nodes of which it is not known what they have. */
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

  /** True when with it the last hold went. */
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

  /** DIRECTORY-3. Not remembered: a copy that stays makes room when room is needed. */
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
