import type { Logger } from "@palimpsest/telemetry";
import type { Credentials, LocalCalls } from "@palimpsest/wire";

/** The head as the dashboard sees it. */
export interface DashboardCluster {
  readonly credentials: Credentials;
  /** The head's own methods, called on behalf of a page. */
  readonly calls: LocalCalls;
  /** Returns the number of bytes of a job's output that have been kept. */
  jobLogBytes(jobId: string): number;
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
