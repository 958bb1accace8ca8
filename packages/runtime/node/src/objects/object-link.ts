/**
 * Responsibility: one program's stream of orders about values: store, write into shared memory, read, lease and
 * release.
 * Not responsible for: the store, or leases on other nodes (object-holds.ts).
 *
 * Invariants:
 * - OBJECTLINK-1. The first order is hello. Leases of its owner that hello does not list are released, and those that
 *   it lists are taken, to make up for orders that were given while there was no stream.
 * - OBJECTLINK-2. Orders to lease and to release one object are carried out one after another, in their order. Orders
 *   about other objects do not wait for them, because a lease may take until the head has answered.
 * - OBJECTLINK-3. Room that was reserved and not sealed when the stream ends is discarded.
 * - OBJECTLINK-4. A program names objects by their ids. Paths are made here, and no path from a program is opened.
 */
import { errorToProto, isObjectId, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { IdTurns } from "../base/id-turns.js";
import { AnswerWriter, type LinkStream } from "./answer-writer.js";
import type { ObjectFetcher } from "./object-fetch.js";
import type { ObjectHolds } from "./object-holds.js";
import type { ObjectPins, PinningProgram } from "./object-pins.js";
import type { ObjectRecoveries, RecoveringProgram } from "./object-recoveries.js";
import type { ObjectStore } from "./store/object-store.js";
import type { SharedWrite } from "./store/shared-write.js";
import { isValueId, type StoredObject } from "./store/stored-object.js";

/** Values up to this size are sent in orders and answers, because opening a file takes longer. */
const smallBytes = 100 * 1024;
const maxIds = 100_000;
/** The maximum number of leases that a returning program names at once, which is as many as fit into a message. */
const maxHeld = 1_000_000;

export interface ObjectLinkDeps {
  readonly store: ObjectStore;
  readonly fetcher: ObjectFetcher;
  readonly holds: ObjectHolds;
  readonly proof: { readonly path: string; readonly text: string };
  /** Returns which of the objects exist on some node. */
  readonly existing: (objectIds: readonly string[]) => Promise<readonly string[]>;
  /** Asks the programs of this node's streams which objects their calls refer to. */
  readonly pins: ObjectPins;
  /** Forwards programs' requests to recompute lost results. */
  readonly recoveries: ObjectRecoveries;
}

/** Serves a program until its stream ends. */
export function serveLink(deps: ObjectLinkDeps, stream: LinkStream): void {
  const link = new ObjectLink(deps, stream);
  stream.on("data", ({ orders }: proto.ObjectOrders.$Properties) => link.take(orders ?? []));
  deps.pins.add(link);
  deps.recoveries.add(link);
  const unwatch = deps.store.onUnmap(() => link.askToUnmap());
  const leave = () => {
    unwatch();
    deps.pins.delete(link);
    deps.recoveries.delete(link);
    void link.end();
  };
  stream.on("cancelled", leave);
  stream.on("error", leave);
  stream.on("end", () => {
    leave();
    stream.end();
  });
}

type Answer = (answer: proto.ObjectAnswer.$Properties, onTaken?: () => void) => void;

class ObjectLink implements PinningProgram, RecoveringProgram {
  readonly #deps: ObjectLinkDeps;
  readonly #answers: AnswerWriter;
  readonly #reserved = new Map<string, SharedWrite>();
  /** Values that wait for room and have not been withdrawn. */
  readonly #reserving = new Set<string>();
  #holder = "";
  /** OBJECTLINK-2 */
  readonly #turns = new IdTurns();
  readonly #end = new AbortController();

  constructor(deps: ObjectLinkDeps, stream: LinkStream) {
    this.#deps = deps;
    this.#answers = new AnswerWriter(stream);
  }

  take(orders: readonly proto.ObjectOrder.$Properties[]): void {
    for (const order of orders) {
      const orderId = order.orderId ?? 0;
      this.#carryOut(order, (answer, onTaken) => this.#answers.post({ ...answer, orderId }, onTaken)).catch(
        (reason: unknown) => this.#answers.post({ orderId, error: errorToProto(reason) }),
      );
    }
  }

  get holder(): string {
    return this.#holder;
  }

  askPins(): void {
    if (this.#holder !== "") this.#answers.post({ tellPins: true });
  }

  askToUnmap(): void {
    if (this.#holder !== "") this.#answers.post({ unmapUnused: true });
  }

  askRecovery(recover: proto.RecoveryRequest.$Properties): void {
    this.#answers.post({ recover });
  }

  /** OBJECTLINK-3 */
  async end(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.#answers.close();
    if (this.#holder !== "") this.#deps.store.quotas.closed(this.#holder);
    await Promise.allSettled([...this.#reserved.values()].map((write) => write.abort()));
  }

  async #carryOut(order: proto.ObjectOrder.$Properties, answer: Answer): Promise<void> {
    if (order.find && this.#holder !== "") await this.#find(order.find, answer);
    else answer(await this.#done(order));
  }

  async #done(order: proto.ObjectOrder.$Properties): Promise<proto.ObjectAnswer.$Properties> {
    if (order.hello) return this.#hello(order.hello);
    if (this.#holder === "") throw new PalimpsestError("INVALID_ARGUMENT", "the first order is not hello");
    if (order.store) return await this.#store(order.store);
    if (order.reserve) return await this.#reserve(order.reserve);
    if (order.seal) return await this.#seal(order.seal);
    if (order.abandon) return await this.#abandon(valueIdOf(order.abandon));
    if (order.hold) {
      const objectIds = idsOf(order.hold);
      const missing = await this.#turns.next(objectIds, () => this.#deps.holds.hold(objectIds, this.#holder));
      return { objectIds: missing.map((objectId) => Buffer.from(objectId, "hex")) };
    }
    const letGo = order.release ?? order.withdraw;
    if (letGo) {
      const objectIds = idsOf(letGo);
      for (const objectId of objectIds)
        if (order.withdraw) this.#deps.store.withdraw(objectId);
        else this.#deps.store.released(objectId, this.#holder);
      // Its turn ends when the leases on this node have ended; the next order need not wait for other nodes.
      const { told } = await this.#turns.next(objectIds, async () => ({
        told: this.#deps.holds.release(objectIds, this.#holder),
      }));
      await told;
      return {};
    }
    if (order.pinned) {
      this.#deps.pins.told(this, idsOf(order.pinned));
      return {};
    }
    if (order.recover)
      return { recovery: await this.#deps.recoveries.ask(valueIdOf(order.recover.objectId), order.recover) };
    if (order.recovered) {
      this.#deps.recoveries.answered(order.recovered);
      return {};
    }
    if (order.exist) {
      const existing = await this.#deps.existing(idsOf(order.exist));
      return { objectIds: existing.map((objectId) => Buffer.from(objectId, "hex")) };
    }
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "the order is of an unknown kind: the program uses another version of Palimpsest",
    );
  }

  /** OBJECTLINK-1 */
  #hello({ holder, ...held }: proto.LinkHello.$Properties): proto.ObjectAnswer.$Properties {
    if (!holder)
      throw new PalimpsestError("INVALID_ARGUMENT", "holder is empty: give the id of the leases' owner");
    const named = new Set(idsOf(held, maxHeld));
    const { store, proof, holds } = this.#deps;
    store.quotas.opened(holder);
    if (this.#holder !== "") store.quotas.closed(this.#holder);
    this.#holder = holder;
    const forgotten = store.heldBy(holder).filter((objectId) => isValueId(objectId) && !named.has(objectId));
    void holds.release(forgotten, holder);
    holds.holdNamed(named, holder);
    const mapped = store.isMappable ? { storePath: store.folder, aheadBytes: store.maxAheadBytes } : {};
    return { proofPath: proof.path, proof: proof.text, ...mapped };
  }

  async #store({ objectId, data, contains }: proto.StoreValue.$Properties) {
    const valueId = valueIdOf(objectId);
    const bytes = data ?? new Uint8Array();
    if (bytes.byteLength > smallBytes)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `data has ${bytes.byteLength} bytes, more than ${smallBytes}: reserve room for the value and seal it, or put it`,
      );
    const keep = () => this.#deps.store.keepSmall(valueId, bytes, this.#holder, this.#end.signal);
    await this.#withContained(valueId, contains, keep);
    return {};
  }

  async #reserve({ objectId, sizeBytes, ahead }: proto.ReserveValue.$Properties) {
    const valueId = valueIdOf(objectId);
    if (this.#reserved.has(valueId) || this.#reserving.has(valueId))
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `object ${valueId} is being written over this stream already`,
      );
    this.#reserving.add(valueId);
    const { store } = this.#deps;
    const reserving = ahead
      ? store.reserveAhead(sizeBytes ?? 0, this.#holder, valueId)
      : store.reserve(sizeBytes ?? 0, this.#holder, valueId, this.#end.signal);
    const write = await reserving.catch((reason) => {
      this.#reserving.delete(valueId);
      throw reason;
    });
    if (write === undefined) {
      this.#reserving.delete(valueId);
      return { info: { objectId: valueId, sizeBytes: sizeBytes ?? 0 } };
    }
    if (this.#reserving.delete(valueId) && !this.#end.signal.aborted) this.#reserved.set(valueId, write);
    else await write.abort();
    return { info: { objectId: valueId, sizeBytes: sizeBytes ?? 0, path: write.path } };
  }

  async #seal({ objectId, contains }: proto.SealValue.$Properties) {
    const valueId = valueIdOf(objectId);
    const write = this.#reserved.get(valueId);
    if (write === undefined)
      throw new PalimpsestError(
        "NOT_FOUND",
        `object ${valueId} was not reserved over this stream: reserve it first`,
      );
    this.#reserved.delete(valueId);
    try {
      // A program that does not wait for the answer may release the value at once.
      const sealing = write.seal.bind(write);
      await this.#withContained(valueId, contains, () => this.#turns.next([valueId], sealing));
    } finally {
      await write.abort();
    }
    return {};
  }

  async #abandon(valueId: string) {
    const write = this.#reserved.get(valueId);
    this.#reserved.delete(valueId);
    this.#reserving.delete(valueId);
    await write?.abort();
    return {};
  }

  async #find({ objectId, remote }: proto.FindValue.$Properties, answer: Answer): Promise<void> {
    const id = idOf(objectId);
    const { store, fetcher } = this.#deps;
    for (;;) {
      const { sizeBytes, path } = await fetcher.fetch(id, "");
      const info = { objectId: id, sizeBytes, path: remote ? "" : path };
      if (sizeBytes > smallBytes) {
        answer({ info });
        return;
      }
      const giveBack = await this.#answers.room(sizeBytes);
      try {
        answer({ info, data: store.smallBytes(id) ?? (await readWhole(store, store.get(id))) }, giveBack);
        return;
      } catch (reason) {
        giveBack();
        // It was freed since it was fetched. It is fetched again, and is lost if no other node has it either.
        if (PalimpsestError.from(reason).code !== "NOT_FOUND") throw reason;
      }
    }
  }

  /** Stores a value after leases on the objects that it refers to have been taken. */
  async #withContained(
    valueId: string,
    contains: Uint8Array[] | null | undefined,
    store: () => Promise<unknown>,
  ): Promise<void> {
    const contained = idsOf({ objectIds: contains ?? [] });
    // This runs in turn, so that the program's later releases of these objects do not overtake the lease.
    if (contained.length > 0)
      await this.#turns.next(contained, () => this.#deps.holds.holdContained(valueId, contained));
    try {
      await store();
    } catch (reason) {
      if (this.#deps.store.find(valueId) === undefined) this.#deps.holds.letGoOfContained(valueId);
      throw reason;
    }
  }
}

