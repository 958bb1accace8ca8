/**
 * Responsibility: holds of values for programs of this machine, wherever the values lie, and of what values refer to.
 * Not responsible for: streams (object-link.ts), bytes.
 *
 * A value is held where it lies: nothing is copied for it. Where that is another node, it is asked to.
 *
 * Invariants:
 * - HOLDS-1. What a value refers to is held as long as the value is there, and is held before the value is.
 * - HOLDS-2. A release that could not be told elsewhere is told again until it is, or its holder has ended; it is answered
 *   when it is told: what this node has not told yet when it ends, its program tells the next one.
 * - HOLDS-3. What cannot be asked is not missing: while the head is away, or a node that may have the value, a hold is
 *   tried for `holdLimitMs`, and fails with UNAVAILABLE then.
 * - HOLDS-4. A hold is ended where it was made: by the node that has it, where this one remembers which, since the head may
 *   not have heard of it yet; and on this node and elsewhere, where a program that came back may be held for on both.
 */
import {
  type Clock,
  delay,
  fromGrpcError,
  OldestFirstMap,
  objectsService,
  PalimpsestError,
  type Peer,
} from "@palimpsest/wire";
import type { ObjectPlaces } from "./object-fetch.js";
import type { ObjectStore } from "./object-store.js";
import { type DropCause, holderOfContained, type StoreWatcher } from "./stored-object.js";

const holdTimeoutMs = 10_000;
const locateWaitMs = 1_000;
const retryMs = 5_000;
/** Less than a program waits for the answer to its order. */
const holdLimitMs = 20_000;
const holdBackoffMs = 200;
const maxAtOnce = 10_000;
/** Releases of one holder that wait to be told elsewhere; above it the oldest are left to the end of their holder. */
const maxUntold = 100_000;

/** Holds on other nodes of which this one remembers where they are: of the others the head is asked. */
const maxHeldAt = 100_000;
const freeTimeoutMs = 30_000;

/** What was let go with one order. */
interface Release {
  /** Of its objects, those that are to be told elsewhere still. */
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
  /** Asks the head. */
  readonly locate: (
    objectId: string,
    waitMs: number,
    askingMs: number,
  ) => Promise<Pick<ObjectPlaces, "addresses" | "complete">>;
  /** host:port of this node's own service. */
  readonly ownAddress: () => string;
  readonly use: <T>(address: string, ask: (peer: Peer) => Promise<T>) => Promise<T>;
  /** Has the head free them on the other nodes. */
  readonly freeElsewhere: (objectIds: readonly string[], holder: string) => Promise<void>;
}

export class ObjectHolds implements StoreWatcher {
  readonly #deps: ObjectHoldsDeps;
  /** Of the values that were stored here and refer to others: what of those is held elsewhere. */
  readonly #containing = new Map<string, readonly string[]>();
  /** Where other nodes hold something, by holder and object. */
  readonly #heldAt = new OldestFirstMap<string, string>();
  /** Objects of this node, and holders for which they may be held elsewhere, too. */
  readonly #heldTwice = new Map<string, Set<string>>();
  /** Values that are gone, and whose contents are let go next: values may be nested deeply. */
  readonly #gone: string[] = [];
  /** By holder: what is to be told elsewhere, each with the release that it belongs to. */
  readonly #untold = new Map<string, OldestFirstMap<string, Release>>();
  /** What is being told at the moment; undefined: nothing waits to be. */
  #telling: Telling | undefined;
  #closed = false;

  constructor(deps: ObjectHoldsDeps) {
    this.#deps = deps;
    deps.store.watch(this);
  }

