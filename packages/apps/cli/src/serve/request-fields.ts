import { pathText, readInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ApiError } from "./api-error.js";

const mostStops = 16;
const longestStop = 256;
export const mostTopLogprobs = 20;

/** A field of OpenAI's API that this server does not support, accepted only with the value that has no effect. */
export const neutral = (value: number | boolean, why: string) =>
  z.literal(value, { error: `only ${value} is supported: ${why}` }).optional();

/** Fields that both completion endpoints have. Absent and null mean the same. */
export const sharedFields = {
  model: z.string().optional(),
  temperature: z.number().min(0).default(1),
  top_p: z.number().gt(0).max(1).default(1),
  /** vLLM's field, like min_p; -1 and 0 mean no limit. */
  top_k: z.int().min(-1).default(0),
  min_p: z.number().min(0).max(1).default(0),
  /** Clients send 64 bits, of which JSON's numbers keep 53. */
  seed: z
    .number()
    .refine((seed) => Number.isInteger(seed) && Math.abs(seed) <= 2 ** 63, {
      error: "must be a whole number of 64 bits",
    })
    .optional(),
  n: z.int().min(1).default(1),
  stop: z
    .union([z.string().min(1).max(longestStop), z.array(z.string().min(1).max(longestStop)).max(mostStops)], {
      error: `must be a string or up to ${mostStops} strings, each of 1 to ${longestStop} characters`,
    })
    .optional()
    .transform((stop) => (typeof stop === "string" ? [stop] : (stop ?? []))),
  stop_token_ids: z.array(z.int().min(0)).max(64).default([]),
  stream: z.boolean().default(false),
  stream_options: z
    .strictObject({
      include_usage: z
        .boolean()
        .nullish()
        .transform((wanted) => wanted ?? false),
    })
    .optional(),
  /** vLLM's fields: whether special tokens are left out of text, and whether token ids are returned. */
  skip_special_tokens: z.boolean().default(true),
  return_token_ids: z.boolean().default(false),
  frequency_penalty: neutral(0, "the sampler has no penalties"),
  presence_penalty: neutral(0, "the sampler has no penalties"),
  repetition_penalty: neutral(1, "the sampler has no penalties"),
  logit_bias: z.strictObject({}, { error: "only {} is supported: the sampler has no biases" }).optional(),
  // These fields are metadata for the operators of a service. They have no effect on the answer.
  user: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  store: neutral(false, "the server stores nothing"),
  service_tier: z.enum(["auto", "default"]).optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
};

/**
 * Validates the body of a request. Null fields count as absent, as in OpenAI's server.
 * @throws {ApiError} invalid_value, unknown_parameter, naming the field, its value and what is allowed
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ApiError("invalid_json", "the body must be a JSON object");
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const read = readInput(schema, given);
  if ("data" in read) return read.data;
  const [problem] = read.problems;
  const { path = [], message = "is invalid", unknownKeys: [unknown] = [] } = problem ?? {};
  if (unknown !== undefined) {
    const param = pathText([...path, unknown]);
    throw new ApiError("unknown_parameter", `${param}: is not supported by this server; leave it out`, {
      param,
    });
  }
  const param = pathText(path);
  throw new ApiError("invalid_value", `${param}: ${message}`, { param });
}
