/** What starts and ends nodes, as a part of the head that leads; what it does is somebody else's (HeadDeps.startAutoscaler). */

import type { AutoscalerReport } from "@palimpsest/scheduler";
import type { Metrics } from "@palimpsest/telemetry";
import { systemClock } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ClusterScaling } from "./cluster-scaling.js";
import type { ControlPlane } from "./control-plane.js";
import type { Beginning } from "./head-beginning.js";
import type { RunningAutoscaler } from "./running-autoscaler.js";

/** Rows of what gets no node that the status holds. */
const maxUnmet = 20;

/** Begins when the head leads and listens, and ends before anything else of it. */
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
    // Else it would start anew what ends now.
    await autoscaler.close(true);
    await stopNodes();
  };
  parts.endings.push(() => autoscaler.close(false));
  return autoscaler;
}

export function autoscalerToProto(
  report: AutoscalerReport | undefined,
): proto.AutoscalerStatus.$Properties | undefined {
  return (
    report && {
      ...report,
      types: report.types.map((type) => ({ ...type })),
      unmet: report.unmet.slice(0, maxUnmet).map(({ resources, count, reason }) => ({
        ...{ count, reason },
        resources: { quantities: { ...resources } },
      })),
    }
  );
}
