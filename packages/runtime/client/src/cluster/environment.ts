import { readFileSync } from "node:fs";
import { PalimpsestError } from "@palimpsest/wire";
import type { ConnectOptions } from "../base/config.js";
import { checkObject } from "../base/fields.js";

/**
 * Reads the options that a job's driver needs to connect from the environment that its node gives it:
 * `connect(fromEnvironment(process.env))`.
 * @throws {PalimpsestError} CONFIG_INVALID naming the missing variable
 */
export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<ConnectOptions, "address" | "token" | "tls" | "jobId"> {
  checkObject(environment, "the environment");
  return {
    address: required(environment, "PALIMPSEST_ADDRESS"),
    token: tokenOf(environment) || required(environment, "PALIMPSEST_TOKEN"),
    tls: environment["PALIMPSEST_TLS"] ?? "",
    jobId: environment["PALIMPSEST_JOB_ID"] ?? "",
  };
}

function required(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = environment[name];
  if (value) return value;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `${name} is not set: run the program as a job, or call connect() without fromEnvironment(), which finds the head of this machine`,
  );
}

/** A node writes the token of its jobs to a file, and rewrites it when the token is rotated. */
function tokenOf(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const path = environment["PALIMPSEST_TOKEN_FILE"];
  if (!path) return environment["PALIMPSEST_TOKEN"];
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new PalimpsestError("CONFIG_INVALID", `PALIMPSEST_TOKEN_FILE ${path} cannot be read`, { cause });
  }
}
