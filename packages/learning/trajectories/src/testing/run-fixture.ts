import { RunQueues, type RunQueuesOptions } from "../run/run-queues.js";
import type { RunCounts } from "../store/ledger-store.js";
import type { RewardOptions } from "../work/reward-work.js";
import type { RolloutOptions } from "../work/rollout-work.js";
import { trajectoryOf } from "./builders.js";
import type { RedisServer } from "./redis-server.js";
import { fastSettings } from "./settings.js";

/**
 * Opens the queues of one run after another on one server, each run with an id of its own, and closes what it opened.
 */
export class RunFixture {
  readonly #server: () => RedisServer;
  readonly #opened: RunQueues[] = [];
  #runs = 0;

  constructor(server: () => RedisServer) {
    this.#server = server;
  }

  get runId(): string {
    return `run-${this.#runs}`;
  }

  /** Opens the queues as one process of the run does. */
  async open(options: Partial<RunQueuesOptions> = {}): Promise<RunQueues> {
    const queues = await RunQueues.open({
      redisUrl: this.#server().url,
      runId: this.runId,
      settings: fastSettings,
      ...options,
    });
    this.#opened.push(queues);
    return queues;
  }

  /** Opens rollouts and rewards that succeed at once, unless told otherwise. */
  async openWorkers(options: Partial<RolloutOptions> & Partial<RewardOptions> = {}): Promise<RunQueues> {
    const queues = await this.open();
    await queues.consumeRollouts({
      concurrency: 8,
      run: async (episode) => trajectoryOf(episode),
      ...options,
    });
    await queues.consumeRewards({
      concurrency: 8,
      score: async () => ({ reward: 1, components: {} }),
      ...options,
    });
    return queues;
  }

  /** Closes everything and moves on to the next run. */
  async end(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((queues) => queues.close({ deadlineMs: 500 })));
    this.#runs += 1;
  }
}

/**
 * Returns what the ledger does not account for, by LEDGER-1 and LEDGER-2: never a group, and no episode when none is
 * outstanding.
 */
export function unaccounted({ groups, episodes }: RunCounts): { groups: number; episodes: number } {
  return {
    groups: groups.dispatched - groups.trained - groups.failed - groups.outstanding,
    episodes: episodes.dispatched - episodes.trained - episodes.failed - episodes.dropped,
  };
}
