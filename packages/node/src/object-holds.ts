/**
 * Responsibility: holds of values for programs of this machine, wherever the values lie, and of what values refer to.
 * Not responsible for: streams (object-link.ts), bytes.
 *
 * A value is held where it lies: nothing is copied for it. Where that is another node, it is asked to.
 *
 * Invariants:
 * - HOLDS-1. What a value refers to is held as long as the value is there, and is held before the value is.
 * - HOLDS-2. A release that could not be told elsewhere is told again until it is, or its holder has ended.
 * - HOLDS-3. What cannot be asked is not missing: while the head is away, or a node that may have the value, a hold is
 *   tried for `holdLimitMs`, and fails with UNAVAILABLE then.
 */
import { type Clock, fromGrpcError, objectsService, PalimpsestError, type Peer } from "@palimpsest/wire";
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
/** Releases that wait to be told elsewhere; above it the oldest are left to the end of their holder. */
const maxUntold = 100_000;

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
  /** Values that are gone, and whose contents are let go next: values may be nested deeply. */
  readonly #gone: string[] = [];
  /** By holder: what is to be told elsewhere. */
  readonly #untold = new Map<string, Set<string>>();
  #telling = false;
  #closed = false;

  constructor(deps: ObjectHoldsDeps) {
    this.#deps = deps;
    deps.store.watch(this);
  }

  /** Holds what can be had. @returns what no node has @throws {PalimpsestError} UNAVAILABLE (HOLDS-3) */
  async hold(objectIds: readonly string[], holder: string): Promise<readonly string[]> {
    return (await this.#hold(objectIds, holder)).missing;
  }

  /** Ends holds of one holder. */
  release(objectIds: readonly string[], holder: string): void {
    const elsewhere = objectIds.filter((objectId) => !this.#deps.store.drop({ objectId, holder }));
    this.#tellElsewhere(elsewhere, holder);
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
        this.#tellElsewhere(elsewhere, holder);
      }
      this.#gone.shift();
    }
  }

  present(): void {}

  gone(objectId: string, _cause: DropCause): void {
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
    for (const objectId of objectIds) {
      this.#untold.get(holder)?.delete(objectId);
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
      await new Promise<void>((resolve) => clock.after(holdBackoffMs, resolve));
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
        if ((missing ?? []).length === 0) return true;
      } catch (reason) {
        unasked = fromGrpcError(reason).rawMessage;
      }
    }
    if (unasked === undefined) return false;
    throw new PalimpsestError("UNAVAILABLE", `object ${objectId} cannot be held now: ${unasked}`);
  }

  #tellElsewhere(objectIds: readonly string[], holder: string): void {
    if (objectIds.length === 0 || this.#closed) return;
    const untold = this.#untold.get(holder) ?? new Set();
    this.#untold.set(holder, untold);
    for (const objectId of objectIds) untold.add(objectId);
    for (const oldest of untold) {
      if (untold.size <= maxUntold) break;
      untold.delete(oldest);
    }
    if (!this.#telling) void this.#tell();
  }

  /** HOLDS-2 */
  async #tell(): Promise<void> {
    this.#telling = true;
    try {
      while (!this.#closed) {
        const next = [...this.#untold].find(([, objectIds]) => objectIds.size > 0);
        if (next === undefined) break;
        const [holder, objectIds] = next;
        const batch = [...objectIds].slice(0, maxAtOnce);
        for (const objectId of batch) objectIds.delete(objectId);
        if (objectIds.size === 0) this.#untold.delete(holder);
        try {
          await this.#deps.freeElsewhere(batch, holder);
        } catch (reason) {
          if (!PalimpsestError.from(reason).retryable) continue;
          const again = this.#untold.get(holder) ?? new Set();
          this.#untold.set(holder, again);
          for (const objectId of batch) again.add(objectId);
          await new Promise<void>((resolve) => this.#deps.clock.after(retryMs, resolve));
        }
      }
    } finally {
      this.#telling = false;
    }
  }
}
