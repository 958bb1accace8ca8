/** The files by which the programs of a machine find its head: where they are, and what they say. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reasonText } from "@palimpsest/std/input";
import { z } from "zod";
import { PalimpsestError } from "../base/error.js";
import { stateFolder } from "./user-folders.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** What other programs of this machine need in order to reach the head. */
export interface HeadAddress {
  /** host:port of the gRPC services. */
  readonly address: string;
  /** Whether it speaks TLS; undefined if a head of an earlier version wrote the file. */
  readonly tls?: boolean | undefined;
  /** The process id of the head; 0 when the head has ended in an orderly way. */
  readonly pid: number;
  readonly clusterId: string;
  /** The name of the cluster. */
  readonly cluster: string;
  /** The id of the head process, which is new at every start. */
  readonly headId: string;
  /** The highest epoch with which a head of this folder has led. */
  readonly epoch: number;
  readonly tokenPath: string;
  /** host:port of the metrics page; empty when it is off. */
  readonly metricsAddress: string;
  /** host:port of the dashboard; empty when it is off. */
  readonly dashboardAddress: string;
  readonly startedAtMs: number;
  readonly version: string;
}

const headAddressSchema = z.object({
  address: z.string(),
  tls: z.boolean().optional(),
  pid: z.number(),
  clusterId: z.string(),
  cluster: z.string(),
  headId: z.string(),
  epoch: z.number(),
  tokenPath: z.string(),
  metricsAddress: z.string(),
  dashboardAddress: z.string().default(""),
  startedAtMs: z.number(),
  version: z.string(),
});

/** The environment variable that names the file of the cluster's token. */
export const tokenFileVariable = "PALIMPSEST_TOKEN_FILE";

/** Default data folder of `head start` and of `worker join`. */
export function defaultDataDir(part: "head" | "node", environment: Environment = process.env): string {
  return join(stateFolder(environment), part);
}

/** The folder of `palimpsest dev`, which has the folders head and node. */
export function devFolder(environment: Environment = process.env): string {
  return join(stateFolder(environment), "dev");
}

/** Returns the path of the token in a head's data folder. */
export function tokenPathOf(dataDir: string): string {
  return join(dataDir, "token");
}

/** Returns the path of the file in a head's data folder that has its address. */
export function headAddressPathOf(dataDir: string): string {
  return join(dataDir, "head.json");
}

/** Returns undefined if no head was ever started with this folder. @throws {PalimpsestError} CONFIG_INVALID */
export function readHeadAddress(dataDir: string): HeadAddress | undefined {
  const path = headAddressPathOf(dataDir);
  if (!existsSync(path)) return undefined;
  try {
    return headAddressSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (reason) {
    throw new PalimpsestError("CONFIG_INVALID", `${path} is damaged: remove it to start over`, {
      cause: reason,
    });
  }
}

/** Reads the token in the data folder of a head; undefined if it cannot be read. */
export function readToken(dataDir: string): string | undefined {
  try {
    return readFileSync(tokenPathOf(dataDir), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the given token, else PALIMPSEST_TOKEN, else the content of the file that PALIMPSEST_TOKEN_FILE names. Only
 * the file is hidden from users who can read the definition of a service or a Pod.
 * @param named what messages call the source of that path
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function givenToken(
  given: string | undefined,
  environment: Environment,
  named: string = tokenFileVariable,
): string | undefined {
  // An empty variable is one that is not set, as shells and service files leave it.
  const said = given ?? (environment["PALIMPSEST_TOKEN"]?.trim() || undefined);
  const path = environment[tokenFileVariable];
  if (said || !path) return said;
  let token: string;
  try {
    token = readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${named}: ${path} cannot be read: ${reasonText(cause)}; name a file that this user can read`,
      { cause },
    );
  }
  if (token !== "") return token;
  throw new PalimpsestError("CONFIG_INVALID", `${named}: ${path} is empty; write the token into it`);
}
