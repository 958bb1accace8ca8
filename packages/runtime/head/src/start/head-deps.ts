import type { Clock } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import type { ReadQueueDepths } from "../services/queues.js";
import type { StartAutoscaler } from "./running-autoscaler.js";
import type { StartDashboard } from "./running-dashboard.js";

export interface HeadDeps {
  readonly logger: Logger;
  /** Default: a separate registry with component "head". */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Ends the wait of a standby, whose start() then rejects with CANCELLED. */
  readonly signal?: AbortSignal;
  /** Starts and ends nodes for as long as this head leads. If it is absent, the number of nodes is not managed. */
  readonly startAutoscaler?: StartAutoscaler;
  /** Serves pages over this head for as long as it leads. If it is absent, there are none. */
  readonly startDashboard?: StartDashboard;
  /** Reads the queues of training runs. If it is absent, the head lists none. */
  readonly readQueueDepths?: ReadQueueDepths;
  /** Called when start() has to wait because another head leads, and again whenever the leader changes. */
  readonly onStandby?: (standby: Standby) => void;
}

/** A head that waits for the lease. */
export interface Standby {
  /** host:port on which it waits. */
  readonly address: string;
  readonly leader: { readonly headId: string; readonly address: string; readonly epoch: number };
}
