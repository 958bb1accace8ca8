import { randomInt } from "node:crypto";
import { StopText } from "@palimpsest/memory/text";
import { type GenerateRequest, TextStream } from "@palimpsest/model";
import { ApiError } from "./api-error.js";
import type { ServedModel } from "./served-model.js";
import { type ToldTokens, toldLogprobs } from "./token-logprobs.js";

/** One requested answer. */
export interface ChoiceRequest extends Omit<GenerateRequest, "onTokens" | "stop"> {
  readonly stop: readonly string[];
  readonly skipSpecialTokens: boolean;
}

/** Consecutive sampled tokens, with the text that they complete. */
export interface ChoicePiece extends ToldTokens {
  readonly text: string;
}

export interface ChoiceEnd {
  readonly reason: "stop" | "length";
  readonly sampledTokens: number;
  /** Identifies the weights that sampled the choice, such as "v140-…". */
  readonly fingerprint: string;
}

interface Sampling {
  readonly temperature: number;
  readonly top_p: number;
  readonly top_k: number;
  readonly min_p: number;
  readonly seed?: number | undefined;
  readonly n: number;
  readonly stop: readonly string[];
  readonly stop_token_ids: readonly number[];
  readonly skip_special_tokens: boolean;
}

/**
 * Checks the number of a request's choices before anything is allocated for them, because the client controls both
 * factors.
 * @throws {ApiError} invalid_value
 */
export function checkChoices(prompts: number, n: number, most: number): void {
  if (prompts * n <= most) return;
  const message = `n: the number of prompts times n is ${prompts * n}, and one request may have at most ${most}; request fewer`;
  throw new ApiError("invalid_value", message, { param: "n" });
}

/** Returns the n choices of one prompt, whose seeds are the request's seed plus the index. */
export function choicesOf(
  model: ServedModel,
  promptTokenIds: readonly number[],
  asked: Sampling & { readonly maxTokens: number; readonly logprobs?: number | undefined },
): ChoiceRequest[] {
  const first = asked.seed ?? randomInt(2 ** 31);
  return Array.from({ length: asked.n }, (_, i) => ({
    promptTokenIds,
    maxTokens: asked.maxTokens,
    temperature: asked.temperature,
    topP: asked.top_p,
    topK: Math.max(0, asked.top_k),
    minP: asked.min_p,
    seed: seedPlus(first, i),
    stop: asked.stop,
    stopTokenIds: [...new Set([...model.stopTokenIds, ...asked.stop_token_ids])],
    skipSpecialTokens: asked.skip_special_tokens,
    ...(asked.logprobs === undefined ? {} : { logprobs: asked.logprobs }),
  }));
}

/** Returns the seed plus the index; seeds beyond the numbers that are exact are folded into them. */
function seedPlus(seed: number, index: number): number {
  const sum = seed + index;
  return Number.isSafeInteger(sum) ? sum : Number(BigInt.asIntN(53, BigInt(seed) + BigInt(index)));
}

/**
 * Returns the maximum number of tokens of an answer.
 * @throws {ApiError} context_length_exceeded
 */
export function roomFor(
  model: ServedModel,
  prompt: { readonly field: string; readonly tokens: number },
  wanted: { readonly field: string; readonly tokens: number | undefined },
): number {
  const room = model.maxLength - prompt.tokens;
  if (room < 1) {
    const message = `${prompt.field}: has ${prompt.tokens} tokens, and ${model.name} accepts ${model.maxLength} including the answer; shorten it`;
    throw new ApiError("context_length_exceeded", message, { param: prompt.field });
  }
  if (wanted.tokens !== undefined && wanted.tokens > room) {
    const message = `${wanted.field}: is ${wanted.tokens}, and a prompt of ${prompt.tokens} tokens leaves ${room} of the model's ${model.maxLength}; request ${room} or fewer`;
    throw new ApiError("context_length_exceeded", message, { param: wanted.field });
  }
  return wanted.tokens ?? room;
}

/**
 * Samples one choice and passes on its pieces as they are sampled. Special tokens and stop strings are left out of
 * the text, but ids and log-probs are those of every sampled token.
 * @throws {ModelError}; the signal's reason
 */
export async function sampleChoice(
  model: ServedModel,
  { stop, skipSpecialTokens, ...request }: ChoiceRequest,
  onPiece: (piece: ChoicePiece) => void,
  signal: AbortSignal,
): Promise<ChoiceEnd> {
  const { tokenizer, sampler } = model;
  const stream = new TextStream(tokenizer);
  const stopText = new StopText(stop);
  const shown = (id: number) =>
    !tokenizer.isSpecial(id) || (!skipSpecialTokens && !request.stopTokenIds.includes(id));
  const { temperature, topP = 1, topK = 0, minP = 0 } = request;
  const drawn = { temperature, truncated: topP < 1 || topK > 0 || minP > 0 };
  const result = await sampler.generate(
    {
      ...request,
      ...(stop.length === 0 ? {} : { stop }),
      onTokens: (tokenIds, logprobs) => {
        const text = stopText.push(stream.push(tokenIds.filter(shown)));
        onPiece({ text, tokenIds, ...toldLogprobs(logprobs, drawn, model.logprobsMode) });
      },
    },
    signal,
  );
  const rest = stopText.push(stream.end()) + stopText.end();
  if (rest !== "") onPiece({ text: rest, tokenIds: [], logprobs: [] });
  return {
    reason: stopText.reached === undefined ? result.stopReason : "stop",
    sampledTokens: result.tokenIds.length,
    fingerprint: `v${result.policyVersion}-${result.weightsHash}`,
  };
}
