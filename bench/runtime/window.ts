/** Repeats `once` for a window of at least this many milliseconds and returns the rate per second. */
export async function rateIn(windowMs: number, once: () => Promise<number>): Promise<number> {
  const beganMs = performance.now();
  let sum = 0;
  let tookMs = 0;
  do {
    sum += await once();
    tookMs = performance.now() - beganMs;
  } while (tookMs < windowMs);
  return sum / (tookMs / 1_000);
}
