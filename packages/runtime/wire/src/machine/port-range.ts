/** Listening on a port of a range, for machines whose firewall admits only that. */
import { randomInt } from "node:crypto";
import { PalimpsestError } from "../base/error.js";

/** Ports from the first to the last, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Listens on a port of the range that is free, or on any free one without a range. It begins at a random port, because
 * many processes of a machine choose at the same moment.
 * @throws {PalimpsestError} UNAVAILABLE if none is free
 */
export async function listenWithin<T>(
  ports: PortRange | undefined,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  if (ports === undefined) return await listen(0);
  const { first, last } = ports;
  const count = last - first + 1;
  const from = randomInt(count);
  for (let at = 0; at < count; at += 1) {
    try {
      return await listen(first + ((from + at) % count));
    } catch (reason) {
      if (!isPortTaken(reason)) throw reason;
    }
  }
  throw new PalimpsestError(
    "UNAVAILABLE",
    `none of the ports ${first}-${last} is free, and every process of actors takes two: give the worker more with --actor-ports`,
  );
}

function isPortTaken(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  return ("code" in reason && reason.code === "EADDRINUSE") || isPortTaken(reason.cause);
}
