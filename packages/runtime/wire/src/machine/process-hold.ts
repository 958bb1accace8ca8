/**
 * Keeps this process running while work is outstanding that has no timer or connection to do so. Node ends a program when
 * nothing keeps it running.
 */

/** The longest time of a timer, 24.8 days, after which it is set again. */
const intervalMs = 2 ** 31 - 1;
let holds = 0;
let timer: NodeJS.Timeout | undefined;

/** @returns a function that ends the hold; calling it again has no effect */
export function holdProcess(): () => void {
  holds += 1;
  if (holds === 1) {
    timer ??= setInterval(() => undefined, intervalMs);
    timer.ref();
  }
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holds -= 1;
    if (holds === 0) timer?.unref();
  };
}
