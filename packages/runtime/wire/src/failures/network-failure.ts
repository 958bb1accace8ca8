/** Error codes of the operating system for a peer that cannot be reached now and may be reachable later. */
const networkCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);

/** Returns whether an error of Node.js means that a connection failed for a reason that may pass. */
export function isNetworkFailure(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && networkCodes.has(reason.code);
}
