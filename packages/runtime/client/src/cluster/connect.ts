import { PalimpsestError, tlsMismatch } from "@palimpsest/wire";
import type { ConnectOptions } from "../base/config.js";
import { loadConfig } from "../base/load-config.js";
import { Cluster, type ConnectDeps } from "./cluster.js";

/**
 * Connects to a cluster as a driver: to the one that the options name, else to that of PALIMPSEST_ADDRESS, as in a job,
 * else to that of palimpsest.config.json or the user's file, else to the head of this machine. With `local` it starts a cluster for this program.
 * @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED, CONFIG_INVALID; INVALID_ARGUMENT if there is no head
 */
export async function connect(options: ConnectOptions = {}, deps: ConnectDeps = {}): Promise<Cluster> {
  const { local, ...others } = (await loadConfig()).checkConnectOptions(options);
  if (local !== undefined) return await connectLocal(others, local, deps);
  // A process of the cluster is given both, and does not load what searches.
  const { address, token } = others;
  if (address !== undefined && token !== undefined)
    return await connected({ ...others, address, token }, deps);
  const { awayError, findHead } = await import("./find-head.js");
  const found = findHead(others, process.env);
  const jobId = others.jobId ?? (address === undefined ? process.env["PALIMPSEST_JOB_ID"] : undefined) ?? "";
  const to = { address: found.address, token: found.token, tls: found.tls };
  return await connected({ ...others, ...to, jobId }, deps).catch((reason: unknown) => {
    throw awayError(found, reason, process.env);
  });
}

async function connected(
  options: Parameters<typeof Cluster.connect>[0],
  deps: ConnectDeps,
): Promise<Cluster> {
  try {
    return await Cluster.connect(options, deps);
  } catch (reason) {
    const { address, tls } = options;
    if (PalimpsestError.from(reason).code !== "UNAVAILABLE") throw reason;
    const why = await tlsMismatch(address, Boolean(tls));
    if (why === "") throw reason;
    throw new PalimpsestError("UNAVAILABLE", `the head at ${address} cannot be reached: ${why}`, {
      cause: reason,
    });
  }
}

async function connectLocal(
  options: Omit<ConnectOptions, "local">,
  how: { readonly cpus?: number | undefined },
  deps: ConnectDeps,
): Promise<Cluster> {
  const { LocalCluster } = await import("./local-cluster.js");
  const local = await LocalCluster.start(how);
  try {
    const { address, token } = local;
    return await Cluster.connect({ ...options, address, token }, { ...deps, onClosed: () => local.close() });
  } catch (reason) {
    await local.close();
    throw reason;
  }
}
