/**
 * Responsibility: which stored values this program refers to; it tells the node when that begins and ends.
 * Not responsible for: bytes, or values that exist only in this program (value-store.ts).
 *
 * Invariants:
 * - REF-1. While a reference is reachable, or a call that carries it is in progress, the value is leased for this
 *   program.
 * - REF-2. The lease is released when neither is the case: by release(), or at some time after garbage collection.
 * - REF-3. Leases and releases of one turn reach the node in their order, many per order.
 */
import { ObjectRef, type RefStore } from "../base/object-ref.js";

interface Entry {
  ref: WeakRef<ObjectRef>;
  /** Incremented when a new reference takes over, so that the end of the old one is ignored. */
  generation: number;
  /**
   * The number of users that keep it after its release: calls in progress that carry it, and small values that refer
   * to it.
   */
  pins: number;
  /** The number of those users that are calls. */
  calls: number;
  /** Whether the program has released it. */
  released: boolean;
  /** The owner of the task result, as the reference names it. */
  readonly ownerId: string;
}

export interface ValueHoldsDeps {
  /** Tells the node. Never rejects: a value that cannot be leased is lost, and a read of it reports that. */
  hold(objectIds: readonly string[]): Promise<void>;
  letGo(objectIds: readonly string[]): void;
  /** Called when this program no longer refers to it. */
  ended(objectId: string): void;
}

export class ValueHolds {
  readonly #deps: ValueHoldsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #collected: FinalizationRegistry<{ readonly objectId: string; readonly generation: number }>;
  /** Pending orders, in order, each of one kind. */
  #changes: { readonly hold: boolean; readonly objectIds: string[] }[] = [];
  #flushing: Promise<void> | undefined;
  /** Lease orders that the node has not acknowledged. */
  readonly #holding = new Set<Promise<void>>();

  constructor(deps: ValueHoldsDeps) {
    this.#deps = deps;
    this.#collected = new FinalizationRegistry(({ objectId, generation }) => {
      const entry = this.#entries.get(objectId);
      if (entry?.generation !== generation) return;
      entry.released = true;
      this.#endIfUnused(objectId, entry);
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns all leased values. */
  heldIds(): string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the values that calls in progress refer to. */
  pinnedIds(): string[] {
    return [...this.#entries].flatMap(([objectId, { calls }]) => (calls > 0 ? [objectId] : []));
  }

  has(objectId: string): boolean {
    return this.#entries.has(objectId);
  }

  /**
   * Returns the program that ran the task whose result it is; empty if it is no such result, or has no references
   * here.
   */
  ownerOf(objectId: string): string {
    return this.#entries.get(objectId)?.ownerId ?? "";
  }

  /** Adds a value that this program has just stored, and that the node has already leased to it. */
  stored(ref: ObjectRef): void {
    const entry: Entry = {
      ref: new WeakRef(ref),
      generation: 0,
      pins: 0,
      calls: 0,
      released: false,
      ownerId: ref.ownerId,
    };
    this.#entries.set(ref.objectId, entry);
    this.#collected.register(ref, { objectId: ref.objectId, generation: 0 });
  }

  /** Returns the reference to a value that arrived in another one. It is leased from now on. */
  received(objectId: string, sizeBytes: number, store: RefStore, givenOwnerId = ""): ObjectRef {
    const entry = this.#entries.get(objectId);
    const known = entry?.released ? undefined : entry?.ref.deref();
    if (known) return known;
    const ownerId = entry?.ownerId || givenOwnerId;
    const ref = new ObjectRef(objectId, sizeBytes, store, ownerId);
    const generation = (entry?.generation ?? 0) + 1;
    this.#collected.register(ref, { objectId, generation });
    if (entry) Object.assign(entry, { ref: new WeakRef(ref), generation, released: false });
    else {
      const none = { pins: 0, calls: 0, released: false };
      const next: Entry = { ref: new WeakRef(ref), generation, ...none, ownerId };
      this.#entries.set(objectId, next);
      this.#change(true, objectId);
    }
    return ref;
  }

  /** Leases a value again that was lost with its node and is available again. Resolves when it is leased. */
  async holdAgain(objectId: string): Promise<void> {
    if (!this.#entries.has(objectId)) return;
    this.#change(true, objectId);
    await this.settled();
  }

  /** Resolves when the node has leased everything that was received until now. */
  async settled(): Promise<void> {
    await this.#flushing;
    // Later orders are not waited for: while more and more values are received, there are always some.
    await Promise.all(this.#holding);
  }

  /** Returns whether the lease of a received value is pending. */
  get isHolding(): boolean {
    return this.#flushing !== undefined || this.#holding.size > 0;
  }

  /** Keeps it until the returned function is called, for a call that carries it. */
  pin(ref: ObjectRef): () => void {
    return this.#keep(ref, 1);
  }

  /** Keeps it as pin() does, but for a value that refers to it. */
  keep(ref: ObjectRef): () => void {
    return this.#keep(ref, 0);
  }

  #keep(ref: ObjectRef, calls: number): () => void {
    const entry = this.#entries.get(ref.objectId);
    if (entry === undefined) return () => undefined;
    entry.pins++;
    entry.calls += calls;
    let kept: ObjectRef | undefined = ref;
    return () => {
      if (kept === undefined) return;
      kept = undefined;
      entry.pins--;
      entry.calls -= calls;
      this.#endIfUnused(ref.objectId, entry);
    };
  }

  release(ref: ObjectRef): void {
    const entry = this.#entries.get(ref.objectId);
    if (entry === undefined || entry.ref.deref() !== ref) return;
    entry.released = true;
    this.#endIfUnused(ref.objectId, entry);
  }

  /** Removes a value that was freed on all nodes. */
  forget(objectId: string): void {
    if (this.#entries.delete(objectId)) this.#deps.ended(objectId);
  }

  #endIfUnused(objectId: string, entry: Entry): void {
    if (!entry.released || entry.pins > 0 || this.#entries.get(objectId) !== entry) return;
    this.#entries.delete(objectId);
    this.#change(false, objectId);
    this.#deps.ended(objectId);
  }

  /** REF-3 */
  #change(hold: boolean, objectId: string): void {
    const last = this.#changes.at(-1);
    if (last?.hold === hold) last.objectIds.push(objectId);
    else this.#changes.push({ hold, objectIds: [objectId] });
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = undefined;
    const changes = this.#changes;
    this.#changes = [];
    for (const { hold, objectIds } of changes) {
      if (!hold) {
        this.#deps.letGo(objectIds);
        continue;
      }
      const holding = this.#deps.hold(objectIds).finally(() => this.#holding.delete(holding));
      this.#holding.add(holding);
    }
  }
}
