import { z } from "zod";
import { EngineError } from "./error.js";

const count = z.int().min(1);

const notHttp = "is not the URL of a server; give one such as http://127.0.0.1:8000";

export const engineConfigSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, abort: true, error: notHttp })
    .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
      message: "contains a user name or password; give the key as apiKey instead",
    })
    .transform((url) => url.replace(/\/+$/, "").replace(/\/v1$/, ""))
    .describe("URL of the server, such as http://127.0.0.1:8000; a /v1 at its end is ignored"),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("name under which the server serves the model; absent: the first that the server lists"),
  apiKey: z
    .string()
    .min(1)
    .optional()
    .describe("API key, which is sent as a bearer token and appears in no log and no error"),
  headers: z.record(z.string(), z.string()).default({}).describe("headers that are sent with every request"),
  sessionHeaders: z
    .array(z.string().min(1))
    .default(["x-session-id", "x-smg-routing-key"])
    .describe(
      "names of headers that carry the session's name, by which routers of vLLM and SGLang send a session to one replica",
    ),
  maxConcurrency: count.default(64).describe("maximum number of concurrent requests"),
  maxQueue: z.int().min(0).default(4096).describe("maximum number of waiting requests"),
  timeoutMs: count
    .default(600_000)
    .describe("deadline of one request with all its attempts, in milliseconds"),
  attemptTimeoutMs: count
    .max(290_000)
    .default(240_000)
    .describe(
      "deadline of one attempt in milliseconds, including the answer; fetch itself gives up after 300 s",
    ),
  maxAttempts: count.default(6).describe("attempts of one request, including the first"),
  malformedAttempts: count
    .default(1)
    .describe("attempts of one request whose answers are malformed, such as JSON that does not parse"),
  backoffMs: count
    .default(250)
    .describe("longest wait before the second attempt in milliseconds; doubles from there"),
  maxBackoffMs: count.default(20_000).describe("longest wait between two attempts in milliseconds"),
});

export type EngineConfig = z.infer<typeof engineConfigSchema>;
export type EngineConfigInput = z.input<typeof engineConfigSchema>;

/** @throws {EngineError} CONFIG_INVALID naming the fields */
export function parseConfig<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => {
    const given = path.length === 1 && path[0] === "url" ? urlGiven(input) : undefined;
    if (given === undefined || message !== notHttp) return `${path.join(".") || "config"}: ${message}`;
    return `url: "${given}" ${message}`;
  });
  throw new EngineError("CONFIG_INVALID", `engine: ${fields.join("; ")}`);
}

const urlGiven = (input: unknown): string | undefined => {
  const url = z.looseObject({ url: z.string() }).safeParse(input).data?.url;
  // Names and passwords of a URL must not appear in errors.
  return url === undefined || url.includes("@") ? undefined : url;
};
