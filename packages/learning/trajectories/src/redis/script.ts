import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

/** A Lua script that Redis runs atomically. Redis forgets scripts when it restarts; `runScript` then sends it again. */
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
  return await orSendAgain(
    () => redis.evalsha(sha, keys.length, ...keys, ...args),
    () => redis.eval(lua, keys.length, ...keys, ...args),
  );
}

/** Does the same as `runScript`, but returns bytes where the script returns strings. */
export async function runScriptForBytes(
  redis: Redis,
  { lua, sha }: Script,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Promise<unknown> {
  return await orSendAgain(
    () => redis.callBuffer("EVALSHA", sha, keys.length, ...keys, ...args),
    () => redis.callBuffer("EVAL", lua, keys.length, ...keys, ...args),
  );
}

async function orSendAgain(byName: () => Promise<unknown>, byText: () => Promise<unknown>): Promise<unknown> {
  try {
    return await byName();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
      return await byText();
    }
    throw error;
  }
}
