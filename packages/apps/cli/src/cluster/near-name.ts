import type { Cluster } from "@palimpsest/client";
import { fullNameOf } from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import { orMeant } from "../input/unknown-value.js";

/** Rows of each table that are compared with a name that nothing has. */
const mostRows = 1_000;

/**
 * Runs work on something of a cluster by its name or id. Where nothing has it, the error also says which one has a similar
 * one.
 * @throws what the work throws
 */
export async function namingNear<T>(cluster: Cluster, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    if (!(reason instanceof PalimpsestError) || reason.code !== "NOT_FOUND") throw reason;
    const [actors, jobs, nodes] = await Promise.all([
      cluster.actors({ includeDead: true, limit: mostRows }),
      cluster.jobs.list(),
      cluster.nodes({ limit: mostRows }),
    ]);
    const names = [
      ...actors.flatMap((actor) => [fullNameOf(actor), actor.actorId]),
      ...jobs.flatMap((job) => [job.jobId]),
      ...nodes.map(({ nodeId }) => nodeId),
    ].filter((known) => known !== "");
    const { code, rawMessage, details, cause } = reason;
    throw new PalimpsestError(code, `${rawMessage}${orMeant(name, names)}`, { details, cause });
  }
}
