// These exports are for users of the runtime.

// These exports are for other packages.
export { type HeadConfig, type HeadConfigInput, headConfigSchema, parseQuotas } from "./rules/config.js";
export { Head, type HeadCloseOptions, type HeadEnd } from "./start/head.js";
export type { HeadDeps, Standby } from "./start/head-deps.js";
export type { RunningAutoscaler, StartAutoscaler } from "./start/running-autoscaler.js";
export type { DashboardCluster, RunningDashboard, StartDashboard } from "./start/running-dashboard.js";
export { ownRedisPid } from "./store/redis-record.js";
export { rowVersion } from "./store/row-versions.js";
