import { z } from "zod";
import { EngineError } from "../error.js";
import { parseReply, type TokenProtocol } from "./protocol.js";

const path = "/v1/completions";

const replySchema = z.object({
  model: z.string().nullish(),
  choices: z.array(
    z.object({
      token_ids: z.array(z.int()).nullish(),
      logprobs: z
        .object({
          token_logprobs: z.array(z.number().nullable()),
          tokens: z.array(z.string()).nullish(),
          top_logprobs: z.array(z.record(z.string(), z.number().nullable()).nullable()).nullish(),
        })
        .nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
});

/**
 * vLLM's completions with token ids on both sides. Its log-probs are the model's own with `--logprobs-mode
 * raw_logprobs`, the default, and those after temperature and truncation with `processed_logprobs`. Every sampling
 * setting is sent, because the server takes omitted ones from the model's generation_config.json.
 */
export const vllm: TokenProtocol = {
  path,
  body: (request, { adapter, model = adapter, stream, likeliest = 0 }) => ({
    ...(model === undefined ? {} : { model: adapter ?? model }),
    prompt: request.promptTokenIds,
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP ?? 1,
    top_k: request.topK ?? -1,
    min_p: request.minP ?? 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    seed: request.seed,
    stop_token_ids: request.stopTokenIds,
    ...(request.stop === undefined ? {} : { stop: request.stop }),
    logprobs: likeliest,
    return_token_ids: true,
    // Versions before return_token_ids write the ids into the texts of the log-probs.
    return_tokens_as_token_ids: true,
    skip_special_tokens: false,
    stream,
  }),
  read(value) {
    const { model, choices } = parseReply(path, replySchema, value);
    const [choice] = choices;
    if (choice === undefined) return undefined;
    const { logprobs, finish_reason: finish } = choice;
    const tokenIds = choice.token_ids ?? idsInTexts(logprobs?.tokens);
    if (tokenIds === undefined) {
      throw new EngineError(
        "NOT_TRAINABLE",
        `${path}: the response has no token ids, which training needs; check that the server is vLLM, or use ChatEndpoint if the text is enough`,
      );
    }
    if (logprobs === undefined || logprobs === null) {
      if (tokenIds.length > 0) {
        throw new EngineError(
          "NOT_TRAINABLE",
          `${path}: the response has no log-probs, which training needs; check that the server is vLLM`,
        );
      }
    }
    const end = finish === "stop" || finish === "length" || finish === "abort" ? finish : undefined;
    return {
      tokenIds,
      logprobs: (logprobs?.token_logprobs ?? []).map((logprob) => logprob ?? Number.NEGATIVE_INFINITY),
      end,
      servedAs: model ?? undefined,
    };
  },
  likeliest(value) {
    const [choice] = parseReply(path, replySchema, value).choices;
    const likely = Object.entries(choice?.logprobs?.top_logprobs?.[0] ?? {});
    return new Map(likely.map(([token, logprob]) => [token, logprob ?? Number.NEGATIVE_INFINITY]));
  },
};

/** Parses "token_id:123". */
function idsInTexts(texts: readonly string[] | null | undefined): number[] | undefined {
  const ids = texts?.map((text) => Number(/^token_id:(\d+)$/.exec(text)?.[1]));
  return ids?.every(Number.isInteger) === true ? ids : undefined;
}
