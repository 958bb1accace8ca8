/**
 * The changes of a run's ledger, each as one Lua script. A client that dies leaves a change done or not done, and a
 * script that is sent again changes nothing (LEDGER-1, LEDGER-5).
 * Scripts that end or delete something are marked allow-oom: they must work when Redis is full, because they make room.
 */
import { script } from "../redis/script.js";

// In a group hash, episode i has `t<i>` (bytes of its trajectory), `h<i>` (bytes of the trajectory's head), `k<i>` (the
// trajectory's token), `s<i>` (score) and `f<i>` (failure).
const helpers = `
local function ended(group, i)
  return redis.call("HEXISTS", group, "s" .. i) == 1 or redis.call("HEXISTS", group, "f" .. i) == 1
end
local function stateOf(group, i)
  if ended(group, i) then return "ended" end
  if redis.call("HEXISTS", group, "t" .. i) == 1 then return "sampled" end
  return "open"
end
-- false when the group is not outstanding or has no such episode.
local function has(group, i)
  local size = redis.call("HGET", group, "size")
  return size and tonumber(i) < tonumber(size)
end
local function addBytes(group, counts, bytes)
  redis.call("HINCRBY", group, "bytes", bytes)
  redis.call("HINCRBY", counts, "queuedBytes", bytes)
end
local function sampled(group, counts)
  redis.call("HINCRBY", group, "unsampled", -1)
  redis.call("HINCRBY", counts, "unsampledEpisodes", -1)
end
`;

// KEYS: outstanding, dispatching, closed, counts, format, then one group hash per claim.
// ARGV: most groups, most bytes, format, then id, size, spec, bytes of the task per claim.
export const claimScript = script(`${helpers}
local maxGroups, maxBytes = tonumber(ARGV[1]), tonumber(ARGV[2])
local function full(size, taskBytes)
  local groups = redis.call("HLEN", KEYS[1])
  if groups >= maxGroups then return true end
  if groups == 0 then return false end
  local values = redis.call("HMGET", KEYS[4], "queuedBytes", "unsampledEpisodes", "trajectoryBytes", "trajectories")
  local queued, unsampled = tonumber(values[1] or 0), tonumber(values[2] or 0)
  local bytes, count = tonumber(values[3] or 0), tonumber(values[4] or 0)
  local mean = 0
  if count > 0 then mean = bytes / count end
  return queued + taskBytes + (unsampled + size) * mean > maxBytes
end
local states = {}
for i = 4, #ARGV, 4 do
  local id, size, taskBytes, group = ARGV[i], ARGV[i + 1], ARGV[i + 3], KEYS[5 + i / 4]
  local state
  local closed = redis.call("HGET", KEYS[3], id)
  if closed then
    if closed == "trained" then state = "trained" else state = "failed" end
  elseif redis.call("HEXISTS", KEYS[1], id) == 1 then
    state = "outstanding"
    if redis.call("SISMEMBER", KEYS[2], id) == 1 then
      if redis.call("HGET", group, "left") == "0" then redis.call("SREM", KEYS[2], id) else state = "claimed" end
    end
  elseif full(tonumber(size), tonumber(taskBytes)) then state = "full"
  else
    redis.call("SET", KEYS[5], ARGV[3])
    redis.call("HSET", KEYS[1], id, size)
    redis.call("SADD", KEYS[2], id)
    redis.call("HSET", group, "spec", ARGV[i + 2], "size", size, "left", size, "unsampled", size, "bytes", taskBytes)
    redis.call("HINCRBY", KEYS[4], "groupsDispatched", 1)
    redis.call("HINCRBY", KEYS[4], "episodesDispatched", size)
    redis.call("HINCRBY", KEYS[4], "unsampledEpisodes", size)
    redis.call("HINCRBY", KEYS[4], "queuedBytes", taskBytes)
    state = "claimed"
  end
  states[#states + 1] = state
end
return states`);

// KEYS: dispatching, closed, then group and task of each. ARGV: ids. A group without a task would fail at every
// rollout, so it counts as lost.
export const confirmScript = script(`#!lua flags=allow-oom
local lost = {}
for i = 1, #ARGV do
  local group = KEYS[1 + 2 * i]
  local left = redis.call("HGET", group, "left")
  if left and left ~= "0" and redis.call("EXISTS", KEYS[2 + 2 * i]) == 0 then lost[#lost + 1] = ARGV[i]
  elseif left then redis.call("SREM", KEYS[1], ARGV[i])
  elseif redis.call("HEXISTS", KEYS[2], ARGV[i]) == 0 then lost[#lost + 1] = ARGV[i]
  end
end
return lost`);

