import * as proto from "@palimpsest/wire/protocol";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import type { World } from "../world/world.js";
import { isLimited } from "./shares.js";

/** Checks what must hold of jobs long after the last fault. */
export function checkJobsAtRest(world: World, plane: ControlPlane): void {
  const { records, losses, redis } = world;
  const jobs = plane.jobs.all();
  const running = [...world.jobDrivers].map(({ node, jobId }) => `${node.nodeId} ${jobId}`);
  const believed = jobs.filter((job) => job.status === "RUNNING").map((job) => `${job.nodeId} ${job.jobId}`);
  if (running.sort().join("\n") !== believed.sort().join("\n")) {
    records.violation(
      "JOBREST",
      `at rest the head believes in drivers [${believed.join(", ")}], and there run [${running.join(", ")}]`,
    );
  }
  const alive = plane.nodes.all().filter((node) => node.state === "ALIVE");
  for (const { jobId, status } of jobs) {
    const cpu = cpusOf(plane, jobId);
    const room = alive.some((node) => (node.available["cpu"] ?? 0) >= cpu);
    const limited = isLimited(plane, { cpu, jobId });
    if (status === "PENDING" && room && !limited && plane.pendingQueue.reservedNodes === 0)
      records.violation("PLACEMENT-2", `${jobId} waits for ${cpu} cpus, and there is room`);
    const row = redis.rows("jobs").get(jobId);
    const stored = row && proto.JobStatus[proto.JobInfo.decode(row).status];
    if (stored !== `JOB_STATUS_${status}`)
      records.violation("JOURNAL-3", `${jobId} is ${status}, and the store has ${stored ?? "nothing"}`);
  }
  for (const table of ["jobs", "submissions"] as const) {
    for (const jobId of redis.rows(table).keys()) {
      if (plane.jobs.find(jobId) !== undefined) continue;
      records.violation("JOURNAL-3", `${jobId} is in table ${table}, and the head does not know it`);
    }
  }
  if (losses.forGood > 0) return;
  for (const jobId of world.jobs.submitted) {
    const job = plane.jobs.find(jobId);
    if (job === undefined) records.violation("JOURNAL-2", `${jobId} was acknowledged and is not known`);
    else if (world.jobs.stopped.has(jobId) && job.status !== "STOPPED")
      records.violation("JOBLIFE-3", `the stop of ${jobId} was acknowledged, and it is ${job.status}`);
  }
}

export function cpusOf(plane: ControlPlane, jobId: string): number {
  // A job that the tables lost, and that its node reported, no longer has a submission.
  return plane.jobs.find(jobId)?.resources["cpu"] ?? 0;
}
