// These exports are for other packages.
export { type NodeConfig, nodeConfigSchema, parseNodeConfig, type ResolvedNodeConfig } from "./config.js";
export { cpuCount, type MemoryLook, memoryLook } from "./machine.js";
export { type NodeEnd, NodeManager } from "./node-manager.js";
export type { NodeDeps } from "./node-parts.js";