// KEYS: dispatching, closed, then the group hash of each. ARGV: ids.
export const undispatchedScript = script(`#!lua flags=no-writes
local found = {}
for i = 1, #ARGV do
  local left = redis.call("HGET", KEYS[2 + i], "left")
  local unknown = not left and redis.call("HEXISTS", KEYS[2], ARGV[i]) == 0
  local unconfirmed = left and left ~= "0" and redis.call("SISMEMBER", KEYS[1], ARGV[i]) == 1
  if unknown or unconfirmed then found[#found + 1] = ARGV[i] end
end
return found`);

// KEYS: group, task. ARGV: bytes, time to live.
export const putTaskScript = script(`
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("SET", KEYS[2], ARGV[1], "PX", ARGV[2], "NX")
return 1`);

const recordTrajectory = `
local function recordTrajectory(group, counts, i, bytes, headBytes, token)
  redis.call("HSET", group, "t" .. i, bytes, "h" .. i, headBytes, "k" .. i, token)
  addBytes(group, counts, bytes)
  sampled(group, counts)
  redis.call("HINCRBY", counts, "trajectories", 1)
  redis.call("HINCRBY", counts, "trajectoryBytes", bytes)
end
`;

// KEYS: group, counts, trajectory. ARGV: episode index, bytes of the head, token, time to live, bytes.
export const putTrajectoryScript = script(`${helpers}${recordTrajectory}
if not has(KEYS[1], ARGV[1]) then return "none" end
local state = stateOf(KEYS[1], ARGV[1])
if state == "open" then
  redis.call("SET", KEYS[3], ARGV[5], "PX", ARGV[4])
  recordTrajectory(KEYS[1], KEYS[2], ARGV[1], #ARGV[5], ARGV[2], ARGV[3])
end
return state`);

// KEYS: group, counts, trajectory, staged trajectory. ARGV: episode index, bytes of the head, token, time to live.
export const commitTrajectoryScript = script(`${helpers}${recordTrajectory}
local function commit()
  if not has(KEYS[1], ARGV[1]) then return "none" end
  local state = stateOf(KEYS[1], ARGV[1])
  if state == "open" then
    local bytes = redis.call("STRLEN", KEYS[4])
    if bytes == 0 then return "unstaged" end
    redis.call("RENAME", KEYS[4], KEYS[3])
    redis.call("PEXPIRE", KEYS[3], ARGV[4])
    recordTrajectory(KEYS[1], KEYS[2], ARGV[1], bytes, ARGV[2], ARGV[3])
  end
  return state
end
local state = commit()
redis.call("UNLINK", KEYS[4])
return state`);

// KEYS: group, trajectory. ARGV: episode index.
export const sampledHeadScript = script(`${helpers}
if not has(KEYS[1], ARGV[1]) then return {"none"} end
local state = stateOf(KEYS[1], ARGV[1])
if state ~= "sampled" then return {state} end
return {state, redis.call("HGET", KEYS[1], "k" .. ARGV[1]) or "", redis.call("GETRANGE", KEYS[2], 0, redis.call("HGET", KEYS[1], "h" .. ARGV[1]) - 1)}`);

// KEYS: group, counts, complete. ARGV: episode index, "s" or "f", value, group id, channel, and for a score the token
// of its trajectory.
export const endEpisodeScript = script(`#!lua flags=allow-oom
${helpers}
if not has(KEYS[1], ARGV[1]) then return "none" end
local state = stateOf(KEYS[1], ARGV[1])
if state ~= "ended" then
  if ARGV[6] and (redis.call("HGET", KEYS[1], "k" .. ARGV[1]) or "") ~= ARGV[6] then return "replaced" end
  if state == "open" then sampled(KEYS[1], KEYS[2]) end
  redis.call("HSET", KEYS[1], ARGV[2] .. ARGV[1], ARGV[3])
  addBytes(KEYS[1], KEYS[2], #ARGV[3])
  if redis.call("HINCRBY", KEYS[1], "left", -1) == 0 then
    redis.call("ZADD", KEYS[3], redis.call("HINCRBY", KEYS[2], "completions", 1), ARGV[4])
    redis.call("PUBLISH", ARGV[5], ARGV[4])
  end
end
return state`);

