import type { ActorContext } from "@palimpsest/client";
import { rewardReadsTokens, trajectoryReward } from "@palimpsest/rewards";
import { withDeadline } from "@palimpsest/std";
import type { RunQueues } from "@palimpsest/trajectories";
import { fetchModules } from "../modules/recipe-modules.js";
import { type OpenedDependencies, rewardDependencies } from "../parts/reward-dependencies.js";
import { openRunQueues } from "../records/run-queues.js";
import type { RunSpec } from "../records/run-spec.js";
import { holdLasting } from "../weights/lasting-objects.js";

/** Scores the trajectories of the reward queue. */
export class RewardActor {
  readonly #spec: RunSpec;
  #queues!: RunQueues;
  #dependencies: OpenedDependencies | undefined;
  #scored = 0;

  constructor(spec: RunSpec) {
    this.#spec = spec;
  }

  async start(context: ActorContext): Promise<void> {
    const { recipe, modules } = this.#spec;
    const locations = modules.map(({ location }) => location);
    await holdLasting(context.objects, locations, { signal: context.signal });
    const { reward: module } = await fetchModules(context.objects, modules, ["reward"]);
    this.#dependencies = await rewardDependencies(recipe.reward.config, context.environment, module);
    const reward = trajectoryReward(recipe.reward.config, this.#dependencies);
    const cluster = await context.connect();
    this.#queues = await openRunQueues(context, cluster, this.#spec);
    await this.#queues.consumeRewards({
      concurrency: recipe.reward.concurrency,
      actorId: context.actorId,
      readsTokens: rewardReadsTokens(recipe.reward.config, module),
      score: async (task, trajectory, signal) => {
        this.#scored += 1;
        return await withDeadline({ signals: [context.signal, signal] }, (either) =>
          reward(task, trajectory, { signal: either }),
        );
      },
    });
  }

  async stop(): Promise<void> {
    await this.#queues?.close();
    await this.#dependencies?.close();
  }

  /** Trajectories scored by this process. */
  scored(): number {
    return this.#scored;
  }
}
