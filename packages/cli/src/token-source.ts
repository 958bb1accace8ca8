/**
 * Reads the cluster's token from a flag, the environment or a file. Only the file is hidden from users who can read
 * the definition of a service or a Pod.
 */
import { readFileSync } from "node:fs";
import { PalimpsestError } from "@palimpsest/wire";

type Environment = Readonly<Record<string, string | undefined>>;

export const tokenFileVariable = "PALIMPSEST_TOKEN_FILE";

/**
 * Returns the flag, else PALIMPSEST_TOKEN, else the content of the file that PALIMPSEST_TOKEN_FILE names.
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function givenToken(flag: string | undefined, environment: Environment): string | undefined {
  const said = flag ?? environment["PALIMPSEST_TOKEN"];
  const path = environment[tokenFileVariable];
  if (said || !path) return said;
  let token: string;
  try {
    token = readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${tokenFileVariable}: ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}; name a file that this user can read`,
      { cause },
    );
  }
  if (token !== "") return token;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${tokenFileVariable}: ${path} is empty; write the token into it`,
  );
}

/**
 * Reads the token for a head. Drivers of jobs get a derived token from their node, with which no cluster can be
 * started.
 */
export function givenClusterToken(flag: string | undefined, environment: Environment): string | undefined {
  const { [tokenFileVariable]: _ofJob, ...others } = environment;
  return givenToken(flag, environment["PALIMPSEST_JOB_ID"] ? others : environment);
}
