/** Routes about jobs: the list, submitting and stopping, and following their output. */
import { once } from "node:events";
import { headService, jobsService, newId, PalimpsestError } from "@palimpsest/wire";
import { type jobsSchema, logQuerySchema, submissionSchema } from "../api/jobs.js";
import type { DashboardCluster } from "./cluster-routes.js";
import { jobView } from "./cluster-views.js";
import { type Exchange, securityHeaders } from "./exchange.js";
import type { Route } from "./routes.js";
import { type LogPiece, WholeLetters } from "./whole-letters.js";

/** Maximum number of jobs that are sent, the newest first. The head remembers 1,000 jobs that have ended. */
const maxJobs = 2_000;
/** A page that opens a log gets at most this many bytes of what was written before. */
const tailBytes = 512 * 1024;
/**
 * A client that resumes further back gets at most this many bytes of what was written before, because a page keeps no
 * more. The page reports how many bytes were left out.
 */
const mostBehindBytes = 1024 * 1024;
/** Maximum number of concurrent log streams. */
const maxStreams = 64;
/** Milliseconds after which the server ends a log stream. The browser then opens another one where this one ended. */
const streamMs = 10 * 60_000;
/** Milliseconds between heartbeats, which keep proxies from closing a silent stream. */
const beatMs = 15_000;

export function jobRoutes(cluster: DashboardCluster): readonly Route[] {
  const { calls } = cluster;
  const streams = { open: 0 };
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
        if (streams.open >= maxStreams)
          throw new PalimpsestError(
            "UNAVAILABLE",
            `${maxStreams} logs are already being followed: close some of their pages`,
          );
        streams.open += 1;
        await follow(cluster, exchange).finally(() => {
          streams.open -= 1;
        });
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

/** Sends server-sent events, each with the offset of the next one, which a browser that lost the stream sends back. */
async function follow({ calls, jobLogBytes }: DashboardCluster, exchange: Exchange): Promise<void> {
  const { request, response, id, gone } = exchange;
  const again = Number(request.headers["last-event-id"] ?? Number.NaN);
  const asked = exchange.query(logQuerySchema).offset;
  const from = Number.isSafeInteger(again) && again >= 0 ? again : asked;
  const sizeBytes = jobLogBytes(id);
  const offsetBytes =
    from === undefined ? Math.max(0, sizeBytes - tailBytes) : Math.max(from, sizeBytes - mostBehindBytes);
  response.writeHead(200, {
    ...securityHeaders,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
  });
  response.write(`retry: 2000\n\n`);
  const over = new AbortController();
  const end = () => over.abort();
  gone.addEventListener("abort", end, { once: true });
  const late = setTimeout(end, streamMs);
  const beat = setInterval(() => response.write(":\n\n"), beatMs);
  const letters = new WholeLetters();
  const tell = async (piece: LogPiece) => {
    if (piece.nextBytes === piece.offsetBytes) return;
    const taken = response.write(`id: ${piece.nextBytes}\nevent: log\ndata: ${JSON.stringify(piece)}\n\n`);
    if (!taken) await once(response, "drain", { signal: over.signal });
  };
  try {
    const log = { jobId: id, offsetBytes, follow: true };
    for await (const chunk of calls.stream(jobsService.logs, log, exchange.caller, over.signal))
      await tell(letters.push(chunk.offsetBytes ?? 0, chunk.data ?? new Uint8Array()));
    await tell(letters.end());
    if (!over.signal.aborted) response.write("event: end\ndata: {}\n\n");
  } catch (reason) {
    if (!over.signal.aborted) throw reason;
  } finally {
    clearTimeout(late);
    clearInterval(beat);
    gone.removeEventListener("abort", end);
    response.end();
  }
}
