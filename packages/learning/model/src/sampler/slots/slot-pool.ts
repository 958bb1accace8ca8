import { type CacheLease, type CachePool, worthwhileTokens } from "../calls/cache-pool.js";

/*
 * Responsibility: which slot of a table stores whose tokens, and from which slot a prompt with a common prefix copies what
 * another request has read.
 * Not responsible for: the contents of slots (table-cache.ts), the order of service (model-sampler.ts).
 *
 * Invariants:
 * SLOT-1. A slot has one owner at most, and only its owner writes it.
 * SLOT-2. A slot from which a request still has to copy gets no new owner.
 * SLOT-3. Shared tokens count as read only once their slot is filled up to them. If its owner gives up before, the
 *   lease is broken, and its request starts again.
 * SLOT-4. What was in the pool before `clear` is given to no later request.
 */

interface Slot {
  readonly index: number;
  /** The tokens that it stores, or will store once the owner has read its prompt. */
  tokens: readonly number[];
  /** Number of these tokens that are written. */
  filled: number;
  owner: HeldLease | undefined;
  /** Leases that still have to copy from it. */
  readonly readers: Set<HeldLease>;
}

interface HeldLease extends CacheLease {
  readonly slot: Slot;
  /** The slot from which the shared tokens must be copied; undefined once they are in its own slot. */
  from: Slot | undefined;
  isBroken: boolean;
}

export interface SlotPoolOptions {
  readonly slots: number;
  /** false: nothing is shared and nothing kept. */
  readonly share: boolean;
}

/**
 * Slots of equal length, one for each request in flight. What a request leaves in its slot is kept until the slot is
 * needed; the least recently released slot is reused first.
 */
export class SlotPool implements CachePool {
  readonly #share: boolean;
  readonly #slots: readonly Slot[];
  readonly #held = new Map<CacheLease, HeldLease>();
  /** Slots without an owner, least recently released first. */
  readonly #idle: Set<Slot>;

  constructor({ slots, share }: SlotPoolOptions) {
    this.#share = share;
    this.#slots = Array.from({ length: slots }, (_, index) => ({
      index,
      tokens: [],
      filled: 0,
      owner: undefined,
      readers: new Set<HeldLease>(),
    }));
    this.#idle = new Set(this.#slots);
  }

  /** At least one token of the prompt is left to be read, because sampling starts from its output. */
  reserve(promptTokenIds: readonly number[]): CacheLease | undefined {
    const free = this.#free();
    const [oldest] = free;
    if (oldest === undefined) return undefined;
    const found = this.#share ? this.#longestMatch(promptTokenIds) : { tokens: 0 };
    const isWorthwhile = found.tokens >= Math.min(worthwhileTokens, promptTokenIds.length / 2);
    const source = isWorthwhile ? found.slot : undefined;
    // A slot is taken over if nothing useful in it is lost, or if there is no other.
    const takesOver =
      source !== undefined &&
      free.includes(source) &&
      (free.length === 1 || source.tokens.length <= found.tokens + 1);
    const slot = takesOver ? source : (free.find((other) => other !== source) ?? oldest);
    const shared = source === undefined ? 0 : found.tokens;
    const copies = source !== undefined && source !== slot;
    const lease: HeldLease = {
      pages: [slot.index],
      sharedTokens: shared,
      ...(copies ? { source: source.index } : {}),
      slot,
      from: copies ? source : undefined,
      isBroken: false,
    };
    if (copies) source.readers.add(lease);
    slot.owner = lease;
    slot.tokens = promptTokenIds;
    slot.filled = takesOver ? shared : 0;
    this.#idle.delete(slot);
    this.#held.set(lease, lease);
    return lease;
  }

  state(lease: CacheLease): "filled" | "pending" | "broken" {
    const { from, isBroken, sharedTokens } = this.#of(lease);
    if (isBroken) return "broken";
    if (from === undefined || from.filled >= sharedTokens) return "filled";
    return from.owner === undefined ? "broken" : this.state(from.owner) === "broken" ? "broken" : "pending";
  }

  filled(lease: CacheLease, tokens: number): void {
    const held = this.#of(lease);
    held.from?.readers.delete(held);
    held.from = undefined;
    held.slot.filled = tokens;
  }

  release(lease: CacheLease, tokenIds: readonly number[]): void {
    const { from, isBroken } = this.#of(lease);
    const isWhole = from === undefined && !isBroken;
    this.#giveBack(lease, this.#share && isWhole ? tokenIds : []);
  }

  discard(lease: CacheLease): readonly number[] {
    const { slot } = this.#of(lease);
    // Requests that are about to copy may copy values that are not finite.
    for (const reader of slot.readers) {
      reader.isBroken = true;
      reader.from = undefined;
    }
    slot.readers.clear();
    this.#giveBack(lease, []);
    return [slot.index];
  }

  clear(): void {
    for (const lease of this.#held.values()) lease.isBroken = true;
    for (const slot of this.#slots) {
      slot.tokens = [];
      slot.filled = 0;
    }
  }

  #free(): Slot[] {
    return [...this.#idle].filter(({ readers }) => readers.size === 0);
  }

  #giveBack(lease: CacheLease, tokens: readonly number[]): void {
    const held = this.#of(lease);
    held.from?.readers.delete(held);
    this.#held.delete(lease);
    const { slot } = held;
    slot.owner = undefined;
    slot.tokens = tokens;
    slot.filled = tokens.length;
    this.#idle.add(slot);
  }

  #of(lease: CacheLease): HeldLease {
    const held = this.#held.get(lease);
    if (held === undefined) throw new Error("internal: the lease was released");
    return held;
  }

  /** Returns the slot that shares the longest prefix with the prompt; of several, the one that has read most of it. */
  #longestMatch(prompt: readonly number[]): { readonly slot?: Slot; readonly tokens: number } {
    let best: { readonly slot: Slot; readonly tokens: number; readonly read: number } | undefined;
    for (const slot of this.#slots) {
      const { tokens, owner } = slot;
      const most = Math.min(tokens.length, prompt.length - 1);
      let length = 0;
      while (length < most && tokens[length] === prompt[length]) length++;
      // A slot that itself waits for a copy comes last.
      const read = owner?.from === undefined ? Math.min(slot.filled, length) : -1;
      if (length > (best?.tokens ?? 0) || (length === best?.tokens && read > best.read))
        best = { slot, tokens: length, read };
    }
    return best ?? { tokens: 0 };
  }
}
