/**
 * Implements the RPCs of service Jobs: uploads and downloads of bundles, the job table, and logs that can be followed.
 */
import { once } from "node:events";
import type { ServerReadableStream, ServerWritableStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import { jobsService, PalimpsestError, type ServiceHandlers, toGrpcError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { JobLifecycle } from "../rules/job-lifecycle.js";
import type { Bundles } from "../store/bundles.js";
import { hasEnded, jobToProto, outputTailMs, submissionFromProto } from "../tables/job.js";
import type { JobLogs } from "../tables/job-logs.js";
import type { JobTable } from "../tables/job-table.js";
import { failStream, type Rpc } from "./rpc.js";

export interface JobsServiceDeps {
  readonly rpc: Rpc;
  readonly jobs: JobTable;
  readonly lifecycle: JobLifecycle;
  readonly logs: JobLogs;
  readonly bundles: Bundles;
  readonly clock: Clock;
  /** The longest time in milliseconds between two chunks of an upload. */
  readonly uploadStallMs: number;
}

type Outgoing<Request, Message> = ServerWritableStream<Request, Message>;

export function createJobsHandlers(deps: JobsServiceDeps): ServiceHandlers<typeof jobsService> {
  const { rpc, jobs, lifecycle, bundles } = deps;
  return {
    submit: rpc.unary(jobsService.submit, async (request) => {
      // Which attempt it is, the head alone says.
      const submission = submissionFromProto({ ...request, firstAttempt: "", attempt: 0 });
      const { entrypoint } = submission;
      if (entrypoint.kind === "program") await expectBundle(bundles, "bundle", entrypoint.bundle);
      if (submission.workingDir !== "") await expectBundle(bundles, "working_dir", submission.workingDir);
      if (submission.packages) await expectBundle(bundles, "packages.bundle", submission.packages.bundle);
      return jobToProto(await lifecycle.submit(submission));
    }),
    get: rpc.unary(jobsService.get, (request) =>
      jobToProto(lifecycle.forReaders(jobs.get(request.jobId ?? ""))),
    ),
    list: rpc.unary(jobsService.list, () => ({
      jobs: jobs.all().map((job) => jobToProto(lifecycle.forReaders(job))),
    })),
    stop: rpc.unary(jobsService.stop, async (request) =>
      jobToProto(await lifecycle.stop(request.jobId ?? "")),
    ),
    delete: rpc.unary(jobsService.delete, async (request) =>
      jobToProto(await lifecycle.delete(request.jobId ?? "")),
    ),
    putBundle: (call, callback) => {
      bundles.put(chunksOf(call, deps.uploadStallMs)).then(
        (bundle) => callback(null, bundle),
        (reason: unknown) => callback(toGrpcError(reason)),
      );
    },
    getBundle: (call) => {
      void pour(call, () => mapData(bundles.read(call.request.sha256 ?? "")));
    },
    logs: (call) => {
      void pour(call, (signal) => readLogs(deps, call.request, signal));
    },
  };
}

function readLogs(
  { jobs, logs, clock }: JobsServiceDeps,
  request: proto.LogsRequest.$Properties,
  signal: AbortSignal,
): AsyncIterable<proto.LogChunk.$Properties> {
  const { jobId } = jobs.get(request.jobId ?? "");
  const offset = request.offsetBytes ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new PalimpsestError("INVALID_ARGUMENT", `offset_bytes is ${offset}: it must be 0 or more`);
  }
  const follow = () => {
    const job = jobs.find(jobId);
    if (!request.follow || job === undefined) return false;
    if (!hasEnded(job)) return true;
    // The driver's end is reported over the link and may overtake its last output.
    return logs.sizeBytes(jobId) < job.outputBytes && clock.now() < job.endedAtMs + outputTailMs;
  };
  return logs.read(jobId, offset, follow, signal);
}

/** Writes everything from the source, waits while the reader is slow, and ends the stream. */
async function pour<Request, Message>(
  call: Outgoing<Request, Message>,
  source: (signal: AbortSignal) => AsyncIterable<Message>,
): Promise<void> {
  const controller = new AbortController();
  call.on("cancelled", () => controller.abort());
  try {
    for await (const message of source(controller.signal)) {
      if (controller.signal.aborted) return;
      if (!call.write(message)) await once(call, "drain", { signal: controller.signal });
    }
    call.end();
  } catch (reason) {
    if (!controller.signal.aborted) failStream(call, reason);
  }
}

async function* mapData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<proto.BundleChunk.$Properties> {
  for await (const data of chunks) yield { data };
}

async function* chunksOf(
  call: ServerReadableStream<proto.BundleChunk.$Properties, proto.BundleInfo.$Properties>,
  stallMs: number,
): AsyncGenerator<Uint8Array> {
  const stalled = () => {
    call.destroy(
      new PalimpsestError("GET_TIMEOUT", `no chunk of the bundle arrived for ${stallMs} ms: upload it again`),
    );
  };
  let timer = setTimeout(stalled, stallMs);
  try {
    const chunks: AsyncIterable<proto.BundleChunk.$Properties> = call;
    for await (const chunk of chunks) {
      clearTimeout(timer);
      if (chunk.data) yield chunk.data;
      timer = setTimeout(stalled, stallMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function expectBundle(bundles: Bundles, field: string, sha256: string): Promise<void> {
  if ((await bundles.sizeBytes(sha256)) !== undefined) return;
  throw new PalimpsestError(
    "NOT_FOUND",
    `${field} is ${sha256}, which the head does not have: upload it with PutBundle first`,
    {
      details: { bundle: sha256 },
    },
  );
}
