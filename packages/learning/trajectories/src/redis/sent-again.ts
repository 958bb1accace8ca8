/** Each attempt waits until Redis answers again, so this many failures mean that something else is wrong. */
const maxAttempts = 20;

/**
 * Repeats what a broken connection has interrupted. ioredis itself resends outstanding commands, but not the rest of a
 * MULTI that was partly answered: those commands are aborted, and whether they were carried out is unknown.
 * @param work must be safe to do twice
 */
export async function sentAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (reason) {
      if (attempt === maxAttempts || !(reason instanceof Error) || reason.name !== "AbortError") throw reason;
    }
  }
}
