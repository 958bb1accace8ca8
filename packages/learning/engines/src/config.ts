import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { EngineError } from "./error.js";

const count = z.int().min(1);

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, "must be the name of a header: letters, digits and dashes");

const notHttp = "must be the URL of a server, such as http://127.0.0.1:8000";

/** The schema of how an inference server is reached. */
export const engineConfigSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, abort: true, error: notHttp })
    .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
      message: "contains a user name or password; give the key as apiKey instead",
    })
    .describe(
      "URL of the server, such as http://127.0.0.1:8000, or the base of its OpenAI-compatible endpoints, such as https://host/v1beta/openai",
    ),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("name under which the server serves the model; absent: the first that the server lists"),
  apiKey: z
    .string()
    // A key that was read from a file ends with a line end.
    .trim()
    .min(1)
    .superRefine((key, context) => {
      const odd = /[^\x21-\x7e]/u.exec(key);
      if (odd === null) return;
      const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      context.addIssue(
        `has the character U+${code} at position ${odd.index + 1}, which no key has; copy the key again, without quotes and spaces`,
      );
    })
    .optional()
    .describe("API key, which is sent as a bearer token and appears in no log and no error"),
  headers: z
    .record(
      headerName,
      z
        .string()
        .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "must be on one line, in letters of Latin-1, as HTTP sends it"),
    )
    .default({})
    .describe("headers that are sent with every request"),
  sessionHeaders: z
    .array(headerName)
    .default(["x-session-id", "x-smg-routing-key"])
    .describe(
      "names of headers that carry the session's name, by which routers of vLLM and SGLang send a session to one replica",
    ),
  maxConcurrency: count.default(64).describe("maximum number of concurrent requests"),
  maxQueue: z.int().min(0).default(4096).describe("maximum number of waiting requests"),
  timeoutMs: count
    .max(2 ** 31 - 1)
    .default(600_000)
    .describe("deadline of one request with all its attempts, in milliseconds"),
  attemptTimeoutMs: count
    .max(2 ** 31 - 1)
    .default(240_000)
    .describe("deadline of one attempt in milliseconds, including the answer"),
  maxAttempts: count.default(6).describe("attempts of one request, including the first"),
  malformedAttempts: count
    .default(1)
    .describe("attempts of one request whose answers are malformed, such as JSON that does not parse"),
  backoffMs: count
    .default(250)
    .describe("longest wait before the second attempt in milliseconds; doubles from there"),
  maxBackoffMs: count.default(20_000).describe("longest wait between two attempts in milliseconds"),
  names: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      "what errors call these settings, such as the flags that they come from; absent: as they are called here",
    ),
});

/** How an inference server is reached, with all defaults filled in. */
export type EngineConfig = z.infer<typeof engineConfigSchema>;
/** How an inference server is reached; fields with defaults may be absent. */
export type EngineConfigInput = z.input<typeof engineConfigSchema>;

/** @throws {EngineError} CONFIG_INVALID naming the fields */
export function parseConfig<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const { names } = z.looseObject({ names: z.record(z.string(), z.string()) }).safeParse(input).data ?? {};
  const what = names === undefined || Object.keys(names).length === 0 ? "engine: " : "";
  return parseInput(schema, input, (problem) => new EngineError("CONFIG_INVALID", `${what}${problem}`), {
    fields: names ?? {},
  });
}
