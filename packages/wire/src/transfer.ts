const baseMs = 30_000;
/** The slowest that a transfer may be and still be waited for: 1 MiB per second. */
const slowestBytesPerMs = (1024 * 1024) / 1000;
const longestMs = 24 * 3_600_000;

/** Deadline of moving that many bytes. The size may come from somebody else's data. */
export function transferTimeoutMs(sizeBytes: number): number {
  const bytes = Number.isFinite(sizeBytes) ? Math.max(0, sizeBytes) : 0;
  return Math.min(longestMs, Math.ceil(baseMs + bytes / slowestBytesPerMs));
}
