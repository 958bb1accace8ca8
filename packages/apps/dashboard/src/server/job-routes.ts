/** Routes about jobs: the list, submitting and stopping, and following their output. */
import { headService, jobsService, newId } from "@palimpsest/wire";
import { type jobsSchema, submissionSchema } from "../api/jobs.js";
import type { DashboardCluster } from "./cluster-routes.js";
import { jobView } from "./cluster-views.js";
import type { Exchange } from "./exchange.js";
import type { LogSource, LogStreams } from "./log-streams.js";
import type { Route } from "./routes.js";

/** Maximum number of jobs that are sent, the newest first. The head remembers 1,000 jobs that have ended. */
const maxJobs = 2_000;
/** A page that opens a log gets at most this many bytes of what was written before. */
const tailBytes = 512 * 1024;
/**
 * A client that resumes further back gets at most this many bytes of what was written before, because a page keeps no
 * more. The page reports how many bytes were left out.
 */
const mostBehindBytes = 1024 * 1024;

export function jobRoutes(cluster: DashboardCluster, streams: LogStreams): readonly Route[] {
  const { calls } = cluster;
  return [
    {
      method: "GET",
      path: "/jobs",
      answer: async (exchange) => {
        const { jobs } = await calls.unary(jobsService.list, {}, exchange.caller);
        const rows = (jobs ?? []).map(jobView).sort((a, b) => b.submittedAtMs - a.submittedAtMs);
        const answer: ReturnType<typeof jobsSchema.parse> = {
          rows: rows.slice(0, maxJobs),
          total: rows.length,
        };
        await exchange.json(answer);
      },
    },
    {
      method: "GET",
      path: "/jobs/*",
      answer: async (exchange) =>
        await exchange.json(
          jobView(await calls.unary(jobsService.get, { jobId: exchange.id }, exchange.caller)),
        ),
    },
    { method: "POST", path: "/jobs", answer: (exchange) => submit(cluster, exchange) },
    {
      method: "POST",
      path: "/jobs/*/stop",
      answer: async (exchange) =>
        await exchange.json(
          jobView(await calls.unary(jobsService.stop, { jobId: exchange.id }, exchange.caller)),
        ),
    },
    {
      method: "GET",
      path: "/jobs/*/log",
      answer: async (exchange) => {
        // The job is requested before the stream begins, so that an unknown job is answered with an error status.
        await calls.unary(jobsService.get, { jobId: exchange.id }, exchange.caller);
        await streams.send(exchange, jobOutput(cluster, exchange));
      },
    },
  ];
}

async function submit({ calls }: DashboardCluster, exchange: Exchange): Promise<void> {
  const { kind, text, name, argv, submissionId } = await exchange.body(submissionSchema);
  const request = { name, argv, submissionId: submissionId || newId("job") };
  if (kind === "recipe") {
    const job = await calls.unary(jobsService.submit, { ...request, recipe: text }, exchange.caller);
    await exchange.json(jobView(job));
    return;
  }
  // A caller that may not submit jobs must not upload code either.
  await calls.unary(headService.getCluster, {}, exchange.caller);
  if (!calls.allows(jobsService.submit, exchange.caller))
    await calls.unary(jobsService.submit, request, exchange.caller);
  const { sha256 } = await calls.upload(
    jobsService.putBundle,
    [{ data: new TextEncoder().encode(text) }],
    exchange.caller,
  );
  const job = await calls.unary(jobsService.submit, { ...request, bundle: sha256 ?? "" }, exchange.caller);
  await exchange.json(jobView(job));
}

function jobOutput({ calls, jobLogBytes }: DashboardCluster, exchange: Exchange): LogSource {
  const sizeBytes = jobLogBytes(exchange.id);
  return ({ from, signal }) => {
    const offsetBytes =
      from === undefined ? Math.max(0, sizeBytes - tailBytes) : Math.max(from, sizeBytes - mostBehindBytes);
    const log = { jobId: exchange.id, offsetBytes, follow: true };
    return calls.stream(jobsService.logs, log, exchange.caller, signal);
  };
}
