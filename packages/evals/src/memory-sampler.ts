/** Watches the resident set of this process; other processes, such as a remote sampler's, are not seen. */
export interface MemorySampler {
  /** Reads once more; call it where memory may peak. */
  read(): void;
  readonly startBytes: number;
  readonly peakBytes: number;
  /** Stops watching; may be called again. */
  close(): void;
}

/**
 * @param options.intervalMs how often to read on its own, when the event loop is free. Default 20
 * @param options.rssBytes the reading, for tests
 */
export function watchMemory(options: { intervalMs?: number; rssBytes?: () => number } = {}): MemorySampler {
  const { intervalMs = 20, rssBytes = () => process.memoryUsage.rss() } = options;
  const startBytes = rssBytes();
  let peakBytes = startBytes;
  const read = () => {
    peakBytes = Math.max(peakBytes, rssBytes());
  };
  const timer = setInterval(read, intervalMs);
  timer.unref();
  return {
    read,
    startBytes,
    get peakBytes() {
      return peakBytes;
    },
    close: () => clearInterval(timer),
  };
}
