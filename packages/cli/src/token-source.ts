/**
 * The cluster's token as a process is given it: by a flag, the environment or a file. Of the three the file alone is out of reach for
 * whoever may look at the definition of a service or a Pod.
 */
import { readFileSync } from "node:fs";
import { PalimpsestError } from "@palimpsest/wire";

type Environment = Readonly<Record<string, string | undefined>>;

export const tokenFileVariable = "PALIMPSEST_TOKEN_FILE";

/** The flag, else PALIMPSEST_TOKEN, else the file that PALIMPSEST_TOKEN_FILE names. @throws {PalimpsestError} CONFIG_INVALID */
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
      `${tokenFileVariable}: ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}; name a file that this user may read`,
      { cause },
    );
  }
  if (token !== "") return token;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${tokenFileVariable}: ${path} is empty; write the token into it`,
  );
}

/** Of a head. What a node hands to the drivers of jobs is a token of theirs, which makes no cluster. */
export function givenClusterToken(flag: string | undefined, environment: Environment): string | undefined {
  const { [tokenFileVariable]: _ofJob, ...others } = environment;
  return givenToken(flag, environment["PALIMPSEST_JOB_ID"] ? others : environment);
}
