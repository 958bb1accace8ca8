/**
 * A process with rollouts and rewards, for tests that kill processes. Arguments: Redis URL, run id, mode. Mode "hang"
 * never ends an episode; "work" ends each at once. It prints one line for each episode that it begins.
 */

import { RunQueues } from "../run-queues.js";
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
