/**
 * Responsibility: the states of a job: its driver is placed, started, watched and stopped.
 * Not responsible for: the output (job-logs.ts), or running the driver (its node does).
 *
 * Invariants:
 * - JOBLIFE-1. A job's driver is started at most once. What is tried again is another job with the same content, which
 *   the store holds before it holds that the first one has failed, at most once per attempt and not after a stop request.
 * - JOBLIFE-2. A node is ordered to start a driver only after the store holds that decision.
 * - JOBLIFE-3. A job with a stop request ends STOPPED, however its driver ends, and its driver is not started after
 *   the request.
 * - JOBLIFE-4. If a node is lost before it was ordered to start a driver, the job is PENDING again.
 * - JOBLIFE-5. A driver that a node reports and no table knows is recorded as a running job at the node's first
 *   registration with this head, because the head may have lost the row. At a later registration its job must have
 *   been deleted or forgotten, so it is stopped. An adopted driver keeps the lease that its node reports.
 * - JOBLIFE-6. A job of which the store holds only the state, without its submission, was never acknowledged. It is
 *   forgotten before it is placed, and the same submission creates it again.
 */

import { type Clock, sha256Of } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { lastWords, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Bundles } from "../store/bundles.js";
import { isValidId } from "../tables/actor.js";
import { hasEnded, type Job, nextAttempt, runningDriver, type Submission } from "../tables/job.js";
import type { JobLogs } from "../tables/job-logs.js";
import type { JobTable } from "../tables/job-table.js";
import type { Node } from "../tables/node.js";
import type { NodeTable } from "../tables/node-table.js";
import type { Claims } from "./claims.js";
import type { PendingQueue } from "./placement.js";

export interface JobLifecycleDeps {
  readonly jobs: JobTable;
  readonly nodes: NodeTable;
  readonly pendingQueue: PendingQueue;
  readonly claims: Claims;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The milliseconds between SIGTERM and SIGKILL when a driver is stopped. */
  readonly driverStopGraceMs: number;
  /** Where nodes find the text of a recipe. */
  readonly bundles: Pick<Bundles, "putText">;
  readonly logs: Pick<JobLogs, "sizeBytes">;
}

export class JobLifecycle {
  readonly #deps: JobLifecycleDeps;
  /** Jobs whose placement has not reached the store yet: no node has been ordered to start them. */
  readonly #placing = new Map<string, object>();
  #onEnded: (jobId: string) => void = () => undefined;

