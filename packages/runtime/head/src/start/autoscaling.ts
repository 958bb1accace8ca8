/**
 * Starts the autoscaler as a part of the leading head. The autoscaler itself is implemented elsewhere
 * (HeadDeps.startAutoscaler).
 */

import { systemClock } from "@palimpsest/std";
import type { Metrics } from "@palimpsest/telemetry";
import { ClusterScaling } from "./cluster-scaling.js";
import type { ControlPlane } from "./control-plane.js";
import type { Beginning } from "./head-beginning.js";
import type { RunningAutoscaler } from "./running-autoscaler.js";

/** Starts the autoscaler when the head leads and listens. It ends before any other part. */
export function beginAutoscaler(
  { deps, parts }: Beginning,
  plane: ControlPlane,
  own: { readonly clusterName: string; readonly address: string; readonly metrics: Metrics },
): RunningAutoscaler | undefined {
  if (deps.startAutoscaler === undefined) return undefined;
  const { logger, clock = systemClock } = deps;
  const { nodes, pendingQueue, groups, drains } = plane;
  const cluster = new ClusterScaling(own, {
    ...{ nodes, pendingQueue, groups, drains, clock },
    confirmLead: () => plane.confirmLead(),
  });
  const autoscaler = deps.startAutoscaler(cluster, { clock, logger, metrics: own.metrics });
  const { stopNodes } = parts;
  parts.stopNodes = async () => {
    // The autoscaler is closed first, because it would replace the nodes that are being stopped.
    await autoscaler.close(true);
    await stopNodes();
  };
  parts.endings.push(() => autoscaler.close(false));
  return autoscaler;
}
