/** Waits until no other head leads, and takes the lease (LEASE-5 of leadership.ts). */

import { type Clock, delay } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { RowFormat } from "./row-versions.js";
import type { Leader, LeaseClaim, LeaseView, SharedStore } from "./shared-store.js";

/** The number of lease periods for which the address of a silent head is still sent to nodes and drivers. */
export const announcedLeases = 3;

export interface LeadershipOptions {
  readonly shared: SharedStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly headId: string;
  readonly leaseMs: number;
  /** The address to announce while this head waits; empty if none is announced. */
  readonly address: string;
  /** The highest epoch that this head's folder has recorded. It and lower ones are not used again. */
  readonly epochFloor: number;
  /** The head of this folder that ended without releasing its lease; empty if there was none. */
  readonly predecessorId: string;
  /** How this head reads and writes rows. Default: as this build does. */
  readonly rows?: RowFormat;
  /** Whether the store belongs to this head alone, so that it need not wait for another one. */
  readonly exclusive: boolean;
  readonly signal: AbortSignal;
  /** Called when another head leads, and again whenever the leader changes. Throws to refuse to wait. */
  readonly onStandby: (leader: Leader) => void;
  /** Called at each check of the lease, with the other head that leads, if one does. */
  readonly onLeader?: (leader: Leader | undefined) => void;
  /** Called when the known id or epoch of a cluster that another head leads has changed (LEASE-7). */
  readonly onCluster?: (clusterId: string, epoch: number) => void;
}

/** The lease at the moment it was taken. */
export interface Taken {
  readonly epoch: number;
  readonly sequence: number;
  readonly clusterId: string;
  readonly askedAtMs: number;
}

/**
 * Resolves when this head has the lease. @throws {PalimpsestError} CANCELLED by the signal; whatever `onStandby`
 * throws
 */
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
      logger.warn({ err: reason }, "the cluster's lease cannot be read, will retry");
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
