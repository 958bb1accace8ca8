const baseMs = 30_000;
/** The lowest transfer rate for which a deadline allows: 1 MiB per second. */
const slowestBytesPerMs = (1024 * 1024) / 1000;
const longestMs = 24 * 3_600_000;

/** Returns the deadline in milliseconds for transferring that many bytes. The size may come from untrusted data. */
export function transferTimeoutMs(sizeBytes: number): number {
  const bytes = Number.isFinite(sizeBytes) ? Math.max(0, sizeBytes) : 0;
  return Math.min(longestMs, Math.ceil(baseMs + bytes / slowestBytesPerMs));
}
