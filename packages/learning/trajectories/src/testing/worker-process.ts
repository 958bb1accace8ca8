/**
 * A process that consumes rollouts and rewards, for tests that kill processes. Its arguments are the Redis URL, the run
 * id and the mode: "hang" never ends an episode, and "work" ends each at once. It prints one line for each episode that
 * it begins.
 */

import { RunQueues } from "../run/run-queues.js";
import { trajectoryOf } from "./builders.js";
import { fastSettings } from "./settings.js";

const [redisUrl = "", runId = "", mode = "hang"] = process.argv.slice(2);
const queues = await RunQueues.open({ redisUrl, runId, settings: fastSettings });
await queues.consumeRewards({ concurrency: 4, score: async () => ({ reward: 1, components: {} }) });
await queues.consumeRollouts({
  concurrency: 4,
  run: async (episode) => {
    process.stdout.write(`${episode.trajectoryId}\n`);
    return mode === "work" ? trajectoryOf(episode) : await new Promise<never>(() => {});
  },
});
