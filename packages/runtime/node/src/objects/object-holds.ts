/**
 * Responsibility: leases on values for programs of this machine, wherever the values are, and leases on the objects
 * that values refer to.
 * Not responsible for: streams (object-link.ts), or bytes.
 *
 * A lease is taken where the value is, without copying it. If that is another node, that node is asked to.
 *
 * Invariants:
 * - HOLDS-1. The objects that a value refers to are leased as long as the value exists, and from before it is stored.
 * - HOLDS-2. A release that could not be sent to another node is repeated until it is, or until its owner has ended.
 *   It is answered once it was sent: if this node ends before, its program repeats it to the next one.
 * - HOLDS-3. An object whose location cannot be looked up is not missing: while the head, or a node that may have the
 *   value, is away, a lease is retried for `holdLimitMs` and then fails with UNAVAILABLE.
 * - HOLDS-4. A lease is ended where it was taken: by the node that has it, if this one remembers which, because the
 *   head may not know of it yet; and on this node and elsewhere, if a program that came back may have leases on both.
 * - HOLDS-5. An order to take leases ends when each of them is taken, missing or given up, whatever happens to the
 *   others, and a node that was asked for a lease is told of its release, whether it answered or not. No lease is taken
 *   after its release.
 */
import { type Clock, delay } from "@palimpsest/std";
import { fromGrpcError, OldestFirstMap, objectsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import { LeasePlaces } from "../base/lease-places.js";
import type { ObjectPlaces } from "./object-fetch.js";
import type { ObjectStore } from "./store/object-store.js";
import { type DropCause, holderOfContained, type StoreWatcher } from "./store/stored-object.js";

const holdTimeoutMs = 10_000;
const locateWaitMs = 1_000;
const retryMs = 5_000;
/** The milliseconds for which a lease is retried, which is less than a program waits for the answer to its order. */
const holdLimitMs = 20_000;
const holdBackoffMs = 200;
const maxAtOnce = 10_000;
/**
 * The maximum number of one owner's releases that wait to be sent. Beyond it the oldest are left to the end of their
 * owner.
 */
const maxUntold = 100_000;
const freeTimeoutMs = 30_000;

/** The objects released by one order. */
interface Release {
  /** The number of its objects that still have to be released elsewhere. */
  left: number;
  readonly told: () => void;
}

interface Telling {
  readonly holder: string;
  readonly objectIds: ReadonlySet<string>;
  readonly done: Promise<void>;
}

const nothingTold: Telling = { holder: "", objectIds: new Set(), done: Promise.resolve() };

export interface ObjectHoldsDeps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** Asks the head for an object's locations. */
  readonly locate: (
    objectId: string,
    waitMs: number,
    askingMs: number,
  ) => Promise<Pick<ObjectPlaces, "addresses" | "complete">>;
  /** host:port of this node's own service. */
  readonly ownAddress: () => string;
  readonly use: <T>(address: string, ask: (peer: Peer) => Promise<T>) => Promise<T>;
  /** Makes the head release them on the other nodes. */
  readonly freeElsewhere: (objectIds: readonly string[], holder: string) => Promise<void>;
}

export class ObjectHolds implements StoreWatcher {
  readonly #deps: ObjectHoldsDeps;
  /** The objects with leases elsewhere that each value stored here refers to. */
  readonly #containing = new Map<string, readonly string[]>();
  readonly #heldAt = new LeasePlaces();
  /** Objects of this node, and the owners that may have leases on them on other nodes too. */
  readonly #heldTwice = new Map<string, Set<string>>();
  /**
   * Values that are gone and whose content is released next. A queue instead of recursion, because values may be
   * deeply nested.
   */
  readonly #gone: string[] = [];
  /** The releases that have to be sent elsewhere, by owner, each with the order that it belongs to. */
  readonly #untold = new Map<string, OldestFirstMap<string, Release>>();
  /** The release that is being sent; undefined if none is. */
  #telling: Telling | undefined;
  #closed = false;

  constructor(deps: ObjectHoldsDeps) {
    this.#deps = deps;
    deps.store.watch(this);
  }

