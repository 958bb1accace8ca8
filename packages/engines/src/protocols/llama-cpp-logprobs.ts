import { z } from "zod";
import { EngineError } from "../error.js";
import { type Post, parseReply, type Sampled } from "./protocol.js";

/** A token with its log-prob, as the server reports it. */
export interface Reported {
  readonly id: number;
  readonly logprob: number;
}

const tokenizePath = "/tokenize";
const path = "/completion";
/** How many of the likeliest tokens are asked for: where the token is not among them, all of the vocabulary. */
const shortlist = 256;
const everyToken = 2 ** 24;
const overwhelming = 1e6;

const tokenizeSchema = z.object({ tokens: z.array(z.int()).min(1) });
const replySchema = z.object({
  completion_probabilities: z
    .array(z.object({ top_logprobs: z.array(z.object({ id: z.int(), logprob: z.number() })) }))
    .optional(),
});

/**
 * Fills in the log-probs that are NaN: what the server would say of one more token after the prompt and all before the
 * place. It reports nothing of a token within a character, so the one that it samples is made a letter by a bias; the
 * log-probs are those before the bias.
 */
export async function missingLogprobs(
  promptTokenIds: readonly number[],
  { tokenIds, logprobs }: Sampled,
  post: Post,
): Promise<number[]> {
  const filled = [...logprobs];
  let letter: number | undefined;
  for (const [place, id] of tokenIds.entries()) {
    if (!Number.isNaN(filled[place])) continue;
    letter ??= parseReply(tokenizePath, tokenizeSchema, await post(tokenizePath, { content: "a" })).tokens.at(
      -1,
    );
    const prompt = [...promptTokenIds, ...tokenIds.slice(0, place)];
    filled[place] =
      (await logprobAfter(prompt, id, letter, shortlist, post)) ??
      (await logprobAfter(prompt, id, letter, everyToken, post)) ??
      missing(id);
  }
  return filled;
}

async function logprobAfter(
  prompt: readonly number[],
  id: number,
  letter: number | undefined,
  likeliest: number,
  post: Post,
): Promise<number | undefined> {
  const body = {
    prompt,
    n_predict: 1,
    temperature: 0,
    logit_bias: [[letter, overwhelming]],
    n_probs: likeliest,
    cache_prompt: true,
    stream: false,
  };
  const [reported] = parseReply(path, replySchema, await post(path, body)).completion_probabilities ?? [];
  return reported?.top_logprobs.find((token) => token.id === id)?.logprob;
}

function missing(id: number): never {
  throw new EngineError(
    "NOT_TRAINABLE",
    `${path}: the server gives no log-prob of token ${id}, so the answer cannot be trained on; use a newer llama.cpp`,
  );
}