// An epoch is "NUMBER:TOKEN". A learner is fenced by a larger number, or by its own number with another learner's
// token, because two learners take the same number when Redis loses what it had not yet written. When the store has a
// smaller number than the learner's, it lost the learner's take-over, which is then written again.
const fencing = `
local function numberOf(epoch) return tonumber(string.match(epoch or "", "^%d+")) or 0 end
local function isFenced(key, mine)
  local stored = redis.call("GET", key)
  if stored == mine then return false end
  if numberOf(stored) >= numberOf(mine) then return true end
  redis.call("SET", key, mine)
  return false
end
`;

// KEYS: epoch. ARGV: token.
export const takeOverScript = script(`#!lua flags=allow-oom
${fencing}
local stored = redis.call("GET", KEYS[1])
local number = numberOf(stored)
if stored == string.format("%d:%s", number, ARGV[1]) then return number end
number = number + 1
redis.call("SET", KEYS[1], string.format("%d:%s", number, ARGV[1]))
return number`);

// KEYS: epoch, complete. ARGV: epoch, cursor.
export const completeGroupsScript = script(`#!lua flags=allow-oom
${fencing}
if isFenced(KEYS[1], ARGV[1]) then return -1 end
return redis.call("ZRANGEBYSCORE", KEYS[2], "(" .. ARGV[2], "+inf", "WITHSCORES")`);

const remember = `
local function remember(closed, order, id, outcome, kept)
  redis.call("HSET", closed, id, outcome)
  if redis.call("LPUSH", order, id) > kept then redis.call("HDEL", closed, redis.call("RPOP", order)) end
end
`;

// KEYS: epoch, outstanding, dispatching, complete, closed, closed order, counts, failures, group, payloads ...
// ARGV: epoch, group id, outcome, reason, trained, failed, dropped, kept failures, kept closed groups, failures ...
export const closeScript = script(`#!lua flags=allow-oom
${fencing}${remember}
if isFenced(KEYS[1], ARGV[1]) then return -1 end
local id, outcome = ARGV[2], ARGV[3]
if redis.call("HDEL", KEYS[2], id) == 0 then return 0 end
redis.call("SREM", KEYS[3], id)
redis.call("ZREM", KEYS[4], id)
local values = redis.call("HMGET", KEYS[9], "bytes", "unsampled")
redis.call("HINCRBY", KEYS[7], "queuedBytes", 0 - tonumber(values[1] or 0))
redis.call("HINCRBY", KEYS[7], "unsampledEpisodes", 0 - tonumber(values[2] or 0))
for i = 9, #KEYS do redis.call("UNLINK", KEYS[i]) end
local trained = outcome == "trained"
remember(KEYS[5], KEYS[6], id, trained and outcome or "failed:" .. ARGV[4], tonumber(ARGV[9]))
redis.call("HINCRBY", KEYS[7], trained and "groupsTrained" or "groupsFailed", 1)
redis.call("HINCRBY", KEYS[7], "episodesTrained", ARGV[5])
redis.call("HINCRBY", KEYS[7], "episodesFailed", ARGV[6])
redis.call("HINCRBY", KEYS[7], "episodesDropped", ARGV[7])
for i = 10, #ARGV do redis.call("LPUSH", KEYS[8], ARGV[i]) end
redis.call("LTRIM", KEYS[8], 0, ARGV[8] - 1)
return 1`);

// KEYS: epoch, outstanding, closed, closed order. ARGV: epoch, kept closed groups, ids ...
export const rememberTrainedScript = script(`#!lua flags=allow-oom
${fencing}${remember}
if isFenced(KEYS[1], ARGV[1]) then return -1 end
for i = 3, #ARGV do
  local id = ARGV[i]
  if redis.call("HEXISTS", KEYS[2], id) == 0 and redis.call("HEXISTS", KEYS[3], id) == 0 then
    remember(KEYS[3], KEYS[4], id, "trained", tonumber(ARGV[2]))
  end
end
return 1`);
