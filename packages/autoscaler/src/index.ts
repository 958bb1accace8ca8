export { Autoscaler } from "./autoscaler.js";
export {
  type AutoscaleConfig,
  autoscaleConfigSchema,
  nodeTypeSchema,
  parseAutoscaleConfig,
} from "./config.js";
export { openProvider } from "./open-provider.js";
export type { NodeProvider } from "./provider.js";
