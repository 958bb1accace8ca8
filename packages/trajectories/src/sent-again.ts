/** Each attempt waits until Redis answers again, so this many say that something else is wrong. */
const maxAttempts = 20;

/**
 * Does what a broken connection has cut short once more. ioredis itself sends again what was under way, but not the rest of
 * a MULTI of which a part was answered: those commands are aborted, and whether they were done is unknown.
 * @param work safe to be done twice
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
