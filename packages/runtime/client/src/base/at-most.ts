import { type Clock, delay, systemClock } from "@palimpsest/std";

/** Waits until the work has ended, successfully or not, for at most `limitMs`. @returns whether it ended in time */
export async function atMost(
  limitMs: number,
  work: Promise<unknown> | undefined,
  clock: Clock = systemClock,
): Promise<boolean> {
  const over = new AbortController();
  let isOver = false;
  const note = () => {
    isOver = true;
  };
  await Promise.race([Promise.resolve(work).then(note, note), delay(limitMs, over.signal, clock)]);
  over.abort();
  return isOver;
}
