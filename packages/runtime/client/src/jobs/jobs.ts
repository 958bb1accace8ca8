import { delay } from "@palimpsest/std";
import { type TraceSpan, tracing } from "@palimpsest/telemetry";
import {
  fieldsOf,
  fromGrpcError,
  jobsService,
  newId,
  PalimpsestError,
  resourceNameProblem,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { checkFields, checkValue, refused, rules, waitRules } from "../base/fields.js";
import type { HeadCallOptions, HeadClient } from "../base/head-client.js";
import { textOf } from "../base/output-text.js";
import type { BundleOptions } from "./build-module.js";
import { type Bundle, bundleModule } from "./bundle.js";
import type { BundleUploads } from "./bundle-uploads.js";
import { type ModuleSource, sourceRule } from "./module-source.js";
import { packEnvironment, type RuntimeEnvironmentOptions } from "./runtime-environment.js";

/** The states of a job. */
export type JobStatusName = "pending" | "running" | "stopped" | "succeeded" | "failed" | "unknown";

/** What the head knows about a job; times are in milliseconds since 1970. */
export interface JobInfo {
  readonly jobId: string;
  readonly name: string;
  readonly status: JobStatusName;
  /** Why it is pending, or how it failed. */
  readonly message: string;
  readonly nodeId: string;
  readonly driverPid: number;
  readonly driverExitCode: number | undefined;
  /** Milliseconds since the epoch; 0 if it has not happened. */
  readonly submittedAtMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** A stop was requested. The job becomes stopped when its driver has ended. */
  readonly stopRequested: boolean;
  /** Resources that its driver leases on its node. */
  readonly resources: Readonly<Record<string, number>>;
  /** The GPUs of its node that its driver leases. */
  readonly gpuIds: readonly number[];
  /** SHA-256 of its packed working directory; empty if it has none. */
  readonly workingDir: string;
  /** Size of its whole output in bytes, once it has ended. */
  readonly outputBytes: number;
  /** The number of this attempt, counted from 1, and of those that it may have. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The job as which the head submitted it again after it had failed; empty if it did not. */
  readonly retriedAs: string;
}

/** The environment of the driver and of everything that it spawns. The driver runs in its own copy of the folder. */
interface CommonJobOptions extends RuntimeEnvironmentOptions {
  /** Makes the submission idempotent. Default: a new id. */
  readonly submissionId?: string;
  readonly name?: string;
  readonly argv?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  /** Resources that the driver itself needs on its node. Default: none. */
  readonly resources?: Readonly<Record<string, number>>;
  /**
   * How often the head submits it again, from its beginning and under another id, when its driver was lost with its node.
   * Default: 0, at most 100.
   */
  readonly maxRetries?: number;
  /** Whether it does so when its driver fails, too. Default: false. */
  readonly retryFailures?: boolean;
  /** What it asks for is placed before what has a lower priority. Default: 0, from -1000 to 1000. */
  readonly priority?: number;
  /**
   * Who it is for: what jobs of one key ask for shares what the key's weight is worth beside those of others. Default:
   * with a weight the job itself, else a key that all such jobs share.
   */
  readonly fairnessKey?: string;
  /** The weight of its fairness key, from 0.001 to 1000. Default: 1. */
  readonly weight?: number;
}

/** A recipe's YAML text, or a program, which is bundled and uploaded. */
export type SubmitJobOptions = CommonJobOptions &
  ({ readonly recipe: string } | ({ readonly program: ModuleSource } & BundleOptions));

/** Which part of a job's output is read: from `offsetBytes` on, and whether it is followed. */
export interface JobLogsOptions {
  readonly offsetBytes?: number;
  /** Whether to wait for new output until the job ends. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const statuses: Readonly<Record<number, JobStatusName>> = {
  [proto.JobStatus.JOB_STATUS_PENDING]: "pending",
  [proto.JobStatus.JOB_STATUS_RUNNING]: "running",
  [proto.JobStatus.JOB_STATUS_STOPPED]: "stopped",
  [proto.JobStatus.JOB_STATUS_SUCCEEDED]: "succeeded",
  [proto.JobStatus.JOB_STATUS_FAILED]: "failed",
};

const logRules = { offsetBytes: rules.wholeNumber, follow: rules.flag, signal: rules.signal } as const;

function checkJob(jobId: string, call: HeadCallOptions, what: string): void {
  checkValue(jobId, rules.filledText, `the job of ${what}`);
  checkFields(call, waitRules, `options of ${what}`);
}

type KeyOf<Options> = Options extends unknown ? keyof Options : never;

/** The environment's options are checked with it. */
const jobRules = {
  ...{ recipe: rules.filledText, program: sourceRule, external: rules.texts, argv: rules.texts },
  ...{ submissionId: rules.text, name: rules.text, metadata: rules.anything, resources: rules.anything },
  ...{ environment: rules.anything, workingDir: rules.anything, packages: rules.anything },
  ...{ maxRetries: rules.wholeNumber, retryFailures: rules.flag },
  ...{ priority: rules.integer, fairnessKey: rules.text, weight: rules.positive },
} as const satisfies Record<KeyOf<SubmitJobOptions>, unknown>;

const ended: ReadonlySet<JobStatusName> = new Set(["stopped", "succeeded", "failed"]);
const logRetryMs = 500;
const pollMs = 500;

/** Programs whose drivers run on the cluster. */
export class Jobs {
  readonly #head: HeadClient;
  readonly #uploads: BundleUploads;

  constructor(head: HeadClient, uploads: BundleUploads) {
    this.#head = head;
    this.#uploads = uploads;
  }

  async submit(options: SubmitJobOptions, call: HeadCallOptions = {}): Promise<JobInfo> {
    const span = tracing()?.start("submit job", { kind: "producer" });
    try {
      const job = await this.#submit(options, call, span);
      span?.end(undefined, { "palimpsest.job_id": job.jobId });
      return job;
    } catch (reason) {
      span?.end(PalimpsestError.from(reason));
      throw reason;
    }
  }

  async #submit(
    options: SubmitJobOptions,
    call: HeadCallOptions,
    span: TraceSpan | undefined,
  ): Promise<JobInfo> {
    checkFields(options, jobRules, "options of jobs.submit()");
    for (const name of Object.keys(options.resources ?? {})) {
      const problem = resourceNameProblem(name);
      if (problem !== undefined) throw refused("options of jobs.submit()", `resources.${name}: ${problem}`);
    }
    if ("recipe" in options === "program" in options)
      throw refused(
        "options of jobs.submit()",
        "give either recipe, the text of a recipe, or program, the URL of a module",
      );
    const { fields, bundles: ofEnvironment, external } = await packEnvironment(options);
    const program = "recipe" in options ? undefined : await bundleProgram(options, external);
    const request: proto.SubmitRequest.$Properties = {
      ...fields,
      submissionId: options.submissionId ?? newId("job"),
      name: options.name ?? "",
      argv: [...(options.argv ?? [])],
      environment: { ...options.environment },
      metadata: { ...options.metadata },
      resources: { quantities: { ...options.resources } },
      traceparent: span?.traceparent ?? "",
      maxRetries: options.maxRetries ?? 0,
      retryFailures: options.retryFailures ?? false,
      priority: options.priority ?? 0,
      fairnessKey: options.fairnessKey ?? "",
      weight: options.weight ?? 0,
      ...("recipe" in options ? { recipe: options.recipe } : { bundle: program?.sha256 ?? "" }),
    };
    const bundles = program ? [...ofEnvironment, program] : ofEnvironment;
    const submit = () => this.#head.call(jobsService.submit, request, call);
    return jobView(await this.#uploads.naming(bundles, submit, call));
  }

  async get(jobId: string, call: HeadCallOptions = {}): Promise<JobInfo> {
    checkJob(jobId, call, "get()");
    return jobView(await this.#head.call(jobsService.get, { jobId }, call));
  }

  async list(call: HeadCallOptions = {}): Promise<readonly JobInfo[]> {
    checkFields(call, waitRules, "options of list()");
    const { jobs } = await this.#head.call(jobsService.list, {}, call);
    return (jobs ?? []).map(jobView);
  }

  async stop(jobId: string, call: HeadCallOptions = {}): Promise<JobInfo> {
    checkJob(jobId, call, "stop()");
    return jobView(await this.#head.call(jobsService.stop, { jobId }, call));
  }

  /**
   * Deletes a job that has ended, with its output.
   * @throws {PalimpsestError} NOT_FOUND; INVALID_ARGUMENT while it runs
   */
  async delete(jobId: string, call: HeadCallOptions = {}): Promise<JobInfo> {
    checkJob(jobId, call, "delete()");
    return jobView(await this.#head.call(jobsService.delete, { jobId }, call));
  }

  /** Resolves when the job has ended. @throws {PalimpsestError} GET_TIMEOUT, CANCELLED */
  async wait(jobId: string, options: HeadCallOptions & { readonly timeoutMs: number }): Promise<JobInfo> {
    checkJob(jobId, options, "wait()");
    const deadlineAt = performance.now() + options.timeoutMs;
    for (;;) {
      const job = await this.get(jobId, options.signal ? { signal: options.signal } : {});
      if (ended.has(job.status)) return job;
      if (options.signal?.aborted)
        throw new PalimpsestError("CANCELLED", `the wait for job ${jobId} was cancelled`);
      if (performance.now() + pollMs > deadlineAt) {
        throw new PalimpsestError(
          "GET_TIMEOUT",
          `job ${jobId} is still ${job.status} after ${options.timeoutMs} ms`,
        );
      }
      await delay(pollMs, options.signal);
    }
  }

  /** Yields the driver's output as text. After a break the stream is reopened and continues where it stopped. */
  logs(jobId: string, options: JobLogsOptions = {}): AsyncGenerator<string, void, undefined> {
    return textOf(this.logBytes(jobId, options));
  }

  /** The same output as `logs`, byte for byte. */
  async *logBytes(jobId: string, options: JobLogsOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    checkValue(jobId, rules.filledText, "the job of logs()");
    checkFields(options, logRules, "options of logs()");
    let offsetBytes = options.offsetBytes ?? 0;
    for (;;) {
      const request = { jobId, offsetBytes, follow: options.follow ?? false };
      const settings = options.signal ? { signal: options.signal } : {};
      const stream = this.#head.peer.serverStream(jobsService.logs, request, settings);
      try {
        const chunks: AsyncIterable<proto.LogChunk.$Properties> = stream;
        for await (const chunk of chunks) {
          const at = chunk.offsetBytes ?? offsetBytes;
          // The part that a repeated chunk shares with earlier ones is left out.
          const chunkData = chunk.data ?? new Uint8Array();
          const data = chunkData.subarray(Math.max(0, offsetBytes - at));
          // The chunk's own offset counts, because lost output leaves holes between chunks.
          offsetBytes = Math.max(offsetBytes, at + chunkData.byteLength);
          if (data.byteLength > 0) yield data;
        }
        return;
      } catch (reason) {
        const error = fromGrpcError(reason);
        if (options.signal?.aborted) return;
        if (!error.retryable) throw error;
        await delay(logRetryMs, options.signal);
      } finally {
        stream.cancel();
      }
    }
  }
}

async function bundleProgram(
  { program, external = [] }: { readonly program: ModuleSource } & BundleOptions,
  installed: readonly string[],
): Promise<Bundle> {
  return await bundleModule(program, { external: [...external, ...installed] });
}

function jobView(message: proto.JobInfo.$Properties): JobInfo {
  const { status, driverExitCode, resources, ...job } = fieldsOf(proto.JobInfo, message);
  return {
    ...job,
    status: statuses[status] ?? "unknown",
    driverExitCode: driverExitCode ?? undefined,
    resources: resources?.quantities ?? {},
  };
}
