import { z } from "zod";
import { EngineError } from "../error.js";
import { missingLogprobs, type Reported } from "./llama-cpp-logprobs.js";
import { parseReply, type TokenProtocol } from "./protocol.js";

const path = "/completion";

/** After the sampling chain it reports probabilities instead of log-probs. */
const tokenSchema = z
  .object({ id: z.int(), logprob: z.number().optional(), prob: z.number().optional() })
  .refine(({ logprob, prob }) => logprob !== undefined || prob !== undefined, { error: "has no log-prob" });
const probabilitySchema = z.array(
  tokenSchema.safeExtend({
    top_logprobs: z.array(tokenSchema).optional(),
    top_probs: z.array(tokenSchema).optional(),
  }),
);

const replySchema = z.object({
  tokens: z.array(z.int()).optional(),
  tokens_predicted: z.int().optional(),
  completion_probabilities: probabilitySchema.optional(),
  stop_type: z.string().optional(),
});

/**
 * The server of llama.cpp. It stops at the model's own end tokens; other stop ids are cut off here. When it streams, it
 * reports neither ids nor log-probs of tokens that end within a character; when it does not, it omits the log-probs of
 * these tokens and of the tokens of a `stop` text. Answers are therefore requested whole, and missing log-probs one by
 * one.
 */
export const llamaCpp: TokenProtocol = {
  path,
  streams: false,
  body: (request, { logprobs, likeliest = 1 }) => ({
    prompt: request.promptTokenIds,
    n_predict: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP ?? 1,
    top_k: request.topK ?? 0,
    min_p: request.minP ?? 0,
    // The server's flags, and sampling settings in a GGUF file, are defaults for whatever is not sent.
    samplers: ["top_k", "top_p", "min_p", "temperature"],
    mirostat: 0,
    dynatemp_range: 0,
    ignore_eos: false,
    // For versions that do not know the list.
    typical_p: 1,
    repeat_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    // The server takes four bytes.
    seed: request.seed >>> 0,
    ...(request.stop === undefined ? {} : { stop: request.stop }),
    n_probs: likeliest,
    post_sampling_probs: logprobs === "processed_logprobs",
    return_tokens: true,
    cache_prompt: true,
    stream: false,
  }),
  read(value) {
    const reply = parseReply(path, replySchema, value);
    const reported = reply.completion_probabilities?.map(reportedOf);
    const tokenIds = reply.tokens ?? reported?.map(({ id }) => id) ?? [];
    if (tokenIds.length > 0 && reply.tokens === undefined && reply.tokens_predicted !== tokenIds.length) {
      throw new EngineError(
        "NOT_TRAINABLE",
        `${path}: the response has no token ids, which training needs; use a newer llama.cpp`,
      );
    }
    return {
      tokenIds,
      logprobs: logprobsOf(tokenIds, reported ?? []),
      end: endOf(reply.stop_type),
    };
  },
  likeliest(value) {
    const [first] = parseReply(path, replySchema, value).completion_probabilities ?? [];
    const likely = first?.top_probs ?? first?.top_logprobs ?? [];
    return new Map(likely.map(reportedOf).map(({ id, logprob }) => [String(id), logprob]));
  },
  missingLogprobs: (request, sampled, { logprobs, post }) =>
    missingLogprobs(request, sampled, logprobs, post),
};

function reportedOf({ id, logprob, prob }: z.infer<typeof tokenSchema>): Reported {
  return { id, logprob: logprob ?? Math.log(prob ?? Number.NaN) };
}

/**
 * Returns the log-probs of the sampled tokens. What the server reported has gaps, so a position gets a log-prob only
 * when reading from the first token and reading from the last token agree on it, and NaN otherwise.
 */
function logprobsOf(tokenIds: readonly number[], reported: readonly Reported[]): number[] {
  const fromFirst: (number | undefined)[] = [];
  let next = 0;
  for (const id of tokenIds) fromFirst.push(reported[next]?.id === id ? next++ : undefined);
  const logprobs = tokenIds.map(() => Number.NaN);
  let last = reported.length - 1;
  for (let place = tokenIds.length - 1; place >= 0; place--) {
    const token = reported[last];
    if (token === undefined || token.id !== tokenIds[place]) continue;
    if (fromFirst[place] === last) logprobs[place] = token.logprob;
    last -= 1;
  }
  return logprobs;
}

function endOf(type: string | undefined): "stop" | "length" | undefined {
  if (type === "eos" || type === "word") return "stop";
  return type === "limit" ? "length" : undefined;
}
