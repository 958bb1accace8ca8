/**
 * Responsibility: small values that exist only in this program: their bytes, the references in them, and their upload
 * to the node when a reference leaves the program.
 * Not responsible for: values on nodes (value-store.ts), or which of those are leased (value-holds.ts).
 *
 * Invariants:
 * - LOCALVALUES-1. The values that a small value refers to are available as long as it is, even if their own
 *   references are released.
 * - LOCALVALUES-2. A small value is dropped, and releases its references, when no reference to it and no small value
 *   that refers to it remain.
 */
import { PalimpsestError } from "@palimpsest/wire";
import { ObjectRef, type RefStore } from "../base/object-ref.js";
import type { ValueHolds } from "./value-holds.js";

/** A value that exists only in this program. */
export interface LocalValue {
  readonly bytes: Uint8Array;
  readonly contained: readonly Contained[];
  /** The number of unreleased references to it in this program. */
  refs: number;
  /** The number of small values that refer to it, and of uploads in progress. */
  users: number;
  isFreed: boolean;
  /** Whether it is on the node or is being uploaded. */
  promoting: Promise<void> | "done" | undefined;
  /** Ends whatever keeps it on the node although its reference was released. */
  unpin: (() => void) | undefined;
}

/** A reference in a small value. */
export interface Contained {
  readonly ref: ObjectRef;
  /** The small value; undefined if the value is on a node. */
  readonly local: LocalValue | undefined;
  readonly unpin: () => void;
}

export interface LocalValuesDeps {
  readonly holds: ValueHolds;
  /** Stores the value on the node. */
  readonly store: (objectId: string, local: LocalValue) => Promise<void>;
}

export class LocalValues {
  readonly #deps: LocalValuesDeps;
  readonly #values = new WeakMap<ObjectRef, LocalValue>();
  readonly #collected = new FinalizationRegistry<LocalValue>((local) => this.#unreferred(local));

  constructor(deps: LocalValuesDeps) {
    this.#deps = deps;
  }

  of(ref: ObjectRef): LocalValue | undefined {
    return this.#values.get(ref);
  }

  add(ref: ObjectRef, bytes: Uint8Array, contained: readonly ObjectRef[]): void {
    const kept = contained.map((one) => {
      const local = this.#values.get(one);
      if (local !== undefined) local.users++;
      return { ref: one, local, unpin: local === undefined ? this.#deps.holds.keep(one) : () => undefined };
    });
    this.#refer(ref, {
      ...{ bytes, contained: kept, refs: 0, users: 0, isFreed: false },
      ...{ promoting: undefined, unpin: undefined },
    });
  }

  /** Returns the reference of that id in the small value; undefined if it names a value on a node. */
  referred({ contained }: LocalValue, objectId: string, store: RefStore): ObjectRef | undefined {
    const { ref, local } = contained.find((one) => one.ref.objectId === objectId) ?? {};
    if (ref === undefined || local === undefined || local.isFreed) return undefined;
    if (this.#values.has(ref)) return ref;
    // The reference was released. If the value is on the node, it is already leased there for this program.
    if (local.promoting !== undefined) return undefined;
    const next = new ObjectRef(objectId, ref.sizeBytes, store);
    this.#refer(next, local);
    return next;
  }

  /** Records that the program no longer needs the reference. */
  release(ref: ObjectRef): void {
    const local = this.#values.get(ref);
    if (local === undefined) return;
    this.#values.delete(ref);
    this.#collected.unregister(ref);
    if (local.users > 0) this.#keepOnNode(ref, local);
    this.#unreferred(local);
  }

  /** Drops the value for all of its users. */
  free(ref: ObjectRef): void {
    const local = this.#values.get(ref);
    if (local !== undefined) local.isFreed = true;
    this.release(ref);
  }

  /** Stores values on the node, with the values that they refer to; undefined if they are all stored. */
  promoted(refs: readonly ObjectRef[]): Promise<void> | undefined {
    const ways: Promise<void>[] = [];
    for (const ref of refs) {
      const local = this.#values.get(ref);
      if (local !== undefined && local.promoting !== "done") ways.push(this.#promote(ref, local));
    }
    return ways.length === 0 ? undefined : Promise.all(ways).then(() => undefined);
  }

  #refer(ref: ObjectRef, local: LocalValue): void {
    this.#values.set(ref, local);
    local.refs++;
    this.#collected.register(ref, local, ref);
  }

  #promote(ref: ObjectRef, local: LocalValue): Promise<void> {
    if (local.promoting !== undefined)
      return local.promoting === "done" ? Promise.resolve() : local.promoting;
    const { holds, store } = this.#deps;
    // The value is kept from now on, because it may be released during the upload.
    holds.stored(ref);
    const unpin = holds.pin(ref);
    local.users++;
    const promoting = (async () => {
      if (local.isFreed)
        throw new PalimpsestError(
          "OBJECT_LOST",
          `object ${ref.objectId} is not available: this program has freed it`,
          { details: { objectId: ref.objectId } },
        );
      const own = local.contained.filter((one) => one.local !== undefined);
      if (own.length > 0) {
        // These values are uploaded in a separate turn, because values may be nested deeply.
        await undefined;
        await Promise.all(own.map((one) => one.local && this.#promote(one.ref, one.local)));
      }
      await store(ref.objectId, local);
    })();
    local.promoting = promoting;
    promoting
      .then(
        () => {
          local.promoting = "done";
          if (local.refs === 0) {
            this.#keepOnNode(ref, local);
            holds.release(ref);
          }
        },
        (reason: unknown) => {
          local.promoting = undefined;
          if (!isUnknown(reason)) holds.forget(ref.objectId);
          // It is released like a stored value, because the order to store it may still be carried out.
          else if (local.refs === 0) holds.release(ref);
        },
      )
      .finally(() => {
        unpin();
        local.users--;
        this.#dropUnused(local);
      });
    return promoting;
  }

  /** Keeps the value while a small value refers to it, although its own reference is released. */
  #keepOnNode(ref: ObjectRef, local: LocalValue): void {
    if (local.promoting !== undefined) local.unpin ??= this.#deps.holds.keep(ref);
  }

  #unreferred(local: LocalValue): void {
    local.refs--;
    this.#dropUnused(local);
  }

  /** LOCALVALUES-2. This is a loop, because values may be nested deeply. */
  #dropUnused(first: LocalValue): void {
    const unused = [first];
    for (let local = unused.pop(); local !== undefined; local = unused.pop()) {
      if (local.refs > 0 || local.users > 0) continue;
      local.unpin?.();
      for (const { local: inner, unpin } of local.contained) {
        unpin();
        if (inner === undefined) continue;
        inner.users--;
        unused.push(inner);
      }
    }
  }
}

/** Returns whether the outcome of the order is unknown. */
function isUnknown(reason: unknown): boolean {
  const { code, retryable } = PalimpsestError.from(reason);
  return retryable || code === "GET_TIMEOUT" || code === "CANCELLED";
}
