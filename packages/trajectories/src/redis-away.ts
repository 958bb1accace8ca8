import { isNetworkFailure, PalimpsestError } from "@palimpsest/wire";

/**
 * What ioredis and Redis say of a server that is away, starts, or stands by: it may answer later. A client that is given up
 * rejects with the first two, in plain errors without a code.
 */
const away =
  /^Connection is closed|^Stream isn't writeable|^(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY|TRYAGAIN) /;

/** Runs what needs Redis. @throws {PalimpsestError} UNAVAILABLE when Redis went away meanwhile; what `work` throws otherwise */
export async function withRedis<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    if (!isAway(reason)) throw reason;
    throw new PalimpsestError("UNAVAILABLE", `Redis went away: ${reason.message}`, { cause: reason });
  }
}

function isAway(reason: unknown): reason is Error {
  if (!(reason instanceof Error) || reason instanceof PalimpsestError) return false;
  return away.test(reason.message) || isNetworkFailure(reason);
}