  /** Holds what can be had. @returns what no node has @throws {PalimpsestError} UNAVAILABLE (HOLDS-3) */
  async hold(objectIds: readonly string[], holder: string): Promise<readonly string[]> {
    return (await this.#hold(objectIds, holder)).missing;
  }

  /** Ends holds of one holder: at once those of this node. Settles when the others are told (HOLDS-2). */
  release(objectIds: readonly string[], holder: string): Promise<void> {
    const elsewhere = objectIds.filter((objectId) => {
      const isTwice = this.#heldTwice.get(objectId)?.delete(holder) ?? false;
      return !this.#deps.store.drop({ objectId, holder }) || isTwice;
    });
    return this.#tellElsewhere(elsewhere, holder);
  }

  /** A program that comes back names what it holds. What is kept on this node for others is held for it as well. */
  holdNamed(objectIds: Iterable<string>, holder: string): void {
    const { store } = this.#deps;
    const known = new Set(store.heldBy(holder));
    for (const objectId of objectIds) {
      // A mere copy makes room for others: the object is held where it is kept.
      if (known.has(objectId) || !store.isHeld(objectId)) continue;
      store.hold(objectId, holder);
      const holders = this.#heldTwice.get(objectId) ?? new Set();
      this.#heldTwice.set(objectId, holders.add(holder));
    }
  }

  /** Before an object is stored whose value refers to these (HOLDS-1). @throws {PalimpsestError} OBJECT_LOST */
  async holdContained(objectId: string, contained: readonly string[]): Promise<void> {
    if (contained.length === 0) return;
    const { missing, elsewhere } = await this.#hold(contained, holderOfContained(objectId));
    this.#containing.set(objectId, elsewhere);
    const [lost] = missing;
    if (lost === undefined) return;
    this.letGoOfContained(objectId);
    throw new PalimpsestError("OBJECT_LOST", `object ${lost}, which the value refers to, cannot be had`, {
      details: { objectId: lost },
    });
  }

  /** The object is not stored after all, or gone. Copies of other nodes' objects hold nothing. */
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
    // What the head is just told to end would end the new hold as well.
    const telling = this.#telling;
    if (telling?.holder === holder && objectIds.some((objectId) => telling.objectIds.has(objectId)))
      await telling.done;
    for (const objectId of objectIds) {
      this.#forgetUntold(objectId, holder);
      // A mere copy makes room for others: the object is held where it is kept.
      if (store.isHeld(objectId)) store.hold(objectId, holder);
      else away.push(objectId);
    }
    const found = await Promise.all(away.map((objectId) => this.#holdElsewhere(objectId, holder)));
    return {
      elsewhere: away.filter((_, index) => found[index]),
      missing: away.filter((_, index) => !found[index]),
    };
  }

  /** False when no node has it. @throws {PalimpsestError} UNAVAILABLE (HOLDS-3) */
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
      try {
        const { missing } = await use(address, ask);
        if ((missing ?? []).length > 0) continue;
        this.#rememberHeldAt(objectId, holder, address);
        return true;
      } catch (reason) {
        unasked = fromGrpcError(reason).rawMessage;
      }
    }
    if (unasked === undefined) return false;
    throw new PalimpsestError("UNAVAILABLE", `object ${objectId} cannot be held now: ${unasked}`);
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
      // What was held and let go again meanwhile is told once more.
      for (const [objectId, release] of batch)
        if (untold.get(objectId) === release) this.#forgetUntold(objectId, holder);
    }
    this.#telling = undefined;
  }

  /** False: to be told again. */
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
   * Tells the nodes that hold them, and they the head: it may not have heard of a hold yet that was made just now, and would
   * not end it.
   * @returns those of which it is not known where they are held, or whose node does not answer
   */
  async #tellWhereHeld(objectIds: readonly string[], holder: string): Promise<readonly string[]> {
    const byAddress = new Map<string, string[]>();
    const others: string[] = [];
    for (const objectId of objectIds) {
      const address = this.#heldAt.get(`${holder} ${objectId}`);
      this.#heldAt.delete(`${holder} ${objectId}`);
      if (address === undefined) others.push(objectId);
      else {
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

  #rememberHeldAt(objectId: string, holder: string, address: string): void {
    this.#heldAt.set(`${holder} ${objectId}`, address);
    while (this.#heldAt.size > maxHeldAt) {
      const { oldest } = this.#heldAt;
      if (oldest === undefined) break;
      this.#heldAt.delete(oldest);
    }
  }
}

function countDown(release: Release): void {
  release.left--;
  if (release.left === 0) release.told();
}
