/**
 * Responsibility: what each fairness key uses of the cluster by its weight, from which follows whose turn it is.
 * Not responsible for: limits (ledger.ts), or the queue (placement-index.ts).
 *
 * A key's use is its dominant share: the largest fraction of any resource of the cluster that it leases. It is averaged
 * over time with an exponential decay, so that leases of any length count by the time that they last, and a key that
 * asked for little may have more for a while. What it leases at the moment counts beside the average, so that one pass
 * over free nodes spreads over the keys.
 *
 * Invariants:
 * - SHARES-1. Keys that always wait get resources in proportion to their weights over times that are longer than the
 *   decay.
 * - SHARES-2. What a key used is forgotten: after ten times the decay without leases its score is 0.
 */
import { exactQuantity, type Quantities } from "./resources.js";

/** The milliseconds in which past use decays to 1/e. */
const decayMs = 600_000;
/** The part that what is leased now has in the score, beside the average. */
const present = 0.02;
/** Averages below this are 0. */
const forgotten = 1e-4;

interface Share {
  readonly held: Map<string, number>;
  /** The average of the dominant share until `atMs`. */
  use: number;
  atMs: number;
}

export class FairShares {
  readonly #nowMs: () => number;
  readonly #shares = new Map<string, Share>();
  readonly #nodes = new Map<string, Quantities>();
  readonly #totals = new Map<string, number>();
  readonly #weights = new Map<string, number>();
  /** Keys of which requests wait. The weights of others are forgotten with what they used. */
  readonly #waiting = new Set<string>();
  readonly #listeners = new Set<(fairnessKey: string) => void>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Calls back when a key's score has changed other than by the time that passes. */
  onChange(listener: (fairnessKey: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Sets what a node offers; undefined when it is gone. */
  setNode(nodeId: string, total: Quantities | undefined): void {
    const before = this.#nodes.get(nodeId);
    if (before === total) return;
    if (before !== undefined) add(this.#totals, before, -1);
    if (total === undefined) this.#nodes.delete(nodeId);
    else {
      this.#nodes.set(nodeId, total);
      add(this.#totals, total, 1);
    }
  }

  /** Sets the key's weight, while requests of it wait or it has leases. */
  weigh(fairnessKey: string, weight: number): void {
    this.#waiting.add(fairnessKey);
    this.#setWeight(fairnessKey, weight);
  }

  #setWeight(fairnessKey: string, weight: number): void {
    if ((this.#weights.get(fairnessKey) ?? 1) === weight) return;
    if (weight === 1) this.#weights.delete(fairnessKey);
    else this.#weights.set(fairnessKey, weight);
    this.#changed(fairnessKey);
  }

  /** Forgets the weight of a key of which nothing waits, once it leases nothing and what it used is forgotten. */
  unused(fairnessKey: string): void {
    this.#waiting.delete(fairnessKey);
    if (!this.#shares.has(fairnessKey)) this.#weights.delete(fairnessKey);
  }

  /** Adds what a lease takes, or with sign −1 what it gives back. A lease has a weight also when nothing waits. */
  change(fairnessKey: string, quantities: Quantities, sign: 1 | -1, weight?: number): void {
    if (weight !== undefined) this.#setWeight(fairnessKey, weight);
    const share = this.#settled(fairnessKey);
    add(share.held, quantities, sign);
    this.#changed(fairnessKey);
  }

  /** Returns the key's use by its weight; the smaller it is, the earlier is its turn. */
  score(fairnessKey: string): number {
    if (!this.#shares.has(fairnessKey)) return 0;
    const share = this.#settled(fairnessKey);
    return (share.use + present * this.#dominant(share)) / (this.#weights.get(fairnessKey) ?? 1);
  }

  /** Yields the keys that lease something or did so lately. */
  keys(): Iterable<string> {
    return this.#shares.keys();
  }

  /** Returns the fraction of the cluster that the key leases, and its weight. */
  of(fairnessKey: string): { readonly leased: number; readonly weight: number } {
    const share = this.#shares.get(fairnessKey);
    return {
      leased: share === undefined ? 0 : this.#dominant(share),
      weight: this.#weights.get(fairnessKey) ?? 1,
    };
  }

  /**
   * Returns whether a key that takes resources from another one's leases would lease and use no more by its weight than
   * the other one then does (PREEMPT-1).
   */
  mayTake(taker: string, taken: Quantities, giver: string, given: Quantities): boolean {
    if (taker === giver) return false;
    const [after, left] = [this.#with(taker, taken, 1), this.#with(giver, given, -1)];
    return after.leased <= left.leased && after.score <= left.score;
  }

  /** Returns a key's leases and score, both by its weight, as if it had more or less. */
  #with(fairnessKey: string, quantities: Quantities, sign: 1 | -1): { leased: number; score: number } {
    const share = this.#shares.has(fairnessKey) ? this.#settled(fairnessKey) : undefined;
    const held = new Map(share?.held);
    add(held, quantities, sign);
    const [leased, weight] = [this.#dominant({ held }), this.#weights.get(fairnessKey) ?? 1];
    return { leased: leased / weight, score: ((share?.use ?? 0) + present * leased) / weight };
  }

  /** Returns the keys whose scores change with time, and forgets those that have become 0. */
  moving(): Iterable<string> {
    for (const [fairnessKey, { held }] of this.#shares) {
      if (held.size > 0 || this.#settled(fairnessKey).use > forgotten) continue;
      this.#shares.delete(fairnessKey);
      if (!this.#waiting.has(fairnessKey)) this.#weights.delete(fairnessKey);
      this.#changed(fairnessKey);
    }
    return this.#shares.keys();
  }

  #settled(fairnessKey: string): Share {
    const nowMs = this.#nowMs();
    const known = this.#shares.get(fairnessKey);
    if (known === undefined) {
      const share: Share = { held: new Map(), use: 0, atMs: nowMs };
      this.#shares.set(fairnessKey, share);
      return share;
    }
    const passedMs = nowMs - known.atMs;
    if (passedMs > 0) {
      const leased = this.#dominant(known);
      known.use = leased + (known.use - leased) * Math.exp(-passedMs / decayMs);
      known.atMs = nowMs;
    }
    return known;
  }

  #dominant({ held }: Pick<Share, "held">): number {
    let largest = 0;
    for (const [name, amount] of held) {
      const total = this.#totals.get(name) ?? 0;
      if (total > 0) largest = Math.max(largest, amount / total);
    }
    return largest;
  }

  #changed(fairnessKey: string): void {
    for (const listener of this.#listeners) listener(fairnessKey);
  }
}

/** Adds quantities to sums. Names that become 0 are removed. */
export function add(sums: Map<string, number>, quantities: Quantities, sign: 1 | -1): void {
  for (const name in quantities) {
    const sum = exactQuantity((sums.get(name) ?? 0) + sign * exactQuantity(quantities[name] ?? 0));
    if (sum === 0) sums.delete(name);
    else sums.set(name, sum);
  }
}
