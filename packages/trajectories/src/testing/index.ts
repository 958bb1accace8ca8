// For tests of any package.
export { aTask, aTrajectory } from "./builders.js";
export { type RedisServer, type RedisServerOptions, startRedisServer } from "./redis-server.js";
