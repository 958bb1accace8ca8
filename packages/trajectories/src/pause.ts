import type { Clock } from "@palimpsest/wire";

/** Resolves after the delay, or as soon as the signal aborts; never rejects. */
export async function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) {
    return;
  }
  await new Promise<void>((resolve) => {
    const cancel = clock.after(delayMs, finish);
    function finish(): void {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    }
    signal?.addEventListener("abort", finish);
  });
}
