// For other packages.
export { type NodeConfig, nodeConfigSchema, parseNodeConfig, type ResolvedNodeConfig } from "./config.js";
export { type NodeDeps, type NodeEnd, NodeManager } from "./node-manager.js";
