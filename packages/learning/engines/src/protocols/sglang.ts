import { z } from "zod";
import { EngineError } from "../error.js";
import { parseReply, type TokenProtocol } from "./protocol.js";

const path = "/generate";

/** Each entry is [log-prob, token id, text]. */
const tokenLogprob = z.tuple([z.number().nullable(), z.int()], z.unknown());

const replySchema = z.object({
  meta_info: z.object({
    /** One entry per token. */
    output_token_logprobs: z.array(tokenLogprob).nullish(),
    /** One list per token. */
    output_top_logprobs: z.array(z.array(tokenLogprob).nullish()).nullish(),
    completion_tokens: z.int().optional(),
    finish_reason: z.object({ type: z.string() }).nullish(),
    weight_version: z.union([z.string(), z.number()]).nullish(),
  }),
});

/**
 * SGLang's own endpoint. Its log-probs are those after the temperature, unless the server runs with
 * SGLANG_RETURN_ORIGINAL_LOGPROB=1. Seeds have an effect only with --enable-deterministic-inference.
 */
export const sglang: TokenProtocol = {
  path,
  truncatesLogprobs: false,
  body: (request, { adapter, stream, likeliest = 0 }) => ({
    input_ids: request.promptTokenIds,
    ...(adapter === undefined ? {} : { lora_path: adapter }),
    sampling_params: {
      max_new_tokens: request.maxTokens,
      temperature: request.temperature,
      top_p: request.topP ?? 1,
      top_k: request.topK ?? -1,
      min_p: request.minP ?? 0,
      repetition_penalty: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      sampling_seed: request.seed,
      stop_token_ids: request.stopTokenIds,
      ...(request.stop === undefined ? {} : { stop: request.stop }),
      skip_special_tokens: false,
      no_stop_trim: true,
    },
    return_logprob: true,
    top_logprobs_num: likeliest,
    stream,
  }),
  read(value) {
    const { meta_info: meta } = parseReply(path, replySchema, value);
    const tokens = meta.output_token_logprobs;
    if (tokens === undefined || tokens === null) {
      if (meta.completion_tokens === 0)
        return { tokenIds: [], logprobs: [], end: endOf(meta.finish_reason?.type) };
      throw new EngineError(
        "NOT_TRAINABLE",
        `${path}: the response has no output_token_logprobs, which training needs; use a version of the server that supports return_logprob`,
      );
    }
    return {
      tokenIds: tokens.map(([, id]) => id),
      logprobs: tokens.map(([logprob]) => logprob ?? Number.NEGATIVE_INFINITY),
      end: endOf(meta.finish_reason?.type),
      // Streams repeat the earlier tokens, unless the server was started with an option against it.
      cumulative: meta.completion_tokens === tokens.length,
      weightVersion:
        meta.weight_version === undefined || meta.weight_version === null
          ? undefined
          : String(meta.weight_version),
    };
  },
  likeliest(value) {
    const [first] = parseReply(path, replySchema, value).meta_info.output_top_logprobs ?? [];
    return new Map((first ?? []).map(([logprob, id]) => [String(id), logprob ?? Number.NEGATIVE_INFINITY]));
  },
};

const endOf = (type: string | undefined) =>
  type === "stop" || type === "length" || type === "abort" ? type : undefined;
