export { Autoscaler, type AutoscalerDeps } from "./autoscaler.js";
export {
  type AutoscaleConfig,
  autoscaleConfigSchema,
  type NodeTypeConfig,
  nodeTypeSchema,
  parseAutoscaleConfig,
} from "./config.js";
export { openProvider } from "./open-provider.js";
export { type Instance, instanceLabel, type NodeProvider } from "./provider.js";
export type { ProviderContext } from "./provider-context.js";