  constructor(deps: JobLifecycleDeps) {
    this.#deps = deps;
    deps.nodes.onDead((node, reason) => this.#nodeDied(node, reason));
  }

  /** Registers what is called once when a job has ended. */
  onEnded(listener: (jobId: string) => void): void {
    this.#onEnded = listener;
  }

  /** Takes over the jobs of an earlier head, once the tables are loaded. */
  recover(): void {
    const { jobs, nodes, logger } = this.#deps;
    for (const job of [...jobs.all()]) {
      if (job.status === "PENDING" && jobs.submission(job.jobId) === undefined) {
        logger.warn({ jobId: job.jobId }, "forgetting a job whose submission was interrupted");
        void jobs.forget(job.jobId);
        continue;
      }
      if (job.status === "PENDING") this.#seek(job.jobId);
      if (job.status !== "RUNNING") continue;
      nodes.reserve(job.nodeId, leaseOf(job.jobId), job.resources, { gpuIds: job.gpuIds });
      const node = nodes.get(job.nodeId);
      if (node === undefined || node.state === "DEAD")
        this.#lost(job, `node lost: ${job.nodeId} is not known any more`);
    }
  }

  /** Submits a job. The call is idempotent by submission id, and resolves when the store has the job. */
  async submit(submission: Submission): Promise<Job> {
    if (submission.entrypoint.kind === "recipe") await this.#deps.bundles.putText(submission.entrypoint.text);
    const { job, isNew, durable } = this.#deps.jobs.submit(submission);
    if (isNew) this.#seek(job.jobId);
    await durable;
    return this.#deps.jobs.get(job.jobId);
  }

  async stop(jobId: string): Promise<Job> {
    const { jobs, pendingQueue, nodes, driverStopGraceMs } = this.#deps;
    const job = jobs.get(jobId);
    if (hasEnded(job)) {
      await jobs.durable(jobId);
      return job;
    }
    if (job.status === "PENDING") {
      pendingQueue.remove(pendingKey(jobId));
      await this.#end(jobId, {
        status: "STOPPED",
        stopRequested: true,
        message: "stopped before its driver started",
      });
      return jobs.get(jobId);
    }
    const durable = jobs.update(jobId, { stopRequested: true, message: "stopping" });
    // If the node has no link now, the order is sent when it registers again.
    nodes.send(job.nodeId, { stopDriver: { jobId, graceMs: driverStopGraceMs } });
    await durable;
    return jobs.get(jobId);
  }

  /** Forgets a job that has ended. @throws {PalimpsestError} NOT_FOUND; INVALID_ARGUMENT while it has not ended */
  async delete(jobId: string): Promise<Job> {
    const job = this.#deps.jobs.get(jobId);
    if (!hasEnded(job)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `job ${jobId} is ${job.status}: stop it first (palimpsest job stop ${jobId}), then delete it`,
      );
    }
    await this.#deps.jobs.forget(jobId);
    return job;
  }

  /** Stops every job that has not ended, because the cluster shuts down. */
  async endAll(): Promise<void> {
    const living = this.#deps.jobs.all().filter((job) => !hasEnded(job));
    await Promise.all(living.map((job) => this.stop(job.jobId)));
  }

  driverStarted(nodeId: string, message: proto.DriverStarted.$Properties): void {
    const job = this.#deps.jobs.find(message.jobId ?? "");
    if (job?.nodeId === nodeId) void this.#deps.jobs.update(job.jobId, { driverPid: message.pid ?? 0 });
  }

  driverExited(nodeId: string, message: proto.DriverExited.$Properties): void {
    const job = this.#deps.jobs.find(message.jobId ?? "");
    if (job?.nodeId !== nodeId || job.status !== "RUNNING") return;
    const certificate = message.certificate ?? {};
    const exitCode = certificate.exitCode ?? undefined;
    const status = job.stopRequested ? "STOPPED" : exitCode === 0 ? "SUCCEEDED" : "FAILED";
    const why = messageOf(status, certificate);
    void this.#end(job.jobId, {
      status,
      driverExitCode: exitCode,
      driverPid: certificate.pid || job.driverPid,
      outputBytes: message.outputBytes ?? 0,
      ...(status === "FAILED" ? this.#again(job, why, true) : { message: why }),
    });
  }

  /**
   * Compares the drivers that a node reports with what the head has recorded.
   * @returns handles the missing jobs, once the node has reported everything
   */
  nodeRegistered(
    nodeId: string,
    drivers: readonly proto.RunningDriver.$Properties[],
  ): { readonly settle: () => void } {
    const { jobs, nodes, driverStopGraceMs, logger } = this.#deps;
    const running = drivers.map(runningDriver);
    for (const driver of running) {
      const { jobId } = driver;
      const lost = jobs.find(jobId) === undefined && !nodes.isBack(nodeId) && isValidId(jobId);
      if (lost)
        logger.warn(
          { jobId, nodeId },
          "a job that was missing from the tables was restored from its node's report",
        );
      const job = lost ? jobs.adopt(nodeId, driver) : jobs.find(jobId);
      const wanted = job?.status === "RUNNING" && job.nodeId === nodeId;
      if (wanted) nodes.reserve(nodeId, leaseOf(jobId), job.resources, { gpuIds: job.gpuIds });
      if (!wanted || job.stopRequested)
        nodes.send(nodeId, { stopDriver: { jobId, graceMs: driverStopGraceMs } });
    }
    const told = new Set(running.map(({ jobId }) => jobId));
    const missing = jobs
      .all()
      .filter((job) => job.nodeId === nodeId && job.status === "RUNNING" && !told.has(job.jobId));
    return { settle: () => this.#settle(missing) };
  }

  /**
   * Returns the job for readers. If it waits for a node, the message says why, computed now by examining every node.
   */
  forReaders(job: Job): Job {
    const reason = this.#deps.pendingQueue.reason(pendingKey(job.jobId));
    return reason === "" ? job : { ...job, message: reason };
  }

  #seek(jobId: string): void {
    const { jobs, pendingQueue, claims } = this.#deps;
    pendingQueue.enqueue(pendingKey(jobId), {
      leaseId: leaseOf(jobId),
      request: {
        resources: jobs.submission(jobId)?.resources ?? {},
        labels: {},
        claim: claims.of({ jobId, namespace: "" }),
      },
      onPlaced: (nodeId) => void this.#start(jobId, nodeId),
    });
  }

  async #start(jobId: string, nodeId: string): Promise<void> {
    const { jobs, nodes, clock, logger } = this.#deps;
    const placement = {};
    this.#placing.set(jobId, placement);
    const gpuIds = [...nodes.gpusOf(nodeId, leaseOf(jobId))];
    await jobs.update(jobId, { status: "RUNNING", nodeId, message: "", startedAtMs: clock.now(), gpuIds });
    // Its node was lost in the meantime, and the job was placed again.
    if (this.#placing.get(jobId) !== placement) return;
    this.#placing.delete(jobId);
    const job = jobs.find(jobId);
    if (job?.status !== "RUNNING") return;
    if (job.stopRequested) {
      void this.#end(jobId, { status: "STOPPED", message: "stopped before its driver started" });
      return;
    }
    logger.info({ jobId, nodeId }, "driver placed");
    this.#sendStart(job);
  }

  #sendStart(job: Job): void {
    const submission = this.#deps.jobs.submission(job.jobId);
    if (submission === undefined) return;
    const { entrypoint, argv, environment } = submission;
    this.#deps.nodes.send(job.nodeId, {
      startDriver: {
        jobId: job.jobId,
        argv: [entrypoint.kind, ...argv],
        bundle: entrypoint.kind === "recipe" ? sha256Of(entrypoint.text) : entrypoint.bundle,
        environment: { ...environment },
        workingDir: submission.workingDir,
        packages: submission.packages ?? null,
        gpuIds: [...job.gpuIds],
        resources: { quantities: { ...job.resources } },
        ...(submission.traceparent === "" ? {} : { traceparent: submission.traceparent }),
      },
    });
  }

  #settle(missing: readonly Job[]): void {
    for (const { jobId } of missing) {
      const job = this.#deps.jobs.find(jobId);
      // The order for a job that is being placed is sent once the store holds the decision (JOBLIFE-2).
      if (job?.status !== "RUNNING" || this.#placing.has(jobId)) continue;
      const submitted = this.#deps.jobs.submission(jobId) !== undefined;
      const neverSeen = submitted && job.driverPid === 0 && this.#deps.logs.sizeBytes(jobId) === 0;
      if (neverSeen && !job.stopRequested) this.#sendStart(job);
      else this.#lost(job, "its driver ended while its node was unreachable for the head");
    }
  }

  #nodeDied(node: Node, reason: string): void {
    for (const job of this.#deps.jobs.all()) {
      if (job.nodeId === node.nodeId && job.status === "RUNNING") this.#lost(job, reason);
    }
  }

  #lost(job: Job, reason: string): void {
    if (this.#placing.delete(job.jobId) && !job.stopRequested) {
      // JOBLIFE-4: the job returns to the pending queue as if it had never been placed.
      void this.#deps.jobs.update(job.jobId, {
        status: "PENDING",
        nodeId: "",
        startedAtMs: 0,
        message: reason,
      });
      this.#seek(job.jobId);
      return;
    }
    if (job.stopRequested) void this.#end(job.jobId, { status: "STOPPED", message: reason });
    else void this.#end(job.jobId, { status: "FAILED", ...this.#again(job, reason, false) });
  }

  /**
   * Submits a job that fails again, if it may be (JOBLIFE-1). The id of an attempt follows from that of the first one, so
   * that a head that is killed in between submits it only once.
   * @param isFailure whether its driver failed; otherwise it was lost
   */
  #again(job: Job, reason: string, isFailure: boolean): Pick<Job, "message" | "retriedAs"> {
    const { jobs, logger } = this.#deps;
    const submission = jobs.submission(job.jobId);
    const mayRetry = submission !== undefined && (!isFailure || submission.retryFailures);
    const next = mayRetry ? nextAttempt(job.jobId, submission) : undefined;
    if (next === undefined) {
      const spent =
        mayRetry && job.attempt > 1 ? `${reason} (attempt ${job.attempt} of ${job.maxAttempts})` : reason;
      return { message: isFailure ? spent : `${spent}: submit it again`, retriedAs: "" };
    }
    let jobId: string;
    try {
      const again = jobs.submit(next);
      jobId = again.job.jobId;
      if (again.isNew) this.#seek(jobId);
    } catch (taken) {
      const why = PalimpsestError.from(taken).rawMessage;
      return { message: `${reason}; it is not submitted again: ${why}`, retriedAs: "" };
    }
    logger.info({ jobId: job.jobId, retriedAs: jobId, attempt: next.attempt }, "job submitted again");
    const which = `attempt ${next.attempt} of ${job.maxAttempts}`;
    return { message: `${reason}; submitted again as ${jobId}, ${which}`, retriedAs: jobId };
  }

  #end(jobId: string, patch: Partial<Job> & { readonly status: Job["status"] }): Promise<void> {
    const { jobs, nodes, logger } = this.#deps;
    const durable = jobs.update(jobId, patch);
    const job = jobs.get(jobId);
    nodes.release(job.nodeId, leaseOf(jobId));
    logger.info(
      { jobId, status: job.status, exitCode: job.driverExitCode, reason: job.message },
      "job ended",
    );
    this.#onEnded(jobId);
    return durable;
  }
}

function messageOf(status: Job["status"], certificate: proto.DeathCertificate.$Properties): string {
  if (status === "SUCCEEDED") return "";
  if (status === "STOPPED") return "stopped on request";
  const words = lastWords(certificate.lastStderrLines ?? []);
  const how = certificate.signal
    ? `its driver was ended by ${certificate.signal}`
    : `its driver exited with code ${certificate.exitCode ?? "unknown"}`;
  return words ? `${how}: ${words}` : certificate.reason || how;
}

function leaseOf(jobId: string): string {
  return `driver/${jobId}`;
}

function pendingKey(jobId: string): string {
  return `job/${jobId}`;
}
