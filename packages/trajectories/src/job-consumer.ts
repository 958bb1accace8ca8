/** Job: runs one BullMQ worker for rollouts or rewards: attempts, locks, take-over from dead consumers, orderly close.
 *  Not its job: what an episode or a score is.
 *
 *  J1 (T1). A job whose consumer dies, hangs or loses Redis goes to another consumer after the lock ends.
 *  J2 (T1). Closing gives running jobs back without using up an attempt.
 *  J3 (T4). A job that fails for good is listed at its parent with its error; it never blocks the group.
 *
 *  The processor must not block the event loop for longer than the lock lasts. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { type Job, WaitingError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { QueueSettings } from "./queue-settings.js";
import type { QueueName, RunKeys } from "./run-keys.js";

export type JobKind = "rollout" | "reward";

export interface JobConsumerOptions {
  readonly kind: JobKind;
  readonly queueName: QueueName;
  /** Jobs that run at once in this process. */
  readonly concurrency: number;
  readonly redis: Redis;
  readonly keys: RunKeys;
  readonly settings: QueueSettings;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  /** Does the work and stores its result. The signal aborts when the consumer closes or the lock is lost. */
  readonly process: (job: Job, signal: AbortSignal) => Promise<void>;
}

export interface CloseOptions {
  /** How long running jobs may take to notice the abort. 0: leave them to be taken over. Default 5 s. */
  readonly deadlineMs?: number;
}

const defaultDeadlineMs = 5000;

export class JobConsumer {
  readonly #options: JobConsumerOptions;
  readonly #worker: Worker;
  readonly #running = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  private constructor(options: JobConsumerOptions) {
    this.#options = options;
    const { settings, logger, metrics, kind } = options;
    this.#worker = new Worker(
      options.queueName,
      // Three parameters: BullMQ looks at the arity before it makes a signal.
      (job, token, signal) => this.#track(job, token ?? "", signal ?? new AbortController().signal),
      {
        connection: options.redis,
        prefix: options.keys.prefix,
        concurrency: options.concurrency,
        autorun: false,
        lockDuration: settings.lockDurationMs,
        stalledInterval: settings.stalledIntervalMs,
        maxStalledCount: settings.maxStalledCount,
        runRetryDelay: settings.retryDelayMs,
      },
    );
    this.#worker.on("error", (error) => logger.warn({ err: error }, "queue consumer error"));
    this.#worker.on("stalled", (jobId) => {
      metrics?.counter("palimpsest_queue_stalled_jobs_total").inc({ kind });
      logger.warn({ jobId, kind }, "job taken back from a dead consumer");
    });
    this.#worker.on("lockRenewalFailed", (jobIds) => {
      for (const jobId of jobIds) {
        this.#worker.cancelJob(jobId, "another consumer has the job");
      }
    });
    this.#worker.on("failed", (job, error) => {
      const final = job?.finishedOn !== undefined;
      logger.warn({ jobId: job?.id, kind, attempt: job?.attemptsMade, final, err: error }, "job failed");
    });
  }

  /** Starts taking jobs; resolves when both connections are ready. */
  static async start(options: JobConsumerOptions): Promise<JobConsumer> {
    const consumer = new JobConsumer(options);
    await consumer.#worker.waitUntilReady();
    consumer.#worker.run().catch((error) => options.logger.error({ err: error }, "queue consumer ended"));
    return consumer;
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running.size;
  }

  #track(job: Job, token: string, signal: AbortSignal): Promise<void> {
    const work = this.#process(job, token, signal);
    this.#running.add(work);
    const done = (): void => void this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  async #process(job: Job, token: string, signal: AbortSignal): Promise<void> {
    const { kind, metrics } = this.#options;
    const startedAtMs = Date.now();
    metrics
      ?.histogram("palimpsest_queue_job_wait_seconds")
      .observe({ kind }, Math.max(0, startedAtMs - job.timestamp) / 1000);
    let outcome = "error";
    let closing = this.#closing !== undefined;
    try {
      // A fetch that was under way when the close began may still bring a job.
      if (closing) {
        throw new Error("consumer closes");
      }
      await this.#options.process(job, signal);
      outcome = "ok";
    } catch (error) {
      closing ||= this.#closing !== undefined && signal.aborted;
      if (closing) {
        outcome = "released";
        await job.moveToWait(token);
        throw new WaitingError();
      }
      throw error instanceof Error ? error : PalimpsestError.from(error);
    } finally {
      metrics
        ?.histogram("palimpsest_queue_job_seconds")
        .observe({ kind, outcome }, (Date.now() - startedAtMs) / 1000);
    }
  }

  /** Takes no more jobs, aborts the running ones and gives them back to the queue. */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.deadlineMs ?? defaultDeadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<void> {
    // Yields first, so that #closing is set before any job sees the abort.
    await this.#worker.pause(true);
    if (deadlineMs === 0) {
      await this.#worker.close(true);
      return;
    }
    this.#worker.cancelAllJobs("consumer closes");
    const timer = new AbortController();
    const late = sleep(deadlineMs, true, { signal: timer.signal }).catch(() => true);
    let isLate = await Promise.race([Promise.allSettled(this.#running).then(() => false), late]);
    if (isLate) {
      await this.#worker.close(true);
    } else {
      // Without Redis this waits for it; disconnecting the shared connection ends the wait.
      isLate = await Promise.race([this.#worker.close().then(() => false), late]);
    }
    timer.abort();
    if (isLate) {
      this.#options.logger.warn(
        { jobs: this.#running.size },
        "jobs did not stop; others will take them over",
      );
    }
  }
}
