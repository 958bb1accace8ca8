import { givenToken, tokenFileVariable } from "@palimpsest/wire/local-head";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the token for a head. Drivers of jobs get a derived token from their node, with which no cluster can be
 * started.
 */
export function givenClusterToken(flag: string | undefined, environment: Environment): string | undefined {
  const { [tokenFileVariable]: _ofJob, ...others } = environment;
  return givenToken(flag, environment["PALIMPSEST_JOB_ID"] ? others : environment);
}
