/**
 * The store that all heads of one cluster share: the lease, and the tables, which only the head with the highest
 * epoch may write.
 */
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

/** What the store records about the leader. */
export interface LeaseView {
  /** The head that holds the lease; undefined when no lease is held. */
  readonly leader: Leader | undefined;
  /** The highest epoch with which any head has led; 0 in a new or emptied store. */
  readonly epoch: number;
  /** The cluster's id; empty in a new or emptied store. */
  readonly clusterId: string;
}

export type LeaseAnswer =
  | { readonly kind: "held"; readonly epoch: number; readonly sequence: number }
  | { readonly kind: "refused"; readonly epoch: number; readonly leader: Leader | undefined };

/** The condition under which a write is accepted. */
export interface WriteGuard {
  readonly epoch: number;
  /** The sequence number of the last write that this head knows to have been accepted. */
  readonly sequence: number;
  /** The number of writes since then whose outcome this head does not know. */
  readonly unanswered: number;
}

export type WriteAnswer =
  | { readonly kind: "written"; readonly sequence: number }
  /** The store has another epoch or sequence number than the guard allows: it lost writes, or this write is late. */
  | { readonly kind: "behind" }
  /** The store has a later epoch, so another head leads. */
  | { readonly kind: "deposed" };

/** Each method is one atomic step of the store, except the two that read a whole table. */
export interface SharedStore {
  lease(): Promise<LeaseView>;
  /**
   * Begins the next epoch, above `epochFloor`, if no lease is held or the current one is `predecessorId`'s.
   * @param predecessorId a head that is known to have ended; empty for none
   */
  takeLease(claim: LeaseClaim, epochFloor: number, predecessorId: string): Promise<LeaseAnswer>;
  /**
   * Renews the lease of this epoch; refused if a later epoch has begun. A store that knows only earlier epochs has
   * lost its writes: then, or if `epochFloor` is above the epoch, the lease continues with a new epoch higher than
   * both.
   */
  renewLease(claim: LeaseClaim, epoch: number, epochFloor: number): Promise<LeaseAnswer>;
  /** Ends the lease if it is still this head's, so that a standby need not wait. */
  releaseLease(headId: string): Promise<void>;
  /** Announces for `ttlMs` that a head can be reached at the address. Returns the addresses of all heads. */
  announce(address: string, ttlMs: number): Promise<readonly string[]>;
  readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>>;
  tableKeys(table: StoreTable): Promise<readonly string[]>;
  write(guard: WriteGuard, writes: readonly StoreWrite[]): Promise<WriteAnswer>;
  /** Returns the fact's value, which is set to `initial` if there is none. */
  fact(name: string, initial: string): Promise<string>;
}
