/**
 * The atomic steps of a shared store as Lua scripts, which also run when Redis is full. A head writes little, and a
 * head that could not renew its lease would be deposed by the data of others.
 */
import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

const held = `
local function hold(epoch)
  local leader = cjson.encode({ headId = ARGV[1], address = ARGV[2], epoch = epoch })
  redis.call('SET', KEYS[1], leader, 'PX', ARGV[3])
  return { 'held', epoch, '', tonumber(redis.call('GET', KEYS[3]) or '0') }
end
local epoch = tonumber(redis.call('GET', KEYS[2]) or '0')
local leader = redis.call('GET', KEYS[1])
`;

export const leaseScripts = {
  /** KEYS leader, epoch, sequence; ARGV headId, address, leaseMs, epochFloor, predecessorId */
  take: `${held}
local holder = leader and cjson.decode(leader).headId
if holder and holder ~= ARGV[1] and holder ~= ARGV[5] then return { 'refused', epoch, leader, 0 } end
local mine = math.max(epoch, tonumber(ARGV[4])) + 1
redis.call('SET', KEYS[2], mine)
return hold(mine)`,

  /** KEYS leader, epoch, sequence; ARGV headId, address, leaseMs, epoch, epochFloor */
  renew: `${held}
local mine = tonumber(ARGV[4])
local floor = tonumber(ARGV[5])
if epoch > mine then
  local own = leader and cjson.decode(leader).headId == ARGV[1]
  if not own then return { 'refused', epoch, leader or '', 0 } end
  mine = epoch
end
if epoch < mine or floor > mine then
  mine = math.max(mine, floor) + 1
  redis.call('SET', KEYS[2], mine)
end
return hold(mine)`,

  /** KEYS leader; ARGV headId */
  release: `
local leader = redis.call('GET', KEYS[1])
if leader and cjson.decode(leader).headId == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`,

  /** KEYS heads, a sorted set of addresses by the time until which they are valid; ARGV address, ttlMs */
  announce: `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if ARGV[1] ~= '' then redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)`,

  /** KEYS facts; ARGV name, initial */
  fact: `
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1])`,

  /**
   * KEYS epoch, sequence, the tables written to; ARGV epoch, sequence, unanswered, then per row: the table's index, key,
   * whether it stays, bytes
   */
  write: `
local epoch = tonumber(redis.call('GET', KEYS[1]) or '0')
local sequence = tonumber(redis.call('GET', KEYS[2]) or '0')
if epoch > tonumber(ARGV[1]) then return { 'deposed', 0 } end
if epoch < tonumber(ARGV[1]) then return { 'behind', 0 } end
local unanswered = tonumber(ARGV[3])
if unanswered >= 0 then
  local least = tonumber(ARGV[2])
  if sequence < least or sequence > least + unanswered then return { 'behind', 0 } end
end
for i = 4, #ARGV, 4 do
  local tableKey = KEYS[3 + tonumber(ARGV[i])]
  if ARGV[i + 2] == '1' then redis.call('HSET', tableKey, ARGV[i + 1], ARGV[i + 3])
  else redis.call('HDEL', tableKey, ARGV[i + 1]) end
end
return { 'written', redis.call('INCR', KEYS[2]) }`,
} as const;

/** KEYS epoch, copy, sizes, times, the unfinished copy; ARGV epoch, sha256, then the script's own arguments */
const ofThisHead = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > tonumber(ARGV[1]) then return 'deposed' end
`;

/** The steps for copies of bundles (shared-bundles.ts). */
export const bundleScripts = {
  /** ARGV 3: sizeBytes, timeMs, number of parts */
  store: `${ofThisHead}
local parts = tonumber(ARGV[5])
if redis.call('LLEN', KEYS[5]) ~= parts then return 'lost' end
if parts > 0 then
  redis.call('PERSIST', KEYS[5])
  redis.call('RENAME', KEYS[5], KEYS[2])
end
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[4], ARGV[4], ARGV[2])
return 'stored'`,

  remove: `${ofThisHead}
redis.call('DEL', KEYS[2])
redis.call('HDEL', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
return 'removed'`,
} as const;

/** The steps for records of durable actors (durable-states.ts). KEYS epoch, record; ARGV 1: the head's epoch */
export const durableScripts = {
  /** ARGV 2: the process that opens it */
  open: `
local epoch = tonumber(redis.call('GET', KEYS[1]) or '0')
if epoch > tonumber(ARGV[1]) then return { 'deposed' } end
if epoch < tonumber(ARGV[1]) then return { 'behind' } end
if redis.call('HGET', KEYS[2], '!owner') ~= ARGV[2] then
  redis.call('HINCRBY', KEYS[2], '!epoch', 1)
  redis.call('HSET', KEYS[2], '!owner', ARGV[2])
end
return redis.call('HGETALL', KEYS[2])`,

  /** ARGV 2: record's epoch, version, number of fields to set, their names and values, names of fields to remove */
  commit: `
local epoch = tonumber(redis.call('GET', KEYS[1]) or '0')
if epoch > tonumber(ARGV[1]) then return 'deposed' end
if epoch < tonumber(ARGV[1]) then return 'behind' end
if redis.call('HGET', KEYS[2], '!epoch') ~= ARGV[2] then return 'fenced' end
local version = tonumber(redis.call('HGET', KEYS[2], '!version') or '0')
if version == tonumber(ARGV[3]) then return 'written' end
if version ~= tonumber(ARGV[3]) - 1 then return 'lost' end
local last = 4 + 2 * tonumber(ARGV[4])
for i = 5, last, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
for i = last + 1, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
redis.call('HSET', KEYS[2], '!version', ARGV[3])
return 'written'`,

  remove: `
if tonumber(redis.call('GET', KEYS[1]) or '0') ~= tonumber(ARGV[1]) then return 'behind' end
return tostring(redis.call('DEL', KEYS[2]))`,
} as const;

interface Script {
  readonly text: string;
  readonly sha1: string;
}

const scripts = new Map<string, Script>();

/** Runs a script by its name only. A Redis that does not know it, as after a restart, is sent its text. */
export async function runLua(
  redis: Redis,
  lua: string,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  const { text, sha1 } = scripts.get(lua) ?? scriptOf(lua);
  try {
    return await redis.evalsha(sha1, keys.length, ...keys, ...args);
  } catch (reason) {
    if (!(reason instanceof Error && reason.message.startsWith("NOSCRIPT"))) throw reason;
    return await redis.eval(text, keys.length, ...keys, ...args);
  }
}

function scriptOf(lua: string): Script {
  const text = `#!lua flags=allow-oom\n${lua}`;
  const script = { text, sha1: createHash("sha1").update(text).digest("hex") };
  scripts.set(lua, script);
  return script;
}
