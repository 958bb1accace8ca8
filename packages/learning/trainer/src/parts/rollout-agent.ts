import { type Agent, type AgentModel, createAgent, type Tokenizer } from "@palimpsest/agents";
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
  const tokenizer = encodingOnce(model.tokenizer);
  return createAgent(agent, { ...model, tokenizer, contextTokens: rollout.maxTokens });
}

/** Shorter texts are encoded faster than they are found. */
const leastCharacters = 256;
/** Enough for the documents of the groups in flight and of an evaluation's questions. */
const mostTexts = 256;

/**
 * Remembers the last long texts that were encoded: all episodes of a group read the same document, and encoding it takes longer than
 * a GPU takes to sample.
 */
function encodingOnce(tokenizer: Tokenizer): Tokenizer {
  const encoded = new Map<string, readonly number[]>();
  const { beginTokenIds } = tokenizer;
  return {
    ...(beginTokenIds === undefined ? {} : { beginTokenIds }),
    decode: (tokenIds) => tokenizer.decode(tokenIds),
    specialTokenId: (text) => tokenizer.specialTokenId(text),
    encode(text, options) {
      if (text.length < leastCharacters) return tokenizer.encode(text, options);
      const key = `${options?.specialTokens ?? ""}:${text}`;
      const known = encoded.get(key) ?? tokenizer.encode(text, options);
      encoded.delete(key);
      encoded.set(key, known);
      const [oldest] = encoded.keys();
      if (encoded.size > mostTexts && oldest !== undefined) encoded.delete(oldest);
      return [...known];
    },
  };
}
