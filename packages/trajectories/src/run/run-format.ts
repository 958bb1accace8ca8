import { PalimpsestError } from "@palimpsest/wire";
import type { Redis } from "ioredis";
import type { RunKeys } from "../base/run-keys.js";
import { trajectoryFormat } from "../codec/trajectory-codec.js";
import { transaction } from "../redis/transaction.js";

/**
 * Refuses a run whose trajectories this program cannot read before anything takes its jobs, because each of its
 * episodes would become a failure. Runs of format 1 have no format number in Redis.
 * @throws {PalimpsestError} CODEC naming the run and both formats
 */
export async function checkFormat(redis: Redis, keys: RunKeys, runId: string): Promise<void> {
  const [exists, stored] = await transaction<[number, string | null]>(() =>
    redis.multi().exists(keys.counts).get(keys.format),
  );
  const format = stored ?? (exists === 1 ? "1" : String(trajectoryFormat));
  if (format !== String(trajectoryFormat)) {
    throw new PalimpsestError(
      "CODEC",
      `run ${runId} is in Redis with trajectories of format ${format}, and this program reads format ${trajectoryFormat}; ` +
        "end the run with the version that started it, or start a run under a new id from its checkpoint",
    );
  }
}
