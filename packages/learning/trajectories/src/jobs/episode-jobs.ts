/**
 * Responsibility: adds the jobs of episodes to the BullMQ queues of a run, through BullMQ's public interface only.
 * Not responsible for: working on the jobs, or knowing their outcome, which the ledger does.
 *
 * Invariants:
 * - EPISODEJOBS-1 (T1). An episode's job has the trajectory's id, so adding it while it is on the queue changes
 *   nothing. A job that is added again after it ended finds its episode recorded and ends at once.
 * - EPISODEJOBS-2 (T1). After `restore`, each of the given episodes has a job that will be worked on, whatever the
 *   queue had of it before.
 */
import type { Job, JobsOptions } from "bullmq";
import type { Redis } from "ioredis";
import { type EpisodeSpec, type GroupSpec, trajectoryIdOf } from "../base/group-spec.js";
import type { QueueSettings } from "../base/queue-settings.js";
import { type QueueName, queueNames, type RunKeys } from "../base/run-keys.js";
import { Queue } from "../redis/bullmq.js";
import { sentAgain } from "../redis/sent-again.js";

/** Creates at least one job for each episode. A simulation has its own implementation. */
export interface EpisodeJobs {
  /** Adds a rollout for every episode of these groups. */
  addRollouts(specs: readonly GroupSpec[]): Promise<void>;
  addReward(spec: EpisodeSpec): Promise<void>;
  /** Adds a job for each of these episodes that has none, or whose job failed while the ledger lost the failure. */
  restore(name: QueueName, specs: readonly EpisodeSpec[]): Promise<void>;
}

export interface BullEpisodeJobsOptions {
  readonly redis: Redis;
  readonly keys: RunKeys;
  readonly settings: QueueSettings;
}

// Nothing reads BullMQ's event streams here, so they are kept short.
const keptEvents = 100;
/** Number of failed jobs that each queue keeps for inspection. */
const keptFailures = 1_000;
// Redis runs a transaction in one piece, and this many jobs keep it to some tens of milliseconds.
const jobsPerTransaction = 256;

export class BullEpisodeJobs implements EpisodeJobs {
  readonly #queues: Readonly<Record<QueueName, Queue>>;
  readonly #options: JobsOptions;

  constructor({ redis, keys, settings }: BullEpisodeJobsOptions) {
    this.#queues = openQueues(redis, keys);
    this.#options = {
      attempts: settings.attempts,
      backoff: { type: "exponential", delay: settings.backoffMs, jitter: 0.25 },
      removeOnComplete: true,
      removeOnFail: { count: keptFailures },
      stackTraceLimit: 20,
    };
  }

  async addRollouts(specs: readonly GroupSpec[]): Promise<void> {
    const jobs = specs.flatMap((spec) =>
      Array.from({ length: spec.groupSize }, (_, episodeIndex) => ({
        name: "rollout",
        data: { ...spec, episodeIndex },
        opts: { ...this.#options, jobId: trajectoryIdOf(spec.groupId, episodeIndex) },
      })),
    );
    for (let start = 0; start < jobs.length; start += jobsPerTransaction) {
      const some = jobs.slice(start, start + jobsPerTransaction);
      // A job whose id exists already is not added again.
      await sentAgain(() => this.#queues.rollouts.addBulk(some));
    }
  }

  async addReward(spec: EpisodeSpec): Promise<void> {
    const jobId = trajectoryIdOf(spec.groupId, spec.episodeIndex);
    await this.#queues.rewards.add("reward", spec, { ...this.#options, jobId });
  }

  async restore(name: QueueName, specs: readonly EpisodeSpec[]): Promise<void> {
    for (let start = 0; start < specs.length; start += jobsPerTransaction) {
      const jobs = specs.slice(start, start + jobsPerTransaction).map((spec) => ({
        name: jobNames[name],
        data: spec,
        opts: { ...this.#options, jobId: trajectoryIdOf(spec.groupId, spec.episodeIndex) },
      }));
      const added = await sentAgain(() => this.#queues[name].addBulk(jobs));
      await Promise.all(added.map(retryFailed));
    }
  }

  /** Deletes all jobs, whatever their state. */
  async obliterate(): Promise<void> {
    for (const name of queueNames) {
      await this.#queues[name].obliterate({ force: true });
    }
  }

  async close(): Promise<void> {
    await Promise.all(queueNames.map((name) => this.#queues[name].close()));
  }
}

const jobNames = { rollouts: "rollout", rewards: "reward" } as const;

/** Gives a failed job one more attempt. Failed jobs are kept for people, and would hide the job that was added. */
async function retryFailed(job: Job): Promise<void> {
  if (!(await job.isFailed())) {
    return;
  }
  try {
    await job.retry("failed");
  } catch (reason) {
    // Another client has retried or removed the job in the meantime. If no consumer works on the episode, the next look
    // for lost jobs finds that out.
    if (await job.isFailed()) {
      throw reason;
    }
  }
}

function openQueues(redis: Redis, keys: RunKeys): Readonly<Record<QueueName, Queue>> {
  const open = (name: QueueName): Queue => {
    const queue = new Queue(name, {
      connection: redis,
      prefix: keys.bullmq,
      streams: { events: { maxLen: keptEvents } },
    });
    queue.on("error", () => {}); // The shared connection reports its own errors.
    return queue;
  };
  return { rollouts: open("rollouts"), rewards: open("rewards") };
}
