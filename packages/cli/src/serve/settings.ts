import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** Bounds of the server: each says what happens there. */
const serveSettingsSchema = z.strictObject({
  maxBatch: z.int().min(1).max(4096).default(16).describe("choices that are sampled at once"),
  maxWaiting: z
    .int()
    .min(0)
    .max(65_536)
    .default(64)
    .describe("choices that may wait for a place among these; one more is answered 429"),
  maxChoices: z.int().min(1).max(1024).default(16).describe("prompts times n of one request"),
  maxBodyBytes: z
    .int()
    .min(1024)
    .default(4 * 1024 * 1024)
    .describe("longest body of a request; a longer one is answered 413"),
  deadlineMs: z
    .int()
    .min(1)
    .default(600_000)
    .describe("longest time of one request; then it is answered 504"),
  unreadMs: z
    .int()
    .min(1)
    .default(60_000)
    .describe("longest time that a finished answer waits to be read; then its connection ends"),
  graceMs: z
    .int()
    .min(0)
    .default(30_000)
    .describe("time that requests under way get when the server is stopped"),
});

export type ServeSettings = z.infer<typeof serveSettingsSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the setting, its value and the bound */
export function parseServeSettings(given: z.input<typeof serveSettingsSchema>): ServeSettings {
  const parsed = serveSettingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const field = path.join(".");
    return `${field}: ${message}, and it is ${String(given[field as keyof typeof given])}`;
  });
  throw new PalimpsestError("CONFIG_INVALID", `serve: ${problems.join("; ")}`);
}
