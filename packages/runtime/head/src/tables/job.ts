import { normalizeQuantities, type Quantities, requestProblem } from "@palimpsest/scheduler";
import { sha256Of } from "@palimpsest/std";
import { fieldsOf, isSha256, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { isValidId } from "./actor.js";
import { checkArguments, checkName, checkTexts, shownText } from "./bounded-texts.js";
import {
  checkRuntimeEnvironment,
  environmentBundles,
  type RuntimeEnvironment,
  runtimeEnvironmentOf,
} from "./runtime-environment.js";

export const jobStatuses = ["PENDING", "RUNNING", "STOPPED", "SUCCEEDED", "FAILED"] as const;
type JobStatus = (typeof jobStatuses)[number];

/** What was submitted. It never changes. The environment is inherited by everything that the driver spawns. */
export interface Submission extends RuntimeEnvironment {
  /** The submission id; empty if the head should choose one. */
  readonly submissionId: string;
  readonly entrypoint:
    | { readonly kind: "recipe"; readonly text: string }
    | { readonly kind: "program"; readonly bundle: string };
  readonly argv: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly name: string;
  readonly resources: Quantities;
  /** How often it is submitted again when its driver was lost with its node. */
  readonly maxRetries: number;
  /** Whether it is submitted again when its driver has failed, too. */
  readonly retryFailures: boolean;
  /** The job of the first attempt; empty if this is it. */
  readonly firstAttempt: string;
  /** The number of the attempt; 0 for the first one. */
  readonly attempt: number;
  /** The trace of the client that submitted it first; empty without tracing. */
  readonly traceparent: string;
  readonly priority: number;
  /** The fairness key of what it asks for; empty if it named none. */
  readonly fairnessKey: string;
  /** The weight of that key; 0 if it gave none. */
  readonly weight: number;
}

/** A job as the head knows it. Only JobTable.update changes it. */
export interface Job {
  readonly jobId: string;
  readonly name: string;
  readonly status: JobStatus;
  readonly message: string;
  readonly nodeId: string;
  readonly driverPid: number;
  readonly driverExitCode: number | undefined;
  readonly submittedAtMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly stopRequested: boolean;
  /** The size of the driver's whole output, once it has ended. */
  readonly outputBytes: number;
  readonly resources: Quantities;
  readonly workingDir: string;
  /** The GPUs of its node that its driver leases. */
  readonly gpuIds: readonly number[];
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The job as which it was submitted again; empty if it was not. */
  readonly retriedAs: string;
}

/** What a node reports about a driver that runs on it. */
export type RunningDriver = Pick<Job, "jobId" | "resources" | "gpuIds">;

export function runningDriver(message: proto.RunningDriver.$Properties): RunningDriver {
  const { resources, ...driver } = fieldsOf(proto.RunningDriver, message);
  return { ...driver, resources: normalizeQuantities(resources?.quantities ?? {}) };
}

const statusToProto: Readonly<Record<JobStatus, proto.JobStatus>> = {
  PENDING: proto.JobStatus.JOB_STATUS_PENDING,
  RUNNING: proto.JobStatus.JOB_STATUS_RUNNING,
  STOPPED: proto.JobStatus.JOB_STATUS_STOPPED,
  SUCCEEDED: proto.JobStatus.JOB_STATUS_SUCCEEDED,
  FAILED: proto.JobStatus.JOB_STATUS_FAILED,
};

export function hasEnded(job: Job): boolean {
  return job.status !== "PENDING" && job.status !== "RUNNING";
}

/** The most retries that a submission may ask for. */
const maxRetriesLimit = 100;
/** Ids have up to 128 characters, of which the number of an attempt needs some. */
const keptOfId = 110;

/** Returns the submission of a job's next attempt; undefined if it has no retries left. */
export function nextAttempt(jobId: string, submission: Submission): Submission | undefined {
  const attempt = Math.max(1, submission.attempt) + 1;
  if (attempt > submission.maxRetries + 1) return undefined;
  const firstAttempt = submission.firstAttempt || jobId;
  const submissionId = `${firstAttempt.slice(0, keptOfId)}.retry-${attempt - 1}`;
  return { ...submission, submissionId, firstAttempt, attempt };
}

/** The milliseconds for which followers of a job that has ended wait for output that has not arrived yet. */
export const outputTailMs = 30_000;

/** Parses and checks the submission in a request. @throws {PalimpsestError} INVALID_ARGUMENT naming the field */
export function submissionFromProto(message: proto.SubmitRequest.$Properties): Submission {
  const submissionId = message.submissionId ?? "";
  if (submissionId !== "" && !isValidId(submissionId)) {
    throw invalid(
      `submission_id is ${shownText(submissionId)}: use up to 128 letters, digits, ".", "_", ":", "-"`,
    );
  }
  checkName("name", message.name ?? "");
  checkTexts("metadata", message.metadata ?? {});
  checkArguments(message.argv ?? []);
  const resources = message.resources?.quantities ?? {};
  const problem = requestProblem(resources);
  if (problem !== undefined) throw invalid(problem);
  const maxRetries = message.maxRetries ?? 0;
  if (maxRetries < 0 || maxRetries > maxRetriesLimit)
    throw invalid(`retries are ${maxRetries}: give 0 to ${maxRetriesLimit}`);
  const firstAttempt = message.firstAttempt ?? "";
  // The id of a further attempt is made from it, and names files.
  if (firstAttempt !== "" && !isValidId(firstAttempt))
    throw invalid(`first_attempt is ${shownText(firstAttempt)}: the head sets it, so leave it out`);
  const environment = runtimeEnvironmentOf(message);
  checkRuntimeEnvironment(environment);
  const { priority, fairnessKey, weight } = turnOf(message);
  return {
    submissionId,
    entrypoint: entrypointOf(message),
    argv: [...(message.argv ?? [])],
    ...environment,
    metadata: { ...message.metadata },
    name: message.name ?? "",
    resources: normalizeQuantities(resources),
    traceparent: message.traceparent ?? "",
    maxRetries,
    retryFailures: message.retryFailures ?? false,
    firstAttempt,
    attempt: message.attempt ?? 0,
    ...{ priority, fairnessKey, weight },
  };
}

const maxPriority = 1000;
const weightLimits = { least: 0.001, most: 1000 };

function turnOf(
  message: proto.SubmitRequest.$Properties,
): Pick<Submission, "priority" | "fairnessKey" | "weight"> {
  const { priority = 0, fairnessKey = "", weight = 0 } = message;
  if (Math.abs(priority ?? 0) > maxPriority)
    throw invalid(`priority is ${priority}: give a whole number from ${-maxPriority} to ${maxPriority}`);
  if (fairnessKey && !isValidId(fairnessKey))
    throw invalid(
      `fairness_key is ${shownText(fairnessKey)}: use up to 128 letters, digits, ".", "_", ":" and "-"`,
    );
  if (weight !== 0 && weight !== null && !(weight >= weightLimits.least && weight <= weightLimits.most))
    throw invalid(`weight is ${weight}: give a number from ${weightLimits.least} to ${weightLimits.most}`);
  return { priority: priority ?? 0, fairnessKey: fairnessKey ?? "", weight: weight ?? 0 };
}

function entrypointOf(message: proto.SubmitRequest.$Properties): Submission["entrypoint"] {
  if (message.recipe && message.packages)
    throw invalid(
      "packages can be given for a program only: the modules that a recipe names are bundled with their imports",
    );
  if (message.recipe) return { kind: "recipe", text: message.recipe };
  if (!message.bundle)
    throw invalid("entrypoint is missing: give the text of a recipe or the hash of a bundle");
  if (!isSha256(message.bundle))
    throw invalid(`bundle is ${JSON.stringify(message.bundle)}: it must be 64 hex digits`);
  return { kind: "program", bundle: message.bundle };
}

/** Returns a hash of everything that decides what a job does. Equal content under one submission id is the same job. */
export function contentHash(submission: Submission): string {
  const { submissionId: _id, traceparent: _span, ...content } = submission;
  return sha256Of(JSON.stringify(content, sortedRecords));
}

/** Sorts the keys of objects, as a replacer of JSON.stringify. */
function sortedRecords(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function encodeSubmission(submission: Submission): Uint8Array {
  const { entrypoint, resources, argv, packages, ...rest } = submission;
  return proto.SubmitRequest.encode({
    ...rest,
    packages: packages ?? null,
    argv: [...argv],
    resources: { quantities: { ...resources } },
    ...(entrypoint.kind === "recipe" ? { recipe: entrypoint.text } : { bundle: entrypoint.bundle }),
  }).finish();
}

export function decodeSubmission(bytes: Uint8Array): Submission {
  return submissionFromProto(proto.SubmitRequest.decode(bytes));
}

export function jobToProto(job: Job): proto.JobInfo.$Properties {
  const { status, driverExitCode, metadata, resources, gpuIds, ...rest } = job;
  return {
    ...rest,
    gpuIds: [...gpuIds],
    status: statusToProto[status],
    metadata: { ...metadata },
    resources: { quantities: { ...resources } },
    ...(driverExitCode === undefined ? {} : { driverExitCode }),
  };
}

export function encodeJob(job: Job): Uint8Array {
  return proto.JobInfo.encode(jobToProto(job)).finish();
}

export function decodeJob(bytes: Uint8Array): Job {
  const { driverExitCode, resources, ...info } = fieldsOf(proto.JobInfo, proto.JobInfo.decode(bytes));
  const status = jobStatuses.find((candidate) => statusToProto[candidate] === info.status);
  if (status === undefined)
    throw new PalimpsestError("CODEC", `stored job ${info.jobId} has status ${info.status}`);
  return {
    ...info,
    status,
    driverExitCode: driverExitCode ?? undefined,
    resources: normalizeQuantities(resources?.quantities ?? {}),
  };
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}

/** Returns the hashes of the bundles that the job's driver runs from. */
export function bundlesOf({ entrypoint, workingDir, packages }: Submission): string[] {
  const code = entrypoint.kind === "recipe" ? sha256Of(entrypoint.text) : entrypoint.bundle;
  return [code, ...environmentBundles({ workingDir, packages })];
}
