/** How a head comes to lead: it waits until no other head does, and takes the lease (LEASE-5 of leadership.ts). */
import type { Logger } from "@palimpsest/telemetry";
import { type Clock, delay, PalimpsestError } from "@palimpsest/wire";
import type { Leader, LeaseClaim, LeaseView, SharedStore } from "./shared-store.js";

/** Leases for which the address of a head that says nothing more is told to nodes and drivers. */
export const announcedLeases = 3;

export interface LeadershipOptions {
  readonly shared: SharedStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly headId: string;
  readonly leaseMs: number;
  /** Address to announce while this head waits; empty for none. */
  readonly address: string;
  /** No epoch up to this one is used again: what the folder of this head remembers. */
  readonly epochFloor: number;
  /** The head of this folder that ended without giving up its lease; empty when there was none. */
  readonly predecessorId: string;
  /** The store belongs to this head alone: nobody has to be waited for. */
  readonly exclusive: boolean;
  readonly signal: AbortSignal;
  /** Called when another head leads, again for each one that does; throw to refuse to wait. */
  readonly onStandby: (leader: Leader) => void;
  /** Called with each look at the lease: the other head that leads, if one does. */
  readonly onLeader?: (leader: Leader | undefined) => void;
  /** Called when what is known of the cluster that another head leads has changed (LEASE-7). */
  readonly onCluster?: (clusterId: string, epoch: number) => void;
}

/** The lease as it was taken. */
export interface Taken {
  readonly epoch: number;
  readonly sequence: number;
  readonly clusterId: string;
  readonly askedAtMs: number;
}

/** Returns when the lease is this head's. @throws {PalimpsestError} CANCELLED by the signal; what `onStandby` throws */
export async function waitForLease(options: LeadershipOptions): Promise<Taken> {
  const { shared, clock, logger, headId, address, leaseMs, predecessorId, exclusive, signal } = options;
  const pollMs = Math.min(500, leaseMs / 10);
  const claim: LeaseClaim = { headId, address, leaseMs };
  let epochFloor = options.epochFloor;
  let clusterId = "";
  let emptySinceMs: number | undefined;
  let leaderId = "";
  let toldEpoch = 0;
  let announceAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    if (signal.aborted) throw new PalimpsestError("CANCELLED", "the head was stopped while it waited");
    let view: LeaseView | undefined;
    try {
      view = await shared.lease();
      if (address !== "" && clock.monotonicMs() >= announceAtMs) {
        await shared.announce(address, announcedLeases * leaseMs);
        announceAtMs = clock.monotonicMs() + leaseMs;
      }
    } catch (reason) {
      logger.warn({ err: reason }, "the cluster's lease cannot be read, trying again");
    }
    if (view !== undefined) {
      const askedAtMs = clock.monotonicMs();
      const { leader } = view;
      clusterId = view.clusterId || clusterId;
      const own = leader?.headId === predecessorId || leader?.headId === headId;
      if (leader !== undefined && !own) {
        emptySinceMs = undefined;
        if (leader.headId !== leaderId) options.onStandby(leader);
        leaderId = leader.headId;
        options.onLeader?.(leader);
        if (clusterId !== "" && view.epoch > toldEpoch) {
          toldEpoch = view.epoch;
          options.onCluster?.(clusterId, view.epoch);
        }
      } else {
        options.onLeader?.(undefined);
        emptySinceMs ??= askedAtMs;
        const forgotten = view.epoch === 0 || view.epoch < epochFloor;
        if (!forgotten || exclusive || askedAtMs - emptySinceMs >= leaseMs) {
          const answer = await shared.takeLease(claim, epochFloor, predecessorId).catch(() => undefined);
          if (answer?.kind === "held") return { ...answer, clusterId, askedAtMs };
        }
      }
      epochFloor = Math.max(epochFloor, view.epoch);
    }
    await delay(pollMs, undefined, clock);
  }
}
