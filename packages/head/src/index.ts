// These exports are for users of the runtime.

export { type HeadConfig, type HeadConfigInput, headConfigSchema } from "./config.js";
export { Head, type HeadCloseOptions, type HeadEnd } from "./head.js";
export type { HeadDeps, Standby } from "./head-deps.js";
// These exports are for other packages.
export type { RunningAutoscaler, StartAutoscaler } from "./running-autoscaler.js";
export type { DashboardCluster, RunningDashboard, StartDashboard } from "./running-dashboard.js";
