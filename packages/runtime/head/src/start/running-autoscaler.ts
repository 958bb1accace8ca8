import type { AutoscalerReport, ScalableCluster } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";

export interface RunningAutoscaler {
  report(): AutoscalerReport;
  /** @param endNodes whether to end every node that it has started */
  close(endNodes: boolean): Promise<void>;
}

export type StartAutoscaler = (
  cluster: ScalableCluster,
  deps: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics },
) => RunningAutoscaler;
