// These exports are for other packages.
export { type NodeConfig, nodeConfigSchema } from "./config.js";
export { NodeManager } from "./node-manager.js";
