/** The object part of a node: its store, the service over it, and its exchange with the head's directory. */

import { type Clock, delay } from "@palimpsest/std";
import type { Metrics } from "@palimpsest/telemetry";
import {
  headService,
  type Network,
  objectsService,
  PalimpsestError,
  type Peer,
  type RpcServer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ByteBudget } from "../base/byte-budget.js";
import type { ResolvedNodeConfig } from "../base/config.js";
import { memoryBytes } from "../base/machine.js";
import { ObjectBulkReader } from "../objects/bulk-reader.js";
import { ObjectDrain } from "../objects/object-drain.js";
import { existing } from "../objects/object-existence.js";
import { ObjectFetcher, type ObjectTransfer } from "../objects/object-fetch.js";
import { ObjectHolds } from "../objects/object-holds.js";
import { ObjectPins } from "../objects/object-pins.js";
import { ObjectRecoveries } from "../objects/object-recoveries.js";
import { ObjectReports } from "../objects/object-reports.js";
import type { OnMovedBytes } from "../objects/object-residence.js";
import { createObjectsHandlers } from "../objects/objects-service.js";
import { PeerPool } from "../objects/peer-pool.js";
import { chooseObjectFolder, type ObjectFolder } from "../objects/store/object-folder.js";
import { ObjectStore } from "../objects/store/object-store.js";

/** The milliseconds that are added to the time that the head itself may take to answer. */
const headSlackMs = 5_000;
/**
 * The timeout of one attempt to free objects at the head. A suspended head does not answer, and by the next attempt the
 * node may have found another one.
 */
const freeAttemptMs = 5_000;
/** The milliseconds for which a call that frees objects waits for a head, which is less than its caller waits. */
const freeLimitMs = 25_000;
const freeBackoffMs = 500;

export interface NodeObjectsDeps {
  readonly config: ResolvedNodeConfig;
  readonly metrics: Metrics;
  readonly network: Network;
  readonly clock: Clock;
  /** Told now and then why a value waits for room in the store. */
  readonly onWait?: (why: string) => void;
  /** Opens the store. Default: a store in memory or on disk, as chooseObjectFolder decides. */
  readonly openStore?: () => Promise<OpenedStore>;
}

interface OpenedStore {
  readonly store: ObjectStore;
  readonly folder: ObjectFolder;
}

/** The node's connections to the head. */
export interface HeadOfObjects {
  readonly head: () => Peer;
  /** Sends over the node's link. */
  readonly send: (report: proto.ObjectReport.$Properties) => void;
  readonly sendUse: (use: proto.ObjectUse.$Properties) => void;
  /** Sends the owner's answer about a lost result over the node's link. */
  readonly sendRecovered: (answer: proto.ObjectRecovered.$Properties) => void;
  /** Called when the transfer of an object from another node has ended, successfully or not. */
  readonly onTransfer?: (transfer: ObjectTransfer) => void;
}

interface NodeObjectsParts {
  readonly store: ObjectStore;
  readonly folder: ObjectFolder;
  readonly peers: PeerPool;
  readonly reports: ObjectReports;
  readonly holds: ObjectHolds;
  readonly drain: ObjectDrain;
  readonly recoveries: ObjectRecoveries;
  readonly server: RpcServer;
  readonly incoming: ByteBudget;
  readonly outgoing: ByteBudget;
  readonly metrics: Metrics;
  readonly attachment: { to: HeadOfObjects | undefined };
}

export class NodeObjects {
  /** host:port of the service. */
  readonly address: string;
  readonly #parts: NodeObjectsParts;

  private constructor(address: string, parts: NodeObjectsParts) {
    this.address = address;
    this.#parts = parts;
  }

