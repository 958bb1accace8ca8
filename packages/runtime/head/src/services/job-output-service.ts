/**
 * Serves the head's end of the stream with one driver's output.
 *
 * Responsibility: writing one message at a time from the stream to the job's log, and acknowledging it.
 * Not responsible for: files (job-logs.ts), or the end of the job (the node link reports it).
 *
 * Invariants:
 * - OUTPUT-1. A message is read only after the one before it is written: a slow disk delays this stream alone, and the
 *   backlog is bounded by the stream's window.
 * - OUTPUT-2. Only the node that runs a job's driver can append to the job's log.
 */
import type { handleBidiStreamingCall, ServerDuplexStream } from "@grpc/grpc-js";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { JobLogs } from "../tables/job-logs.js";
import type { JobTable } from "../tables/job-table.js";
import { failStream } from "./rpc.js";

type Output = proto.DriverOutput.$Properties;
type Ack = proto.DriverOutputAck.$Properties;
type OutputStream = ServerDuplexStream<Output, Ack>;

export interface JobOutputDeps {
  readonly jobs: JobTable;
  readonly logs: JobLogs;
  readonly logger: Logger;
}

export function createJobOutputHandler(deps: JobOutputDeps): handleBidiStreamingCall<Output, Ack> {
  return (stream) => void receive(deps, stream);
}

async function receive({ jobs, logs, logger }: JobOutputDeps, stream: OutputStream): Promise<void> {
  let jobId: string | undefined;
  try {
    // The stream is not destroyed on return, because an error may still have to be sent over it.
    const messages: AsyncIterable<Output> = stream.iterator({ destroyOnReturn: false });
    for await (const message of messages) {
      jobId ??= checkedJob(jobs, message);
      const data = message.data ?? new Uint8Array();
      const offsetBytes =
        data.byteLength === 0
          ? logs.sizeBytes(jobId)
          : await logs.append(jobId, data, message.offsetBytes ?? 0);
      // Its job was deleted during the write, so the log must not be created again.
      if (jobs.find(jobId) === undefined) logs.remove(jobId);
      stream.write({ jobId, offsetBytes });
    }
    stream.end();
  } catch (reason) {
    if (stream.cancelled) return;
    logger.warn({ err: reason, jobId }, "stream of a driver's output closed");
    failStream(stream, reason);
  }
}

/** @throws {PalimpsestError} NOT_FOUND when the node does not run that job's driver */
function checkedJob(jobs: JobTable, { jobId, nodeId }: Output): string {
  const job = jobs.find(jobId ?? "");
  if (job === undefined || !nodeId || job.nodeId !== nodeId) {
    throw new PalimpsestError(
      "NOT_FOUND",
      `job ${jobId} does not run on node ${nodeId}: its output is refused`,
    );
  }
  return job.jobId;
}
