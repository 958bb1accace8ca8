import type { Redis } from "ioredis";

/** The replies of a MULTI, all of them or the first error: ioredis itself resolves even when a command was refused. */
export async function transaction<T>(multi: ReturnType<Redis["multi"]>): Promise<T> {
  const replies = (await multi.exec()) ?? [];
  return replies.map(([error, value]) => {
    if (error) {
      throw error;
    }
    return value;
  }) as T;
}
