import { type Cluster, connect } from "@palimpsest/client";
import { awayError, type FoundHead, findHead, type SearchHow } from "@palimpsest/client/find-head";
import type { Command } from "commander";
import { absolutePath } from "../input/absolute-path.js";

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
    .option("--data-dir <folder>", "data folder of this machine's head", absolutePath);
}

/** Finds address and token: from the flags, then the environment, then the files of this machine's head. */
export function resolveConnection(options: ConnectionOptions, how: SearchHow = {}): FoundHead {
  return findHead(options, process.env, { ...how, flags: true });
}

/**
 * Connects to the cluster, runs the work, and disconnects.
 * @param how whether the head may be of a version that does not work with this one
 */
export async function withCluster<T>(
  options: ConnectionOptions,
  name: string,
  use: (cluster: Cluster) => Promise<T>,
  how: { readonly anyProtocol?: boolean } = {},
): Promise<T> {
  const jobId = process.env["PALIMPSEST_JOB_ID"];
  const found = resolveConnection(options);
  const { address, token, tls } = found;
  const job = jobId ? { jobId } : {};
  const cluster = await connect({ address, token, tls, name, ...job }, how).catch((reason: unknown) => {
    throw awayError(found, reason, process.env);
  });
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
