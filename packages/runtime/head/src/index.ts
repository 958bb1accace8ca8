// These exports are for users of the runtime.

export { type HeadConfig, type HeadConfigInput, headConfigSchema } from "./rules/config.js";
export { Head, type HeadCloseOptions, type HeadEnd } from "./start/head.js";
export type { HeadDeps, Standby } from "./start/head-deps.js";
export type { RunningAutoscaler, StartAutoscaler } from "./start/running-autoscaler.js";
export type { DashboardCluster, RunningDashboard, StartDashboard } from "./start/running-dashboard.js";
// These exports are for other packages.
export { ownRedisPid } from "./store/redis-record.js";
