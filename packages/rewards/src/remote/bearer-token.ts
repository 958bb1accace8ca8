import { readFile } from "node:fs/promises";
import { RewardError } from "../error.js";

/** Where a secret is, never the secret itself. */
export interface TokenSource {
  readonly tokenEnv?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/**
 * The token as it is now, so that a file that is written anew is followed; undefined where none is named.
 * @throws {RewardError} BAD_CONFIG
 */
export async function readToken(
  { tokenEnv, tokenFile }: TokenSource,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (tokenFile === undefined && tokenEnv === undefined) return undefined;
  const where = tokenFile === undefined ? `tokenEnv: ${tokenEnv}` : `tokenFile: ${tokenFile}`;
  const text =
    tokenFile === undefined
      ? environment[tokenEnv ?? ""]
      : await readFile(tokenFile, "utf8").catch(() => undefined);
  const token = text?.trim() ?? "";
  // Header values take visible ASCII alone; what the token looks like is not for messages.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new RewardError("BAD_CONFIG", `${where} holds no token; it must be one word of visible ASCII`);
}
