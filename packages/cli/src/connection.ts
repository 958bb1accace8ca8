import { readFileSync } from "node:fs";
import { type Cluster, connect } from "@palimpsest/client";
import { readHeadAddress, tokenPathOf } from "@palimpsest/head/files";
import { PalimpsestError } from "@palimpsest/wire";
import type { Command } from "commander";
import { absolutePath, defaultDataDir } from "./data-dir.js";
import { givenToken } from "./token-source.js";

/** Options of every command that connects to a cluster. */
export interface ConnectionOptions {
  readonly address?: string;
  readonly token?: string;
  readonly tls?: string;
  readonly dataDir?: string;
}

export function withConnection(command: Command): Command {
  return command
    .option("--address <host:port>", "the head (default: PALIMPSEST_ADDRESS, else the head of this machine)")
    .option(
      "--token <token>",
      "the cluster's token; other users can see it in the process list, so prefer PALIMPSEST_TOKEN or PALIMPSEST_TOKEN_FILE (default: these, else this machine's token file)",
    )
    .option(
      "--tls <folder>",
      "ca.crt, tls.crt and tls.key of this role, made by `palimpsest certs` (default: PALIMPSEST_TLS)",
    )
    .option("--data-dir <folder>", "data folder of this machine's head");
}

/** Finds address and token: from the flags, then the environment, then the files of this machine's head. */
export function resolveConnection(options: ConnectionOptions): {
  readonly address: string;
  readonly token: string;
  readonly tls: string;
} {
  const dataDir = options.dataDir ?? defaultDataDir("head");
  const address = options.address ?? process.env["PALIMPSEST_ADDRESS"] ?? readHeadAddress(dataDir)?.address;
  if (!address) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `no head was found: give --address HOST:PORT, or start one with \`palimpsest head start\` (searched in ${dataDir})`,
    );
  }
  const token = givenToken(options.token, process.env) ?? tokenFile(dataDir);
  if (!token) {
    throw new PalimpsestError(
      "UNAUTHENTICATED",
      `no token was found for ${address}: give --token, PALIMPSEST_TOKEN or PALIMPSEST_TOKEN_FILE; \`palimpsest head start\` prints the path of the token file`,
    );
  }
  const tls = options.tls ?? process.env["PALIMPSEST_TLS"] ?? "";
  return { address, token, tls: tls === "" ? "" : absolutePath(tls) };
}

/** Reads the token in the data folder of this machine's head; undefined if it cannot be read. */
function tokenFile(dataDir: string): string | undefined {
  try {
    return readFileSync(tokenPathOf(dataDir), "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Connects to the cluster, runs the work, and disconnects. */
export async function withCluster<T>(
  options: ConnectionOptions,
  name: string,
  use: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const jobId = process.env["PALIMPSEST_JOB_ID"];
  const cluster = await connect({ ...resolveConnection(options), name, ...(jobId ? { jobId } : {}) });
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
