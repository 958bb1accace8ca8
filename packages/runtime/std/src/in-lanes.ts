import { setMaxListeners } from "node:events";
import { joinSignals } from "./deadline.js";

export interface LanesOptions {
  /** Maximum number of items that are worked on at once. */
  readonly lanes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Works on each item, in their order, in several lanes at once. The first failure aborts the signal of the others, begins
 * no further item, and is thrown when those have ended.
 * @throws what `work` throws first; the signal's reason
 */
export async function inLanes<T>(
  items: Iterable<T>,
  { lanes, signal }: LanesOptions,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = joinSignals(signal);
  // Whatever runs in the lanes listens to this signal, and Node would report more than ten listeners as a leak.
  setMaxListeners(0, stop.signal);
  const left = items[Symbol.iterator]();
  let isOver = false;
  const lane = async () => {
    try {
      for (;;) {
        stop.signal.throwIfAborted();
        const { done, value } = left.next();
        isOver = done === true;
        if (done) return;
        await work(value, stop.signal);
      }
    } catch (reason) {
      isOver = true;
      stop.abort(reason);
    }
  };
  const running: Promise<void>[] = [];
  do running.push(lane());
  while (running.length < lanes && !isOver);
  await Promise.all(running);
  stop.forget();
  stop.signal.throwIfAborted();
}
