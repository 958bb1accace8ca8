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
 * log-probs are those before the bias and before the temperature. Those after it follow from the whole vocabulary's.
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
    // What the truncation kept is not told.
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

/** At 1 as they are told; at others they must be those of the whole vocabulary. */
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
    `${path}: the server gives no log-prob of token ${id}, so the answer cannot be trained on; use a newer llama.cpp`,
  );
}
