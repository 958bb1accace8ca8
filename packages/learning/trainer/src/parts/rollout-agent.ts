import { type Agent, type AgentModel, createAgent } from "@palimpsest/agents";
import type { Recipe } from "../recipe/recipe-schema.js";

/**
 * Creates the recipe's agent as rollouts run it. The agent knows how long a prompt and its reply may be together, so an
 * episode whose conversation grows too long ends in time, with what it has. If the sampler refused such an episode
 * instead, only long episodes would be missing from their groups.
 * @throws {AgentError} BAD_CONFIG if settings and model do not fit together
 */
export function rolloutAgent(
  { agent, rollout }: Pick<Recipe, "agent" | "rollout">,
  model: Omit<AgentModel, "contextTokens">,
): Agent {
  return createAgent(agent, { ...model, contextTokens: rollout.maxTokens });
}
