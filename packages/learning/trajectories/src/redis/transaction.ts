import type { Redis } from "ioredis";
import { sentAgain } from "./sent-again.js";

/**
 * Resolves to all replies of a MULTI, or rejects with the first error: ioredis itself resolves even when a command was
 * refused.
 * @param build creates the transaction; it may be carried out twice, because a connection may break in its middle
 */
export async function transaction<T>(build: () => ReturnType<Redis["multi"]>): Promise<T> {
  return await sentAgain(async () => {
    const replies = (await build().exec()) ?? [];
    return replies.map(([error, value]) => {
      if (error) {
        throw error;
      }
      return value;
    }) as T;
  });
}