  /**
   * Takes leases on all objects that exist. @returns those that no node has @throws {PalimpsestError} UNAVAILABLE
   * (HOLDS-3)
   */
  async hold(objectIds: readonly string[], holder: string): Promise<readonly string[]> {
    return (await this.#hold(objectIds, holder)).missing;
  }

  /**
   * Ends one owner's leases; those on this node end at once. Resolves when the other nodes have been told (HOLDS-2).
   */
  release(objectIds: readonly string[], holder: string): Promise<void> {
    const elsewhere = objectIds.filter((objectId) => {
      const isTwice = this.#heldTwice.get(objectId)?.delete(holder) ?? false;
      const isElsewhere = isTwice || this.#heldAt.has(objectId, holder);
      return !this.#deps.store.drop({ objectId, holder }) || isElsewhere;
    });
    return this.#tellElsewhere(elsewhere, holder);
  }

  /**
   * Takes leases on the objects that a returning program names. Objects that this node keeps for others are leased
   * for it as well.
   */
  holdNamed(objectIds: Iterable<string>, holder: string): void {
    const { store } = this.#deps;
    const known = new Set(store.heldBy(holder));
    for (const objectId of objectIds) {
      // A mere copy may be evicted, so the lease is taken where the object is kept.
      if (known.has(objectId) || !store.isHeld(objectId)) continue;
      store.hold(objectId, holder);
      const holders = this.#heldTwice.get(objectId) ?? new Set();
      this.#heldTwice.set(objectId, holders.add(holder));
    }
  }

  /**
   * Leases the objects that a value refers to. It must be called before the value is stored (HOLDS-1).
   * @throws {PalimpsestError} OBJECT_LOST
   */
  async holdContained(objectId: string, contained: readonly string[]): Promise<void> {
    if (contained.length === 0) return;
    const { missing, elsewhere } = await this.#hold(contained, holderOfContained(objectId));
    this.#containing.set(objectId, elsewhere);
    const [lost] = missing;
    if (lost === undefined) return;
    this.letGoOfContained(objectId);
    throw new PalimpsestError("OBJECT_LOST", `object ${lost}, to which the value refers, is not available`, {
      details: { objectId: lost },
    });
  }

  /**
   * Releases the content of a value that was not stored after all, or is gone. Copies of other nodes' values have no
   * leases on their content.
   */
  letGoOfContained(objectId: string): void {
    this.#gone.push(objectId);
    if (this.#gone.length > 1) return;
    for (let next = this.#gone[0]; next !== undefined; next = this.#gone[0]) {
      const elsewhere = this.#containing.get(next);
      if (elsewhere !== undefined) {
        this.#containing.delete(next);
        const holder = holderOfContained(next);
        this.#deps.store.release(holder);
        void this.#tellElsewhere(elsewhere, holder);
      }
      this.#gone.shift();
    }
  }

  present(): void {}

  gone(objectId: string, _cause: DropCause): void {
    this.#heldTwice.delete(objectId);
    this.letGoOfContained(objectId);
  }

  newHolder(): void {}

  close(): void {
    this.#closed = true;
    this.#untold.clear();
  }

  async #hold(objectIds: readonly string[], holder: string) {
    const { store } = this.#deps;
    const away: string[] = [];
    // A release of these objects that is being sent to the head would end the new lease as well.
    const telling = this.#telling;
    if (telling?.holder === holder && objectIds.some((objectId) => telling.objectIds.has(objectId)))
      await telling.done;
    for (const objectId of objectIds) {
      this.#forgetUntold(objectId, holder);
      // A mere copy may be evicted, so the lease is taken where the object is kept.
      if (store.isHeld(objectId)) store.hold(objectId, holder);
      else away.push(objectId);
    }
    const taken = await this.#holdTogether(away, holder);
    const ends = await Promise.allSettled(
      away.map((objectId) => taken.has(objectId) || this.#holdElsewhere(objectId, holder)),
    );
    // Nothing is thrown before all have ended, because a release that follows must find every lease that was taken
    // (HOLDS-5).
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    const found = ends.map((end) => end.status === "fulfilled" && end.value);
    return {
      elsewhere: away.filter((_, index) => found[index]),
      missing: away.filter((_, index) => !found[index]),
    };
  }

  /**
   * Takes leases with one request to each node that has some of the objects.
   * @returns those that were taken; the others are looked for one by one
   */
  async #holdTogether(objectIds: readonly string[], holder: string): Promise<ReadonlySet<string>> {
    const taken = new Set<string>();
    if (objectIds.length < 2) return taken;
    const { locate, ownAddress, use } = this.#deps;
    const byAddress = new Map<string, string[]>();
    const find = async (objectId: string) => {
      const [address] = (await locate(objectId, locateWaitMs, 0)).addresses;
      if (address === undefined || address === ownAddress()) return;
      const ids = byAddress.get(address) ?? [];
      byAddress.set(address, ids);
      ids.push(objectId);
    };
    const take = async (address: string, ids: readonly string[]) => {
      for (const objectId of ids) this.#heldAt.remember(objectId, holder, address);
      const request = { objectIds: ids.map((objectId) => Buffer.from(objectId, "hex")), holder };
      const { missing } = await use(address, (peer) =>
        peer.unary(objectsService.hold, request, { timeoutMs: holdTimeoutMs }),
      );
      for (const objectId of ids) taken.add(objectId);
      for (const bytes of missing ?? []) {
        const objectId = Buffer.from(bytes).toString("hex");
        taken.delete(objectId);
        this.#heldAt.forget(objectId, holder, address);
      }
    };
    await Promise.allSettled(objectIds.map(find));
    await Promise.allSettled([...byAddress].map(([address, ids]) => take(address, ids)));
    return taken;
  }

  /** Resolves to false if no node has it. @throws {PalimpsestError} UNAVAILABLE (HOLDS-3) */
  async #holdElsewhere(objectId: string, holder: string): Promise<boolean> {
    const { clock } = this.#deps;
    const beganMs = clock.monotonicMs();
    for (;;) {
      const askingMs = Math.floor(clock.monotonicMs() - beganMs);
      try {
        return await this.#tryToHold(objectId, holder, askingMs);
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        if (!error.retryable || this.#closed || askingMs >= holdLimitMs) throw error;
      }
      await delay(holdBackoffMs, undefined, clock);
    }
  }

  async #tryToHold(objectId: string, holder: string, askingMs: number): Promise<boolean> {
    const { locate, ownAddress, use, store } = this.#deps;
    const { addresses, complete } = await locate(objectId, locateWaitMs, askingMs);
    const request = { objectIds: [Buffer.from(objectId, "hex")], holder };
    let unasked = complete ? undefined : "a node that may have it is away";
    for (const address of addresses) {
      if (address === ownAddress()) {
        if (store.find(objectId) === undefined) continue;
        store.hold(objectId, holder);
        return true;
      }
      const ask = (peer: Peer) => peer.unary(objectsService.hold, request, { timeoutMs: holdTimeoutMs });
      // A node that does not answer in time may take the lease all the same (HOLDS-5).
      this.#heldAt.remember(objectId, holder, address);
      try {
        const { missing } = await use(address, ask);
        if ((missing ?? []).length === 0) return true;
        this.#heldAt.forget(objectId, holder, address);
      } catch (reason) {
        unasked = fromGrpcError(reason).rawMessage;
      }
    }
    if (unasked === undefined) return false;
    throw new PalimpsestError("UNAVAILABLE", `object ${objectId} cannot be leased now: ${unasked}`);
  }

