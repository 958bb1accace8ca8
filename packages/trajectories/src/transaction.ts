import type { Redis } from "ioredis";
import { sentAgain } from "./sent-again.js";

/**
 * The replies of a MULTI, all of them or the first error: ioredis itself resolves even when a command was refused.
 * @param build makes it; safe to be carried out twice, since a connection may break in its middle
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
