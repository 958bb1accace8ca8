import { FinalFailure, type JobWork } from "../../../packages/learning/trajectories/src/jobs/job-work.js";
import { trajectoryOf } from "../../../packages/learning/trajectories/src/testing/builders.js";
import { rewardWork } from "../../../packages/learning/trajectories/src/work/reward-work.js";
import { rolloutWork } from "../../../packages/learning/trajectories/src/work/rollout-work.js";
import type { SimProcess } from "../world/process.js";
import { rewardOf } from "./run-records.js";
import type { QueuedJob } from "./run-redis.js";
import type { RunWorld } from "./run-world.js";

const lockMs = 15_000;
const pollMs = 500;
const attempts = 3;

/** A process that takes rollouts or rewards: the product's code over simulated queues in BullMQ's place. */
export class SimConsumer {
  readonly process: SimProcess;
  readonly #world: RunWorld;
  readonly #work: JobWork;

  constructor(world: RunWorld, kind: "rollout" | "reward", machine: string, number: number) {
    this.#world = world;
    this.process = world.process(machine, `${kind}-${number}`);
    const deps = { ...world.queueDeps(this.process), jobs: world.run.jobsOf(this.process) };
    const pause = (from: number, to: number) =>
      new Promise((resolve) => setTimeout(resolve, world.random.between(from, to)));
    const work =
      kind === "rollout"
        ? rolloutWork(async (episode) => {
            const version = world.announced;
            await pause(100, 8_000);
            if (world.random.chance(0.1)) throw new Error("planned: the rollout failed");
            return trajectoryOf(episode, {
              policyVersionMin: version,
              policyVersionMax: version,
              startedAtMs: Math.floor(performance.now() * 1_000) + this.process.number,
            });
          }, deps)
        : rewardWork(
            {
              score: async (_task, trajectory) => {
                await pause(50, 2_000);
                if (world.random.chance(0.1)) throw new Error("planned: the judge failed");
                return { reward: rewardOf(trajectory.trajectoryId, trajectory.startedAtMs), components: {} };
              },
            },
            deps,
          );
    this.#work = world.plant.work(work);
    for (let slot = 0; slot < 2; slot++)
      world.scheduler.after(slot, this.process, () => void this.#consume());
  }

  async #consume(): Promise<void> {
    const { run } = this.#world;
    const send = run.reach(this.process);
    for (;;) {
      const job = await send(() => run.take(this.#work.kind, lockMs));
      if (job !== undefined) await this.#attempt(job);
      else await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async #attempt(job: QueuedJob): Promise<void> {
    const { run } = this.#world;
    const send = run.reach(this.process);
    const lost = new AbortController();
    const renewing = setInterval(() => {
      void send(() => run.renew(job, lockMs)).then((mine) => mine || lost.abort());
    }, lockMs / 2);
    let retryMs: number | undefined;
    try {
      await this.#work.run(job, lost.signal);
    } catch (reason) {
      // As in JobConsumer, the failure is recorded before the queue is told (JOB-3).
      if (lost.signal.aborted) return;
      if (reason instanceof FinalFailure || job.attempt >= attempts)
        await this.#work.fail(job, String(reason));
      else retryMs = 1_000;
    } finally {
      clearInterval(renewing);
    }
    await send(() => run.end(job, retryMs));
  }
}
