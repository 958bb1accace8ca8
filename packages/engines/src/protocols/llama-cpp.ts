import { z } from "zod";
import { EngineError } from "../error.js";
import { parseReply, type TokenProtocol } from "./protocol.js";

const path = "/completion";

const probabilitySchema = z.array(z.object({ id: z.int(), logprob: z.number() }));

const replySchema = z.object({
  tokens: z.array(z.int()).optional(),
  completion_probabilities: probabilitySchema.optional(),
  stop: z.boolean().optional(),
  stop_type: z.string().optional(),
});

/**
 * The server of llama.cpp. It stops at the model's own end tokens; other stop ids are cut off here. A text
 * in `stop` takes its tokens' log-probs away, which makes such an answer untrainable.
 */
export const llamaCpp: TokenProtocol = {
  path,
  body: (request, _model, stream) => ({
    prompt: request.promptTokenIds,
    n_predict: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP ?? 1,
    top_k: request.topK ?? 0,
    min_p: request.minP ?? 0,
    typical_p: 1,
    repeat_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    // Four bytes there.
    seed: request.seed >>> 0,
    ...(request.stop === undefined ? {} : { stop: request.stop }),
    n_probs: 1,
    return_tokens: true,
    cache_prompt: true,
    stream,
  }),
  read(value) {
    const reply = parseReply(path, replySchema, value);
    const probabilities = reply.completion_probabilities;
    const tokenIds = reply.tokens ?? probabilities?.map(({ id }) => id) ?? [];
    if (tokenIds.length > 0 && probabilities === undefined) {
      throw new EngineError(
        "NOT_TRAINABLE",
        `${path}: the answer has no completion_probabilities, so it cannot be trained on; use a newer llama.cpp`,
      );
    }
    return {
      tokenIds,
      logprobs: probabilities?.map(({ logprob }) => logprob) ?? [],
      end: reply.stop === false ? undefined : endOf(reply.stop_type),
    };
  },
};

function endOf(type: string | undefined): "stop" | "length" | undefined {
  if (type === "eos" || type === "word") return "stop";
  return type === "limit" ? "length" : undefined;
}
