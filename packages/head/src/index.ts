// For users of the runtime.

// For other packages.
export type { RunningAutoscaler, StartAutoscaler } from "./autoscaling.js";
export { type HeadConfig, type HeadConfigInput, headConfigSchema } from "./config.js";
export type { DashboardCluster, RunningDashboard, StartDashboard } from "./dashboard.js";
export { Head, type HeadCloseOptions, type HeadDeps, type HeadEnd, type Standby } from "./head.js";
export { type HeadAddress, headAddressPathOf, readHeadAddress, tokenPathOf } from "./head-files.js";
