import { PalimpsestError } from "@palimpsest/wire";
import type { ConnectOptions } from "./config.js";

/**
 * What a job's driver needs to connect, from the environment that its node gives it:
 * `connect(fromEnvironment(process.env))`.
 * @throws {PalimpsestError} CONFIG_INVALID that names the missing variable
 */
export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<ConnectOptions, "address" | "token" | "jobId"> {
  return {
    address: required(environment, "PALIMPSEST_ADDRESS"),
    token: required(environment, "PALIMPSEST_TOKEN"),
    jobId: environment["PALIMPSEST_JOB_ID"] ?? "",
  };
}

function required(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = environment[name];
  if (value) return value;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${name} is not set; run the program as a job, or set it to what \`palimpsest head start\` printed`,
  );
}
