// For tests of any package.

export { aGroupRequest, aTask, aTrajectory, trajectoryOf } from "./builders.js";
export { MemoryLedgerStore } from "./memory-ledger-store.js";
export { type RedisServer, type RedisServerOptions, startRedisServer } from "./redis-server.js";
export { fastSettings } from "./settings.js";
