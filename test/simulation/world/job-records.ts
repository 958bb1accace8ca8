/**
 * Responsibility: records requests for jobs and their answers, and which drivers ran; checks each of these events. Not
 * responsible for: jobs at rest (../invariants/jobs.ts).
 */
import * as proto from "@palimpsest/wire/protocol";
import type { JobInfo } from "../../../packages/runtime/client/src/jobs/jobs.js";
import type { Arrival } from "./connection.js";
import type { SimJobDriver } from "./job-driver.js";
import type { World } from "./world.js";

/** An order that is on its way when Redis loses rows was based on rows that existed then. */
const lateMs = 150_000;

export class JobRecords {
  readonly #world: World;
  /** Jobs whose submission was acknowledged. */
  readonly submitted = new Set<string>();
  /** Jobs that must end as STOPPED: their stop was acknowledged before they ended otherwise. */
  readonly stopped = new Set<string>();
  /** Those among the stopped jobs that had no driver yet and must not get one. */
  readonly #neverToStart = new Set<string>();
  readonly #started = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  acknowledged(jobId: string, lossesBefore: number): void {
    const { redis, records } = this.#world;
    this.submitted.add(jobId);
    for (const table of ["jobs", "submissions"] as const) {
      if (redis.losses === lossesBefore && !redis.rows(table).has(jobId))
        records.violation("JOURNAL-2", `${jobId} was acknowledged and is not in table ${table} of the store`);
    }
  }

  stopAcknowledged({ jobId, status }: JobInfo): void {
    if (status === "succeeded" || status === "failed") return;
    this.stopped.add(jobId);
    if (status === "stopped") this.#neverToStart.add(jobId);
  }

  /** Checks JOBLIFE-1 and JOBLIFE-3. */
  started({ jobId, node }: SimJobDriver): void {
    const { records, losses, story } = this.#world;
    records.counts.jobs++;
    story.tell(node.nodeId, () => `starts the driver of ${jobId}`);
    if (losses.forGood > 0) return;
    if (this.#started.has(jobId)) records.violation("JOBLIFE-1", `the driver of ${jobId} was started twice`);
    this.#started.add(jobId);
    if (this.#neverToStart.has(jobId))
      records.violation("JOBLIFE-3", `${jobId} was stopped before its driver started, and it starts`);
  }

  /** JOBLIFE-2: the store holds the decision before the node hears of it. */
  arrived({ method, toServer, body, to }: Arrival): void {
    if (method !== "NodeLink.Link" || toServer) return;
    const { startDriver } = body as proto.HeadMessage.$Properties;
    if (!startDriver) return;
    const { redis, scheduler, records } = this.#world;
    if (scheduler.nowMs - redis.lostAtMs < lateMs) return;
    const row = redis.rows("jobs").get(startDriver.jobId ?? "");
    const stored = row && proto.JobInfo.decode(row);
    if (stored === undefined || stored.status === proto.JobStatus.JOB_STATUS_PENDING) {
      const text = stored ? "it is PENDING in the store" : "the store does not know it";
      records.violation("JOBLIFE-2", `${to.name} is told to start ${startDriver.jobId}, and ${text}`);
    }
  }
}
