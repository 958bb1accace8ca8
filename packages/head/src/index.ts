// These exports are for users of the runtime.

export { headConfigSchema } from "./config.js";
export { Head } from "./head.js";
export type { Standby } from "./head-deps.js";
// These exports are for other packages.
export type { StartAutoscaler } from "./running-autoscaler.js";