  #tellElsewhere(objectIds: readonly string[], holder: string): Promise<void> {
    if (objectIds.length === 0 || this.#closed) return Promise.resolve();
    const done = new Promise<void>((told) => this.#remember(objectIds, holder, { left: 0, told }));
    if (this.#telling === undefined) {
      this.#telling = nothingTold;
      void this.#tell();
    }
    return done;
  }

  #remember(objectIds: Iterable<string>, holder: string, release: Release): void {
    const untold = this.#untold.get(holder) ?? new OldestFirstMap<string, Release>();
    this.#untold.set(holder, untold);
    for (const objectId of objectIds) {
      const before = untold.get(objectId);
      untold.set(objectId, release);
      release.left++;
      if (before) countDown(before);
    }
    while (untold.size > maxUntold) {
      const { oldest } = untold;
      if (oldest === undefined) break;
      this.#forgetUntold(oldest, holder);
    }
  }

  #forgetUntold(objectId: string, holder: string): void {
    const untold = this.#untold.get(holder);
    const release = untold?.get(objectId);
    if (untold === undefined || release === undefined) return;
    untold.delete(objectId);
    if (untold.size === 0) this.#untold.delete(holder);
    countDown(release);
  }

  /** HOLDS-2 */
  async #tell(): Promise<void> {
    while (!this.#closed) {
      const [next] = this.#untold;
      if (next === undefined) break;
      const [holder, untold] = next;
      const batch = [...untold].slice(0, maxAtOnce);
      const objectIds = new Set(batch.map(([objectId]) => objectId));
      const telling = this.#tellBatch([...objectIds], holder);
      this.#telling = { holder, objectIds, done: telling.then(() => undefined) };
      const isTold = await telling;
      this.#telling = nothingTold;
      if (!isTold) {
        await new Promise<void>((resolve) => this.#deps.clock.after(retryMs, resolve));
        continue;
      }
      // If a new lease was taken and released in the meantime, the release is sent again.
      for (const [objectId, release] of batch)
        if (untold.get(objectId) === release) this.#forgetUntold(objectId, holder);
    }
    this.#telling = undefined;
  }

  /** Resolves to false if it must be repeated. */
  async #tellBatch(objectIds: readonly string[], holder: string): Promise<boolean> {
    try {
      const others = await this.#tellWhereHeld(objectIds, holder);
      if (others.length > 0) await this.#deps.freeElsewhere(others, holder);
      return true;
    } catch (reason) {
      return !PalimpsestError.from(reason).retryable;
    }
  }

  /**
   * Tells the nodes that have the leases, which tell the head. The head may not know of a lease that was taken just
   * now, and would not end it.
   * @returns objects whose lease location is not known, or whose node does not answer
   */
  async #tellWhereHeld(objectIds: readonly string[], holder: string): Promise<readonly string[]> {
    const byAddress = new Map<string, string[]>();
    const others: string[] = [];
    for (const objectId of objectIds) {
      const addresses = this.#heldAt.take(objectId, holder);
      if (addresses.length === 0) others.push(objectId);
      for (const address of addresses) {
        const ids = byAddress.get(address) ?? [];
        byAddress.set(address, ids);
        ids.push(objectId);
      }
    }
    const tell = async (address: string, ids: string[]) => {
      const request = { objectIds: ids, holder };
      const settings = { timeoutMs: freeTimeoutMs };
      try {
        await this.#deps.use(address, (peer) => peer.unary(objectsService.free, request, settings));
      } catch {
        others.push(...ids);
      }
    };
    await Promise.all([...byAddress].map(([address, ids]) => tell(address, ids)));
    return others;
  }
}

function countDown(release: Release): void {
  release.left--;
  if (release.left === 0) release.told();
}
