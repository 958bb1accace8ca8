import type { Logger } from "@palimpsest/telemetry";
import type { Credentials, LocalCalls, Network } from "@palimpsest/wire";

/** The head as the dashboard sees it. */
export interface DashboardCluster {
  readonly credentials: Credentials;
  /** The head's own methods, called on behalf of a page. */
  readonly calls: LocalCalls;
  /** Returns the number of bytes of a job's output that have been kept. */
  jobLogBytes(jobId: string): number;
  /** Reaches the nodes, which keep the output of actors and know the owners of objects. */
  readonly network: Network;
  /** Returns host:port of a node's services; empty for a node that is not known. */
  nodeAddress(nodeId: string): string;
}

export interface RunningDashboard {
  /** host:port that it listens on. */
  readonly address: string;
  close(): Promise<void>;
}

export type StartDashboard = (
  cluster: DashboardCluster,
  options: { readonly host: string; readonly port: number; readonly logger: Logger },
) => Promise<RunningDashboard>;
