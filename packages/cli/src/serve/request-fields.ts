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
  const parsed = schema.safeParse(given, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  if (issue?.code === "unrecognized_keys") {
    const param = paramOf([...path, issue.keys[0] ?? ""]);
    throw new ApiError("unknown_parameter", `${param}: is not supported by this server; leave it out`, {
      param,
    });
  }
  const param = paramOf(path);
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], given);
  const was = value === undefined ? "it is missing" : `it is ${shortJson(value)}`;
  throw new ApiError("invalid_value", `${param}: ${issue?.message ?? "is invalid"}; ${was}`, { param });
}

const nouns: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

/** Says what is allowed, for fields whose schema has no sentence of its own. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${nouns[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small": {
      if (issue.origin === "array") return `must have at least ${issue.minimum} entry`;
      if (issue.origin === "string") return `must have at least ${issue.minimum} character`;
      return `must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`;
    }
    case "too_big": {
      if (issue.origin === "array") return `must have at most ${issue.maximum} entries`;
      if (issue.origin === "string") return `must have at most ${issue.maximum} characters`;
      return `must be ${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}`;
    }
    default:
      return undefined;
  }
}

/** Formats the path of a field, such as `messages[0].role`. */
function paramOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`))
    .join("");
}

const shownCharacters = 80;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
