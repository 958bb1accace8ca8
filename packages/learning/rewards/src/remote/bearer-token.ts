import { readFile } from "node:fs/promises";
import { RewardError } from "../error.js";

/** Says where a secret is, and never contains the secret itself. */
export interface TokenSource {
  readonly tokenEnv?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/**
 * Returns the current token, so that changes of a file take effect; undefined when none is named.
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
  // Header values allow only visible ASCII. Messages must not reveal what the token looks like.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new RewardError(
    "BAD_CONFIG",
    `${where} contains no token; it must be one word of visible ASCII characters`,
  );
}
