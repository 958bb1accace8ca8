// These exports are for other packages.
export {
  type NodeConfig,
  nodeConfigSchema,
  parseNodeConfig,
  type ResolvedNodeConfig,
} from "./base/config.js";
export { cpuCount, type MemoryLook, memoryLook } from "./base/machine.js";
export { type NodeEnd, NodeManager } from "./node/node-manager.js";
export type { NodeDeps } from "./node/node-parts.js";
