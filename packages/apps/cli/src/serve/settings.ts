import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** Limits of the server, each with its effect. */
const serveSettingsSchema = z.strictObject({
  maxBatch: z.int().min(1).max(4096).default(16).describe("number of choices that are sampled at once"),
  maxWaiting: z
    .int()
    .min(0)
    .max(65_536)
    .default(64)
    .describe("number of choices that may wait for these slots; one more is answered 429"),
  maxChoices: z.int().min(1).max(1024).default(16).describe("maximum of prompts times n in one request"),
  maxBodyBytes: z
    .int()
    .min(1024)
    .default(4 * 1024 * 1024)
    .describe("maximum bytes of a request body; a larger one is answered 413"),
  deadlineMs: z
    .int()
    .min(1)
    .default(600_000)
    .describe("deadline of one request in milliseconds, after which it is answered 504"),
  unreadMs: z
    .int()
    .min(1)
    .default(60_000)
    .describe("milliseconds that a finished answer waits to be read before its connection is closed"),
  graceMs: z
    .int()
    .min(0)
    .default(30_000)
    .describe("milliseconds that running requests get when the server is stopped"),
});

export type ServeSettings = z.infer<typeof serveSettingsSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the setting, its value and the bound */
export function parseServeSettings(given: z.input<typeof serveSettingsSchema>): ServeSettings {
  return parseInput(
    serveSettingsSchema,
    given,
    (problem) => new PalimpsestError("CONFIG_INVALID", `serve: ${problem}`),
  );
}