  /** @throws {PalimpsestError} UNAVAILABLE when the port is taken */
  static async start(deps: NodeObjectsDeps): Promise<NodeObjects> {
    const { config, metrics, network, clock } = deps;
    const spilled = metrics.counter("palimpsest_node_objects_spilled_bytes_total");
    const restored = metrics.counter("palimpsest_node_objects_restored_bytes_total");
    const onSpill: OnMovedBytes = (direction, bytes) =>
      (direction === "spilled" ? spilled : restored).inc(bytes);
    const { store, folder } = await (deps.openStore?.() ?? openChosenStore(deps, onSpill));
    const moved = metrics.counter("palimpsest_node_objects_transferred_bytes_total");
    const onMoved = (direction: "in" | "out" | "adopted", bytes: number) => moved.inc({ direction }, bytes);
    const gone = metrics.counter("palimpsest_node_objects_gone_total");
    const peers = new PeerPool(network, clock);
    const incoming = new ByteBudget(config.objectTransferBytes);
    const outgoing = new ByteBudget(config.objectTransferBytes);
    const attachment: { to: HeadOfObjects | undefined } = { to: undefined };
    const head = () => {
      if (attachment.to) return attachment.to.head();
      throw new PalimpsestError("UNAVAILABLE", "the node is still starting: try again");
    };
    const reports = new ObjectReports({
      store,
      send: (report) => attachment.to?.send(report),
      clock,
      checkMs: config.objectHolderCheckMs,
      onGone: (cause) => gone.inc({ cause: cause.replace(" ", "_") }),
    });
    let address = "";
    const asking = {
      locate: (objectId: string, waitMs: number, askingMs: number) =>
        locate(head(), { objectId, waitMs, askingMs }),
      /** Finds the object as locate() does, and tells the head that this node is about to fetch it. */
      locateToFetch: (objectId: string, waitMs: number, askingMs: number) =>
        locate(head(), { objectId, waitMs, askingMs, nodeId: config.nodeId }),
      ownAddress: () => address,
      freeElsewhere: (objectIds: readonly string[], holder: string) =>
        freeAtHead(head, { objectIds: [...objectIds], holder }, clock),
    };
    const fetcher = new ObjectFetcher({
      ...{ store, peers, clock, ...asking, locate: asking.locateToFetch },
      connectBulk: network.connectBulk,
      budget: incoming,
      onReceived: (sizeBytes) => onMoved("in", sizeBytes),
      adopts: config.objectAdoption,
      onAdopted: (sizeBytes) => onMoved("adopted", sizeBytes),
      onTransfer: (transfer) => attachment.to?.onTransfer?.(transfer),
    });
    const holds = new ObjectHolds({
      ...{ store, clock, ...asking },
      use: (address, ask) => peers.use(address, ask),
    });
    const drain = new ObjectDrain({ store, use: (to, ask) => peers.use(to, ask) });
    const recoveries = new ObjectRecoveries({
      head,
      send: (answer) => attachment.to?.sendRecovered(answer),
    });
    const server = network.createServer();
    const handlers = createObjectsHandlers({
      ...{ store, fetcher, holds, clock, onMoved },
      freeElsewhere: asking.freeElsewhere,
      proof: folder.proof,
      budget: outgoing,
      bulk: server.serveBulk !== undefined,
      pins: new ObjectPins(clock),
      recoveries,
      existing: (objectIds) => existing(store, head, objectIds),
    });
    server.addService(objectsService, handlers);
    server.serveBulk?.(
      () =>
        new ObjectBulkReader({
          ...{ store, budget: outgoing },
          coming: (objectId, waitMs) => fetcher.coming(objectId, waitMs),
          onSent: (bytes) => onMoved("out", bytes),
        }),
    );
    const parts = {
      store,
      folder,
      peers,
      reports,
      holds,
      drain,
      recoveries,
      server,
      incoming,
      outgoing,
      metrics,
      attachment,
    };
    try {
      address = await server.listen(config.listenHost, config.objectsPort);
    } catch (reason) {
      await new NodeObjects("", parts).close();
      throw reason;
    }
    return new NodeObjects(address, parts);
  }

  /** The server of the object service, to which the standard services of this port are added too. */
  get server(): RpcServer {
    return this.#parts.server;
  }

  /** The folder of the objects' files. */
  get folder(): string {
    return this.#parts.store.folder;
  }

  /** Why objects are not in memory; empty if they are, or if the folder was configured. */
  get onDiskBecause(): string {
    return this.#parts.folder.onDiskBecause;
  }

  /** The number of bytes in the store, without spilled ones. */
  get storedBytes(): number {
    return this.#parts.store.residentBytes;
  }

  /** Connects it to the head. Until then nothing is reported to the head or requested from it. */
  attach(to: HeadOfObjects): void {
    this.#parts.attachment.to = to;
    this.#parts.store.quotas.connect(to.sendUse);
  }

