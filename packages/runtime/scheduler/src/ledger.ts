/**
 * Responsibility: what is leased, by quota, by scope and by fairness key, and which of them keeps a request waiting.
 * Not responsible for: rooms on nodes (placement-index.ts), or who has which claim (the head).
 *
 * Invariants:
 * - QUOTA-1. At all times the use of a quota is the sum of its leases, and that of a scope their number.
 * - QUOTA-2. `blocking` names a limit exactly when the lease would bring it above what it allows. The caller takes the
 *   lease in the same turn, so no granted lease brings a quota or scope above its limit. Leases that exist already,
 *   those of a lowered quota, of an earlier head or of a task that continues, count and are not ended.
 * - QUOTA-3. Whoever parks on a limit is called once when something that counts against it is given back.
 */
import { type Claim, noClaim } from "./claim.js";
import { add, FairShares } from "./fair-shares.js";
import { exactQuantity, type Quantities, sortedEntries } from "./resources.js";

/** Returns what a quota allows; undefined when there is no such quota. */
export type Quotas = (name: string) => Quantities | undefined;

/** What keeps a request waiting: the name of the limit, and a sentence with use and limit. */
export interface Limit {
  readonly name: string;
  readonly reason: string;
}

interface Held {
  readonly claim: Claim;
  readonly quantities: Quantities;
}

export class Ledger {
  readonly shares: FairShares;
  readonly #quotas: Quotas;
  readonly #leases = new Map<string, Held>();
  readonly #used = new Map<string, Map<string, number>>();
  readonly #scopes = new Map<string, number>();
  readonly #parked = new Map<string, Set<() => void>>();

  constructor(quotas: Quotas, nowMs: () => number) {
    this.#quotas = quotas;
    this.shares = new FairShares(nowMs);
  }

  /** Counts a lease, in the place of one of the same name. */
  take(lease: string, claim: Claim = noClaim, quantities: Quantities = {}): void {
    const before = this.#leases.get(lease);
    this.#leases.set(lease, { claim, quantities });
    this.#count(claim, quantities, 1);
    if (before !== undefined) this.#returned(before);
  }

  giveBack(lease: string): void {
    const held = this.#leases.get(lease);
    if (held === undefined) return;
    this.#leases.delete(lease);
    this.#returned(held);
  }

  /** Returns the limit that a lease of these resources would exceed now. */
  blocking(claim: Claim, resources: Quantities): Limit | undefined {
    for (const name of claim.quotas) {
      const max = this.#quotas(name);
      const used = this.#used.get(name);
      for (const [resource, most] of max === undefined ? [] : sortedEntries(max)) {
        const need = resources[resource] ?? 0;
        const now = used?.get(resource) ?? 0;
        if (need <= 0 || exactQuantity(now + need) <= exactQuantity(most)) continue;
        const asked = need > most ? `, of which it asks for ${need}` : "";
        return { name, reason: `quota ${resource} of ${name}: ${now} of ${most} used${asked}` };
      }
    }
    const { scope } = claim;
    const now = scope === undefined ? 0 : this.ofScope(scope.name);
    if (scope === undefined || now < scope.max) return undefined;
    return { name: scopeLimit(scope.name), reason: `scope ${scope.name}: ${now} of ${scope.max} at a time` };
  }

  /** Returns whether a lease with this claim counts against the limit. */
  countsFor(claim: Claim, limit: string): boolean {
    return (
      claim.quotas.includes(limit) || (claim.scope !== undefined && scopeLimit(claim.scope.name) === limit)
    );
  }

  /** Calls back once when something that counts against the limit is given back. */
  park(limit: string, wake: () => void): void {
    const parked = this.#parked.get(limit) ?? new Set();
    this.#parked.set(limit, parked.add(wake));
  }

  unpark(limit: string, wake: () => void): void {
    const parked = this.#parked.get(limit);
    parked?.delete(wake);
    if (parked?.size === 0) this.#parked.delete(limit);
  }

  ofScope(name: string): number {
    return this.#scopes.get(name) ?? 0;
  }

  /** Returns what is used of a quota. */
  ofQuota(name: string): Quantities {
    return Object.fromEntries(this.#used.get(name) ?? []);
  }

  #returned({ claim, quantities }: Held): void {
    this.#count(claim, quantities, -1);
    for (const name of claim.quotas) this.#wake(name);
    if (claim.scope !== undefined) this.#wake(scopeLimit(claim.scope.name));
  }

  #count({ fairnessKey, weight, quotas, scope }: Claim, quantities: Quantities, sign: 1 | -1): void {
    this.shares.change(fairnessKey, quantities, sign, sign === 1 ? weight : undefined);
    for (const name of quotas) {
      const used = this.#used.get(name) ?? new Map<string, number>();
      add(used, quantities, sign);
      if (used.size === 0) this.#used.delete(name);
      else this.#used.set(name, used);
    }
    if (scope === undefined) return;
    const count = this.ofScope(scope.name) + sign;
    if (count === 0) this.#scopes.delete(scope.name);
    else this.#scopes.set(scope.name, count);
  }

  #wake(limit: string): void {
    const parked = this.#parked.get(limit);
    this.#parked.delete(limit);
    for (const wake of parked ?? []) wake();
  }
}

function scopeLimit(name: string): string {
  return `scope ${name}`;
}
