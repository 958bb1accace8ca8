/**
 * Responsibility: which stored values this program refers to, and tells the node when it begins and ends to.
 * Not responsible for: bytes; values that only this program has (value-store.ts).
 *
 * Invariants:
 * - REF-1. While a reference is reachable, or a call that it travels in is under way, the value is held for this program.
 * - REF-2. A value is let go once nothing of that is left: by release(), or by the collector some time.
 * - REF-3. What is held and let go in one turn reaches the node in that order, many to an order.
 */
import { ObjectRef, type RefStore } from "./object-ref.js";

interface Entry {
  ref: WeakRef<ObjectRef>;
  /** Rises when a new reference takes over, so that the end of the old one says nothing. */
  generation: number;
  /** What keeps it whoever lets go of it: calls under way that it travels in, and small values that refer to it. */
  pins: number;
  /** Those of them that are calls. */
  calls: number;
  /** The program said that it needs it no more. */
  released: boolean;
  /** As the reference has it. */
  readonly ownerId: string;
}

export interface ValueHoldsDeps {
  /** Tells the node. Never rejects: what cannot be held is lost, and a read of it says so. */
  hold(objectIds: readonly string[]): Promise<void>;
  letGo(objectIds: readonly string[]): void;
  /** This program refers to it no more. */
  ended(objectId: string): void;
}

export class ValueHolds {
  readonly #deps: ValueHoldsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #collected: FinalizationRegistry<{ readonly objectId: string; readonly generation: number }>;
  /** In order; each is all of one kind. */
  #changes: { readonly hold: boolean; readonly objectIds: string[] }[] = [];
  #flushing: Promise<void> | undefined;
  /** Orders to hold that the node has not answered. */
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

  /** Everything that is held. */
  heldIds(): string[] {
    return [...this.#entries.keys()];
  }

  /** What calls under way refer to. */
  pinnedIds(): string[] {
    return [...this.#entries].flatMap(([objectId, { calls }]) => (calls > 0 ? [objectId] : []));
  }

  has(objectId: string): boolean {
    return this.#entries.has(objectId);
  }

  /** Who ran the task whose result it is; empty: it is no such result, or nothing here refers to it. */
  ownerOf(objectId: string): string {
    return this.#entries.get(objectId)?.ownerId ?? "";
  }

  /** A value that this program has just stored: the node holds it already. */
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

  /** The reference to a value that came with another one; held from now on. */
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

  /** A value that was lost with its node is there again. Settles when it is held. */
  async holdAgain(objectId: string): Promise<void> {
    if (!this.#entries.has(objectId)) return;
    this.#change(true, objectId);
    await this.settled();
  }

  /** Settles when the node holds all that was received until now. */
  async settled(): Promise<void> {
    await this.#flushing;
    // Not those that come after: while more and more is received, there are always some.
    await Promise.all(this.#holding);
  }

  /** Whether something received is not held yet. */
  get isHolding(): boolean {
    return this.#flushing !== undefined || this.#holding.size > 0;
  }

  /** Keeps it until the returned function is called: for a call that it travels in. */
  pin(ref: ObjectRef): () => void {
    return this.#keep(ref, 1);
  }

  /** As pin(), for a value that refers to it. */
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

  /** It was freed for everybody. */
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
