import { z } from "zod";
import { EngineError } from "../error.js";
import type { GenerateRequest } from "../generate.js";
import { type LogprobsMode, type Post, parseReply, type Sampled } from "./protocol.js";

/** A token with its log-prob, as the server reports it. */
export interface Reported {
  readonly id: number;
  readonly logprob: number;
}

const tokenizePath = "/tokenize";
const path = "/completion";
/**
 * How many of the likeliest tokens are requested first. When the token is not among them, the whole vocabulary is
 * requested.
 */
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
 * Fills in the log-probs that are NaN, with what the server reports for one more token after the prompt and all tokens
 * before. It reports nothing about a token within a character, so a bias makes the token that it samples a letter; the
 * log-probs are those before the bias and before the temperature. Those after it are computed from the whole
 * vocabulary's.
 */
export async function missingLogprobs(
  { promptTokenIds, temperature, topP = 1, topK = 0, minP = 0 }: GenerateRequest,
  { tokenIds, logprobs }: Sampled,
  mode: LogprobsMode,
  post: Post,
): Promise<number[]> {
  const processed = mode === "processed_logprobs";
  const truncated = topP < 1 || topK > 0 || minP > 0;
  const filled = [...logprobs];
  let letter: number | undefined;
  for (const [place, id] of tokenIds.entries()) {
    if (!Number.isNaN(filled[place])) continue;
    // The server does not report which tokens the truncation kept.
    if (processed && truncated) missing(id);
    letter ??= parseReply(tokenizePath, tokenizeSchema, await post(tokenizePath, { content: "a" })).tokens.at(
      -1,
    );
    const prompt = [...promptTokenIds, ...tokenIds.slice(0, place)];
    filled[place] =
      (processed
        ? logprobAt(temperature, id, await logprobsAfter(prompt, letter, everyToken, post))
        : (logprobAt(1, id, await logprobsAfter(prompt, letter, shortlist, post)) ??
          logprobAt(1, id, await logprobsAfter(prompt, letter, everyToken, post)))) ?? missing(id);
  }
  return filled;
}

/** At temperature 1 they are used as reported; at others the whole vocabulary's are needed. */
function logprobAt(temperature: number, id: number, told: readonly Reported[]): number | undefined {
  const logprob = told.find((token) => token.id === id)?.logprob;
  if (temperature === 1 || logprob === undefined) return logprob;
  const total = told.reduce((sum, token) => sum + Math.exp(token.logprob / temperature), 0);
  return logprob / temperature - Math.log(total);
}

async function logprobsAfter(
  prompt: readonly number[],
  letter: number | undefined,
  likeliest: number,
  post: Post,
): Promise<readonly Reported[]> {
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
  return reported?.top_logprobs ?? [];
}

function missing(id: number): never {
  throw new EngineError(
    "NOT_TRAINABLE",
    `${path}: the server returned no log-prob for token ${id}, which training needs; use a newer llama.cpp`,
  );
}
