import { type Agent, type AgentModel, createAgent } from "@palimpsest/agents";
import type { Recipe } from "./recipe/recipe-schema.js";

/**
 * The recipe's agent as its rollouts run it. It knows how long a prompt and its reply may be together, so an episode whose
 * conversation grows ends in time, with what it has: a sampler that refused it would take long episodes alone out of
 * their groups.
 * @throws {AgentError} BAD_CONFIG where settings and model do not fit together
 */
export function rolloutAgent(
  { agent, rollout }: Pick<Recipe, "agent" | "rollout">,
  model: Omit<AgentModel, "contextTokens">,
): Agent {
  return createAgent(agent, { ...model, contextTokens: rollout.maxTokens });
}
