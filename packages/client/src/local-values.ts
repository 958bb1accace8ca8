/**
 * Responsibility: small values that only this program has: their bytes, what they refer to, and their way to the node when a
 *   reference leaves.
 * Not responsible for: values on nodes (value-store.ts), which of those are held (value-holds.ts).
 *
 * Invariants:
 * - LOCALVALUES-1. What a small value refers to can be had as long as it can itself, whoever lets go of the references.
 * - LOCALVALUES-2. It goes, and lets go of what it refers to, when no reference to it and no small value that refers to it is
 *   left.
 */
import { PalimpsestError } from "@palimpsest/wire";
import { ObjectRef, type RefStore } from "./object-ref.js";
import type { ValueHolds } from "./value-holds.js";

/** A value that only this program has. */
export interface LocalValue {
  readonly bytes: Uint8Array;
  readonly contained: readonly Contained[];
  /** References of this program to it that nobody released. */
  refs: number;
  /** Small values that refer to it, and ways to the node that are under way. */
  users: number;
  isFreed: boolean;
  /** It lies on the node, or is on its way there. */
  promoting: Promise<void> | "done" | undefined;
  /** Ends what keeps it on the node although its reference was released. */
  unpin: (() => void) | undefined;
}

/** What a small value refers to. */
export interface Contained {
  readonly ref: ObjectRef;
  /** Undefined: it lies on a node. */
  readonly local: LocalValue | undefined;
  readonly unpin: () => void;
}

export interface LocalValuesDeps {
  readonly holds: ValueHolds;
  /** Stores it on the node. */
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

  /** The reference that a small value refers to; undefined: it names a value on a node. */
  referred({ contained }: LocalValue, objectId: string, store: RefStore): ObjectRef | undefined {
    const { ref, local } = contained.find((one) => one.ref.objectId === objectId) ?? {};
    if (ref === undefined || local === undefined || local.isFreed) return undefined;
    if (this.#values.has(ref)) return ref;
    // It was released. What lies on the node is held there for this program already.
    if (local.promoting !== undefined) return undefined;
    const next = new ObjectRef(objectId, ref.sizeBytes, store);
    this.#refer(next, local);
    return next;
  }

  /** The program needs the reference no more. */
  release(ref: ObjectRef): void {
    const local = this.#values.get(ref);
    if (local === undefined) return;
    this.#values.delete(ref);
    this.#collected.unregister(ref);
    if (local.users > 0) this.#keepOnNode(ref, local);
    this.#unreferred(local);
  }

  /** Nobody is to have it any more. */
  free(ref: ObjectRef): void {
    const local = this.#values.get(ref);
    if (local !== undefined) local.isFreed = true;
    this.release(ref);
  }

  /** Has them lie on the node, with what they refer to; undefined: they do already. */
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
    // Held from now on: it may be released while it is on its way.
    holds.stored(ref);
    const unpin = holds.pin(ref);
    local.users++;
    const promoting = (async () => {
      if (local.isFreed)
        throw new PalimpsestError(
          "OBJECT_LOST",
          `object ${ref.objectId} cannot be had: this program has freed it`,
          { details: { objectId: ref.objectId } },
        );
      const own = local.contained.filter((one) => one.local !== undefined);
      if (own.length > 0) {
        // In a turn of its own: values may be nested deeply.
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
          // Let go of like one that lies there: the order may be carried out yet.
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

  /** As long as a small value refers to it, although its own reference is released. */
  #keepOnNode(ref: ObjectRef, local: LocalValue): void {
    if (local.promoting !== undefined) local.unpin ??= this.#deps.holds.keep(ref);
  }

  #unreferred(local: LocalValue): void {
    local.refs--;
    this.#dropUnused(local);
  }

  /** LOCALVALUES-2. In a loop: values may be nested deeply. */
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

/** Whether nobody knows what became of the order. */
function isUnknown(reason: unknown): boolean {
  const { code, retryable } = PalimpsestError.from(reason);
  return retryable || code === "GET_TIMEOUT" || code === "CANCELLED";
}
