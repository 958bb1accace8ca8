/**
 * Responsibility: every job that the head knows, with its submission.
 * Not responsible for: starting or stopping drivers (job-lifecycle.ts does).
 *
 * Invariants:
 * - JOBTABLE-1. A terminal status never changes, nor does any other field of a job that has ended.
 * - JOBTABLE-2. A submission id identifies one submitted content for as long as the job is remembered.
 */
import type { Clock } from "@palimpsest/std";
import { newId, PalimpsestError } from "@palimpsest/wire";
import type { Journal } from "../store/journal.js";
import {
  contentHash,
  decodeJob,
  decodeSubmission,
  encodeJob,
  encodeSubmission,
  hasEnded,
  type Job,
  type RunningDriver,
  type Submission,
} from "./job.js";

export interface JobTableDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** The maximum number of ended jobs that are remembered. */
  readonly maxEnded: number;
}

export type JobForgotten = (jobId: string, submission: Submission | undefined) => void;

export class JobTable {
  readonly #deps: JobTableDeps;
  readonly #jobs = new Map<string, Job>();
  readonly #submissions = new Map<string, Submission>();
  readonly #forgetListeners = new Set<JobForgotten>();

  constructor(deps: JobTableDeps) {
    this.#deps = deps;
  }

  /** Calls back when a job is forgotten, to remove its files. */
  onForgotten(listener: JobForgotten): void {
    this.#forgetListeners.add(listener);
  }

  load(jobs: ReadonlyMap<string, Uint8Array>, submissions: ReadonlyMap<string, Uint8Array>): void {
    for (const [jobId, bytes] of submissions) {
      // An earlier head was killed while it rewrote rows that the store had lost, so this job was never confirmed to
      // anybody.
      if (!jobs.has(jobId)) void this.#deps.journal.put("submissions", jobId, undefined);
      else this.#submissions.set(jobId, decodeSubmission(bytes));
    }
    const loaded = [...jobs.values()].map(decodeJob).sort((a, b) => a.submittedAtMs - b.submittedAtMs);
    for (const job of loaded) this.#jobs.set(job.jobId, job);
  }

  /** Yields every job's row in the store. */
  *rows(): Generator<readonly [string, Uint8Array]> {
    for (const [jobId, job] of this.#jobs) yield [jobId, encodeJob(job)];
  }

  /** Yields every submission's row in the store. */
  *submissionRows(): Generator<readonly [string, Uint8Array]> {
    for (const [jobId, submission] of this.#submissions) yield [jobId, encodeSubmission(submission)];
  }

  /**
   * Adds a job, or returns the known one with the same content. @throws {PalimpsestError} ALREADY_EXISTS (JOBTABLE-2)
   */
  submit(submission: Submission): {
    readonly job: Job;
    readonly isNew: boolean;
    readonly durable: Promise<unknown>;
  } {
    const jobId = submission.submissionId || newId("job");
    const known = this.#jobs.get(jobId);
    const before = this.#submissions.get(jobId);
    if (known) {
      if (before && contentHash(before) === contentHash(submission)) {
        return { job: known, isNew: false, durable: this.durable(jobId) };
      }
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `submission_id ${jobId} belongs to a job with other content: use another id or leave it empty`,
      );
    }
    const { name, metadata, resources, workingDir } = submission;
    const attempts = { attempt: Math.max(1, submission.attempt), maxAttempts: submission.maxRetries + 1 };
    const job: Job = { ...this.#pending(jobId), name, metadata, resources, workingDir, ...attempts };
    this.#submissions.set(jobId, submission);
    this.#jobs.set(jobId, job);
    const durable = Promise.all([
      this.#deps.journal.put("submissions", jobId, encodeSubmission(submission)),
      this.#deps.journal.put("jobs", jobId, encodeJob(job)),
    ]);
    this.#forgetOldest();
    return { job, isNew: true, durable };
  }

  /**
   * Resolves when the store holds the job's present state and its submission. The answer to a repeated request waits
   * for this, too.
   */
  durable(jobId: string): Promise<unknown> {
    const { journal } = this.#deps;
    const submission = this.#submissions.get(jobId);
    return Promise.all([
      submission && journal.put("submissions", jobId, encodeSubmission(submission)),
      journal.put("jobs", jobId, encodeJob(this.get(jobId))),
    ]);
  }

  /**
   * Records a job whose driver runs but whose rows were lost, with the lease that its node reports. Its submission
   * stays unknown.
   */
  adopt(nodeId: string, { jobId, resources, gpuIds }: RunningDriver): Job {
    const message = "it was restored from its node's report: the tables had lost it and what was submitted";
    const job: Job = { ...this.#pending(jobId), status: "RUNNING", nodeId, message, resources, gpuIds };
    this.#jobs.set(jobId, job);
    void this.#deps.journal.put("jobs", jobId, encodeJob(job));
    return job;
  }

  /** Changes a job that has not ended, and returns a promise that resolves when the change is durable. */
  update(jobId: string, patch: Partial<Omit<Job, "jobId">>): Promise<void> {
    const before = this.#jobs.get(jobId);
    if (before === undefined || hasEnded(before)) return Promise.resolve();
    const job: Job = { ...before, ...patch };
    this.#jobs.set(jobId, hasEnded(job) ? { ...job, endedAtMs: this.#deps.clock.now() } : job);
    return this.#deps.journal.put("jobs", jobId, encodeJob(this.get(jobId)));
  }

  /** @throws {PalimpsestError} NOT_FOUND */
  get(jobId: string): Job {
    const job = this.#jobs.get(jobId);
    if (job === undefined) {
      throw new PalimpsestError("NOT_FOUND", `job ${jobId} is not known: see palimpsest job list`);
    }
    return job;
  }

  find(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  submission(jobId: string): Submission | undefined {
    return this.#submissions.get(jobId);
  }

  /** Returns all jobs, the oldest first. */
  all(): Job[] {
    return [...this.#jobs.values()];
  }

  /** Returns the submissions of all remembered jobs. */
  submissions(): Iterable<Submission> {
    return this.#submissions.values();
  }

  /** Forgets a job that has ended. Resolves when the store has forgotten it, too. */
  async forget(jobId: string): Promise<void> {
    const submission = this.#submissions.get(jobId);
    this.#jobs.delete(jobId);
    this.#submissions.delete(jobId);
    const durable = Promise.all([
      this.#deps.journal.put("jobs", jobId, undefined),
      this.#deps.journal.put("submissions", jobId, undefined),
    ]);
    for (const listener of this.#forgetListeners) listener(jobId, submission);
    await durable;
  }

  #pending(jobId: string): Job {
    return {
      jobId,
      name: "",
      status: "PENDING",
      message: "",
      nodeId: "",
      driverPid: 0,
      driverExitCode: undefined,
      submittedAtMs: this.#deps.clock.now(),
      startedAtMs: 0,
      endedAtMs: 0,
      metadata: {},
      stopRequested: false,
      outputBytes: 0,
      resources: {},
      workingDir: "",
      gpuIds: [],
      attempt: 1,
      maxAttempts: 1,
      retriedAs: "",
    };
  }

  #forgetOldest(): void {
    const ended = this.all().filter(hasEnded);
    for (const { jobId } of ended.slice(0, Math.max(0, ended.length - this.#deps.maxEnded))) {
      void this.forget(jobId);
    }
  }
}
