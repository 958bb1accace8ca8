import { z } from "zod";
import { EngineError } from "./error.js";

const notHttp = "is no address of a server; give one such as http://127.0.0.1:8000";

export const engineConfigSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, abort: true, error: notHttp })
    .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
      message: "holds a name or password; give the key as apiKey",
    })
    .transform((url) => url.replace(/\/+$/, "").replace(/\/v1$/, ""))
    .describe("where the server listens, such as http://127.0.0.1:8000; a /v1 at its end is left out"),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("the name under which the server serves the model; servers of one model need none"),
  apiKey: z.string().min(1).optional().describe("sent as a bearer token; never logged, never in an error"),
  headers: z.record(z.string(), z.string()).default({}).describe("sent with every request"),
  sessionHeaders: z
    .array(z.string().min(1))
    .default(["x-session-id", "x-smg-routing-key"])
    .describe("carry the session's name, so that routers of vLLM and SGLang send a session to one replica"),
  maxConcurrency: z.int().min(1).default(64).describe("requests under way at once"),
  maxQueue: z.int().min(0).default(4096).describe("requests that may wait for their turn"),
  timeoutMs: z.int().min(1).default(600_000).describe("for one request with all its attempts"),
  attemptTimeoutMs: z
    .int()
    .min(1)
    .max(290_000)
    .default(240_000)
    .describe("for one attempt, answer included; fetch itself gives up after 300 s"),
  maxAttempts: z.int().min(1).default(6).describe("attempts of one request, the first included"),
  malformedAttempts: z
    .int()
    .min(1)
    .default(1)
    .describe("attempts of one request whose answers make no sense, such as JSON that does not parse"),
  backoffMs: z
    .int()
    .min(1)
    .default(250)
    .describe("longest wait before the second attempt; doubles from there"),
  maxBackoffMs: z.int().min(1).default(20_000).describe("longest wait between two attempts"),
});

export type EngineConfig = z.infer<typeof engineConfigSchema>;
export type EngineConfigInput = z.input<typeof engineConfigSchema>;

/** @throws {EngineError} CONFIG_INVALID, naming the fields */
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
  // Names and passwords of a URL are in no error.
  return url === undefined || url.includes("@") ? undefined : url;
};
