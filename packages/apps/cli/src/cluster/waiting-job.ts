import type { Cluster, JobInfo, NodeInfo } from "@palimpsest/client";
import { delay } from "@palimpsest/std";
import { printableLine } from "../display/printable.js";

/** How long a job may wait for what others use before that is told. That no node has so much is told at once. */
const patienceMs = 2_000;
const lookMs = 500;
/** Resources that a worker finds by itself. */
const found = new Set(["cpu", "gpu", "memory"]);

/** Says what a job asks for and no node has, how much the largest one has, and what helps; empty if each is there. */
function neverFits(
  { jobId, resources }: Pick<JobInfo, "jobId" | "resources">,
  nodes: readonly Pick<NodeInfo, "total">[],
): string {
  const lacking = Object.entries(resources).flatMap(([name, asked]) => {
    const most = Math.max(0, ...nodes.map(({ total }) => total[name] ?? 0));
    return asked > most ? [{ name, asked, most }] : [];
  });
  if (nodes.length > 0 && lacking.length === 0) return "";
  const what =
    nodes.length === 0
      ? "the cluster has no node"
      : lacking
          .map(({ name, asked, most }) => `it asks for ${asked} ${name}, and the largest node has ${most}`)
          .join("; ");
  const named = lacking.filter(({ name }) => !found.has(name)).map(({ name, asked }) => `${name}=${asked}`);
  const join = `palimpsest worker join${named.length > 0 ? ` --resources ${named.join(",")}` : ""}`;
  return `${what}; add such a node (\`${join}\` on its machine), or end the job (\`palimpsest job stop ${jobId}\`) and ask for less`;
}

/** Returns why a job waits: that no node will do, or once that took a while, what others use; empty if it may start soon. */
async function whyItWaits(cluster: Cluster, job: JobInfo, waitedMs: number): Promise<string> {
  const never = neverFits(job, await cluster.nodes());
  // An autoscaler may bring what is not there yet; the head's reason says whether it does.
  if (never !== "" && (await cluster.summary()).autoscaler === undefined) return never;
  return waitedMs >= patienceMs ? job.message : "";
}

/** Tells on standard error why a job waits for a node, each reason once, until it waits no longer or the signal aborts. */
export async function tellWhileItWaits(cluster: Cluster, jobId: string, signal: AbortSignal): Promise<void> {
  const sinceMs = performance.now();
  let told = "";
  while (!signal.aborted) {
    try {
      const job = await cluster.jobs.get(jobId);
      if (job.status !== "pending") return;
      const reason = await whyItWaits(cluster, job, performance.now() - sinceMs);
      if (reason !== "" && reason !== told && !signal.aborted) tellWait(jobId, reason);
      told = reason;
    } catch {
      // The stream of the job's output says that the head is away, and waits for it.
    }
    await delay(lookMs, signal);
  }
}

/** Tells at once if no node has what a job asks for. */
export async function tellIfNeverFits(cluster: Cluster, job: JobInfo): Promise<void> {
  const reason = job.status === "pending" ? await whyItWaits(cluster, job, 0) : "";
  if (reason !== "") tellWait(job.jobId, reason);
}

function tellWait(jobId: string, reason: string): void {
  process.stderr.write(`job ${jobId} waits: ${printableLine(reason)}\n`);
}
