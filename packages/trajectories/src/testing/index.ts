// For tests of any package.
export { MemoryLedgerStore } from "./memory-ledger-store.js";
export { type RedisServer, startRedisServer } from "./redis-server.js";
