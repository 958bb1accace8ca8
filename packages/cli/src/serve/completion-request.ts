import { z } from "zod";
import { mostTopLogprobs, neutral, sharedFields } from "./request-fields.js";

const tokenIds = z.array(z.int().min(0)).min(1);

/** The body of POST /v1/completions. */
export const completionRequestSchema = z.strictObject({
  ...sharedFields,
  prompt: z
    .union([z.string(), tokenIds, z.array(z.string()).min(1), z.array(tokenIds).min(1)], {
      error: "must be a string, token ids, or a list of either",
    })
    .transform((prompt): readonly (string | readonly number[])[] => {
      if (typeof prompt === "string") return [prompt];
      // A list of numbers is one prompt; lists of texts or of lists of numbers are several.
      return prompt.every((item) => typeof item === "number") ? [prompt] : (prompt as (string | number[])[]);
    }),
  /** The default is that of OpenAI and vLLM, because clients rely on it. */
  max_tokens: z.int().min(1).default(16),
  logprobs: z.int().min(0).max(mostTopLogprobs).optional(),
  /** vLLM's field: the tokens of log-probs are formatted as `token_id:123`. */
  return_tokens_as_token_ids: z.boolean().default(false),
  echo: neutral(false, "the server does not repeat the prompt"),
  best_of: neutral(1, "the server returns every answer; use n"),
});
