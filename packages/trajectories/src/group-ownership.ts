/** Job: makes one learner at a time the owner of a run's finished groups.
 *  Not its job: what happens to the groups.
 *
 *  O1 (T1). The newest epoch owns every active group job; an older owner's acknowledgements are refused.
 *  O2.      An owner that trains for hours without yielding keeps its groups: ownership has no timer, a new
 *           owner takes it when it starts. So a restarted learner has its predecessor's groups at once. */
import type { Redis } from "ioredis";
import type { RunKeys } from "./run-keys.js";
import { fencedError } from "./run-ledger.js";
import { runScript, script } from "./script.js";

/** Lock time given to BullMQ. Long, because the epoch and not the lock decides who owns a group. */
export const ownershipLockMs = 24 * 3600 * 1000;

// Gives every active job this owner's lock and tells which ones it did not have.
const adoptScript = script(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return -1 end
local taken = {}
for _, id in ipairs(redis.call("LRANGE", KEYS[2], 0, -1)) do
  local lock = ARGV[3] .. id .. ":lock"
  if redis.call("GET", lock) ~= ARGV[2] then
    redis.call("SET", lock, ARGV[2], "PX", ARGV[4])
    taken[#taken + 1] = id
  end
end
return taken`);

export class GroupOwnership {
  readonly epoch: number;
  /** BullMQ lock token of this owner. */
  readonly token: string;
  readonly #redis: Redis;
  readonly #keys: RunKeys;

  private constructor(redis: Redis, keys: RunKeys, epoch: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.epoch = epoch;
    this.token = `epoch-${epoch}`;
  }

  /** Becomes the owner; an earlier one is fenced off from now on. */
  static async take(redis: Redis, keys: RunKeys): Promise<GroupOwnership> {
    return new GroupOwnership(redis, keys, await redis.incr(keys.consumerEpoch));
  }

  /** Takes over the active groups of earlier owners.
   *  @returns their group ids
   *  @throws {PalimpsestError} ALREADY_EXISTS when this owner itself is fenced off */
  async adopt(): Promise<readonly string[]> {
    const keys = this.#keys;
    const taken = await runScript(
      this.#redis,
      adoptScript,
      [keys.consumerEpoch, keys.queue("groups", "active")],
      [this.epoch, this.token, keys.queue("groups", ""), ownershipLockMs],
    );
    if (taken === -1) {
      throw fencedError(this.epoch);
    }
    return taken as string[];
  }

  /** @throws {PalimpsestError} ALREADY_EXISTS */
  async assertOwner(): Promise<void> {
    if ((await this.#redis.get(this.#keys.consumerEpoch)) !== String(this.epoch)) {
      throw fencedError(this.epoch);
    }
  }

  /** Makes sure that the lock is there before BullMQ asks for it at the end of a job. */
  async renew(groupId: string): Promise<void> {
    const lock = `${this.#keys.queue("groups", groupId)}:lock`;
    await this.#redis.set(lock, this.token, "PX", ownershipLockMs);
  }
}
