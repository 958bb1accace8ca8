import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

/** A Lua script that Redis runs in one piece. Redis forgets scripts when it restarts; `runScript` sends it again. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
}

export function script(lua: string): Script {
  return { lua, sha: createHash("sha1").update(lua).digest("hex") };
}

export type ScriptArgument = string | number | Buffer;

export async function runScript(
  redis: Redis,
  { lua, sha }: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
      return await redis.eval(lua, keys.length, ...keys, ...args);
    }
    throw error;
  }
}
