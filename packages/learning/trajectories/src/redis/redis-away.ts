import { isNetworkFailure, PalimpsestError } from "@palimpsest/wire";

/**
 * Matches what ioredis and Redis report of a server that is away, starting, or standing by, and may answer later. A
 * client that is given up rejects with the first two, as plain errors without a code.
 */
const away =
  /^Connection is closed|^Stream isn't writeable|^(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY|TRYAGAIN) /;

/**
 * Runs work that needs Redis. @throws {PalimpsestError} UNAVAILABLE if Redis went away in the meantime; otherwise the
 * error of `work`
 */
export async function withRedis<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    if (!isAway(reason)) throw reason;
    throw new PalimpsestError("UNAVAILABLE", `the connection to Redis was lost: ${reason.message}`, {
      cause: reason,
    });
  }
}

function isAway(reason: unknown): reason is Error {
  if (!(reason instanceof Error) || reason instanceof PalimpsestError) return false;
  return away.test(reason.message) || isNetworkFailure(reason);
}
