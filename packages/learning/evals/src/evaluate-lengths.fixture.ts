/** Builds evaluations for tests, with an agent and a reward in this process. */
import { type Agent, memAgent, memAgentConfig } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import type { TrajectoryReward } from "@palimpsest/rewards";
import type { Task } from "@palimpsest/trajectories";
import { evaluateLengths } from "./evaluate-lengths.js";
import type { Evaluation } from "./length-results.js";
import { type EvalItem, itemOfTask, openDocument } from "./suite/item.js";
import { rewardedPrediction, taskOfItem } from "./suite/rewarded-prediction.js";

export function scriptedAgent(reply: (prompt: string) => string): Agent {
  const tokenizer = wordTokenizer();
  return memAgent({
    sampler: scriptedSampler({ tokenizer, reply }),
    tokenizer,
    config: memAgentConfig("tiny"),
  });
}

/** Makes a system of the agent, as the policy of a training run is evaluated. */
export const rewardedSystem = (agent: Agent, reward: TrajectoryReward) => ({
  name: agent.name,
  settings: {},
  answer: async (item: EvalItem, { signal, seed }: { signal: AbortSignal; seed: number }) => {
    const document = await openDocument(item);
    return await rewardedPrediction(
      agent,
      reward,
      { ...taskOfItem(item, ""), document },
      { temperature: 0, seed, signal },
    );
  },
});

export async function evaluateAgent(
  agent: Agent,
  reward: TrajectoryReward,
  tasksByLength: readonly { readonly lengthTokens: number; readonly tasks: readonly Task[] }[],
): Promise<Evaluation> {
  const lengths = await evaluateLengths({
    suite: "test",
    system: rewardedSystem(agent, reward),
    lengths: tasksByLength.map(({ lengthTokens, tasks }) => ({
      lengthTokens,
      items: () => tasks.map((task) => itemOfTask(task, lengthTokens)),
    })),
    seed: 0,
  });
  return { agent: agent.name, temperature: 0, seed: 0, lengths };
}
