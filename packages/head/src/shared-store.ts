/** The store that all heads of one cluster share: tables that only the head of the highest epoch may write, and its lease. */
import type { StoreTable, StoreWrite } from "./store.js";

export interface Leader {
  readonly headId: string;
  /** host:port of its gRPC services; empty until it listens. */
  readonly address: string;
  readonly epoch: number;
}

export interface LeaseClaim {
  readonly headId: string;
  readonly address: string;
  readonly leaseMs: number;
}

/** What the store says about who leads. */
export interface LeaseView {
  /** Undefined when no lease runs. */
  readonly leader: Leader | undefined;
  /** The highest epoch that any head led with; 0 in a store that is new or was emptied. */
  readonly epoch: number;
  /** Empty in a store that is new or was emptied. */
  readonly clusterId: string;
}

export type LeaseAnswer =
  | { readonly kind: "held"; readonly epoch: number; readonly sequence: number }
  | { readonly kind: "refused"; readonly epoch: number; readonly leader: Leader | undefined };

/** Under what condition a write is accepted. */
export interface WriteGuard {
  readonly epoch: number;
  /** The sequence number of the last write that this head knows to have happened. */
  readonly sequence: number;
  /** Writes since then whose outcome this head does not know. */
  readonly unanswered: number;
}

export type WriteAnswer =
  | { readonly kind: "written"; readonly sequence: number }
  /** The store has another epoch or sequence number than the guard allows: it lost writes, or this one is late. */
  | { readonly kind: "behind" }
  /** A later epoch: another head leads. */
  | { readonly kind: "deposed" };

/** Each method is one atomic step of the store, except the two that read a whole table. */
export interface SharedStore {
  lease(): Promise<LeaseView>;
  /**
   * Begins the next epoch, above `epochFloor`, if no lease runs or the one that runs is `predecessorId`'s.
   * @param predecessorId head that is known to have ended; empty for none
   */
  takeLease(claim: LeaseClaim, epochFloor: number, predecessorId: string): Promise<LeaseAnswer>;
  /**
   * Renews the lease of this epoch, which is refused when a later epoch has begun. A store that knows only earlier
   * epochs has lost its writes: there, or when `epochFloor` is above the epoch, the lease goes on with a new epoch
   * that is higher than both.
   */
  renewLease(claim: LeaseClaim, epoch: number, epochFloor: number): Promise<LeaseAnswer>;
  /** Ends the lease if it is still this one, so that a standby need not wait. */
  releaseLease(headId: string): Promise<void>;
  /** Says for `ttlMs` that a head can be reached at the address; returns the addresses of all heads. */
  announce(address: string, ttlMs: number): Promise<readonly string[]>;
  readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>>;
  tableKeys(table: StoreTable): Promise<readonly string[]>;
  write(guard: WriteGuard, writes: readonly StoreWrite[]): Promise<WriteAnswer>;
  /** The fact's value; it becomes `initial` when it has none. */
  fact(name: string, initial: string): Promise<string>;
}