  /** @param quotas whether the head has quotas of objects */
  registered(quotas: boolean): void {
    this.#parts.reports.registered();
    this.#parts.store.quotas.registered(quotas);
  }

  /** Carries out the parts of a message that concern objects. */
  receive({
    endedHolders,
    dropObjects,
    recoverObject,
    objectAllowance,
  }: proto.HeadMessage.$Properties): void {
    if (endedHolders) this.#parts.reports.endedHolders(endedHolders);
    else if (recoverObject) this.#parts.recoveries.wanted(recoverObject);
    else if (objectAllowance) this.#parts.store.quotas.allowed(objectAllowance);
    else if (dropObjects) this.#parts.reports.drop(dropObjects);
  }

  /** Makes other nodes take over the objects with a lease here. */
  drain(addresses: readonly string[]): Promise<void> {
    return this.#parts.drain.run(addresses);
  }

  measure(): void {
    const { store, folder, metrics, incoming, outgoing } = this.#parts;
    const { place } = folder;
    store.quotas.beat();
    metrics.gauge("palimpsest_node_objects").set({ place }, store.size);
    metrics.gauge("palimpsest_node_objects_bytes").set({ place }, store.residentBytes);
    metrics.gauge("palimpsest_node_objects_bytes").set({ place: "spilled" }, store.spilledBytes);
    metrics.gauge("palimpsest_node_object_copies_bytes").set(store.copyBytes);
    metrics.gauge("palimpsest_node_object_holders").set(store.holders().length);
    for (const [direction, budget] of [
      ["in", incoming],
      ["out", outgoing],
    ] as const) {
      metrics.gauge("palimpsest_node_object_transfer_bytes").set({ direction }, budget.taken);
      metrics.gauge("palimpsest_node_object_transfers_waiting").set({ direction }, budget.waiting);
    }
  }

  async close(): Promise<void> {
    const { peers, reports, holds, server, store, folder } = this.#parts;
    reports.close();
    holds.close();
    peers.close();
    await server.close();
    await store.close();
    await folder.close();
  }
}

async function openChosenStore(
  { config, clock, onWait }: NodeObjectsDeps,
  onMoved: OnMovedBytes,
): Promise<OpenedStore> {
  const folder = await chooseObjectFolder({
    nodeId: config.nodeId,
    dataDir: config.dataDir,
    preferred: config.objectStoreDir,
    maxBytes: config.objectStoreBytes,
    maxSpillBytes: config.objectSpillBytes,
    memoryBytes: config.memoryBytes ?? memoryBytes(),
    clock,
  });
  const { maxBytes, spill } = folder;
  const inMemory = folder.place === "memory";
  const watched = { clock, onMoved, onWait };
  const store = await ObjectStore.open({ folder: folder.folder, inMemory, maxBytes, spill, ...watched });
  return { store, folder };
}

async function locate(
  head: Peer,
  question: proto.LocateObjectRequest.$Properties & { readonly waitMs: number },
) {
  const timeoutMs = question.waitMs + headSlackMs;
  const answer = await head.unary(headService.locateObject, question, { timeoutMs });
  const { addresses, fetchingAddresses, complete } = answer;
  return { addresses: addresses ?? [], fetching: fetchingAddresses ?? [], complete: complete ?? false };
}

/** @throws {PalimpsestError} UNAVAILABLE if no head that knows every node's objects answered within freeLimitMs */
async function freeAtHead(
  head: () => Peer,
  request: proto.FreeObjectsRequest.$Properties,
  clock: Clock,
): Promise<void> {
  const deadlineAt = clock.monotonicMs() + freeLimitMs;
  for (;;) {
    try {
      await head().unary(headService.freeObjects, request, { timeoutMs: freeAttemptMs });
      return;
    } catch (reason) {
      const { code, rawMessage } = PalimpsestError.from(reason);
      if (code !== "UNAVAILABLE" && code !== "GET_TIMEOUT") throw reason;
      if (clock.monotonicMs() >= deadlineAt)
        throw new PalimpsestError(
          "UNAVAILABLE",
          `not freed everywhere within ${freeLimitMs} ms: ${rawMessage}`,
        );
    }
    await delay(freeBackoffMs, undefined, clock);
  }
}