async function readWhole(store: ObjectStore, { objectId, sizeBytes }: StoredObject): Promise<Uint8Array> {
  const { open, done } = store.read(objectId);
  try {
    const file = await open();
    try {
      const bytes = Buffer.allocUnsafe(sizeBytes);
      for (let at = 0; at < sizeBytes; ) {
        const { bytesRead } = await file.read(bytes, at, sizeBytes - at, at);
        if (bytesRead === 0)
          throw new PalimpsestError("OBJECT_LOST", `the file of object ${objectId} was truncated`);
        at += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  } finally {
    done();
  }
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
export function idsOf({ objectIds }: proto.ObjectIds.$Properties, limit = maxIds): string[] {
  const ids = objectIds ?? [];
  if (ids.length <= limit) return ids.map(idOf);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `object_ids has ${ids.length} entries: give at most ${limit}`,
  );
}

function idOf(bytes: Uint8Array | null | undefined): string {
  const objectId = Buffer.from(bytes ?? []).toString("hex");
  if (isObjectId(objectId)) return objectId;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `object_id has ${bytes?.byteLength ?? 0} bytes, not 20 or 32`,
  );
}

/** @throws {PalimpsestError} INVALID_ARGUMENT */
export function valueIdOf(bytes: Uint8Array | null | undefined): string {
  const objectId = idOf(bytes);
  if (isValueId(objectId)) return objectId;
  throw new PalimpsestError("INVALID_ARGUMENT", "object_id has 32 bytes: the name of a value has 20");
}
