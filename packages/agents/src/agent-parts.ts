import { parseInput } from "@palimpsest/memory/input";
import { z } from "zod";
import { AgentError } from "./error.js";

const partWith = (methods: readonly string[], error: string) =>
  z.custom<object>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((method) => typeof Reflect.get(value, method) === "function"),
    { error: `must be ${error}, with ${methods.map((method) => `${method}()`).join(", ")}` },
  );

export const callback = z.custom<object>((value) => typeof value === "function", {
  error: "must be a function",
});
export const samplerPart = partWith(["generate"], "a sampler, such as that of an endpoint or of a model");
export const tokenizerPart = partWith(
  ["encode", "decode", "specialTokenId"],
  "a tokenizer, such as that of the model",
);

/** What is given to all agents is the same object, so that each knows the names of what others need. */
const agentParts = z.strictObject({
  sampler: samplerPart,
  tokenizer: tokenizerPart,
  config: z.looseObject({}).optional(),
  chat: z.looseObject({}).optional(),
  contextTokens: z.number().min(1).or(z.literal(Number.POSITIVE_INFINITY)).optional(),
  embedder: partWith(["embed"], "an embedder, such as hashedEmbedder()").optional(),
  module: z.unknown(),
  now: callback.optional(),
});

/** Refuses options of an agent before the first use of one fails. @throws {AgentError} BAD_CONFIG */
export function checkParts(options: unknown, agent: string): void {
  checkArgument(agentParts, options, `options of ${agent}`);
}

/** Refuses what a program gives. @throws {AgentError} BAD_CONFIG */
export function checkArgument(schema: z.ZodType, value: unknown, what: string): void {
  parseInput(schema, value, (problem) => new AgentError("BAD_CONFIG", `${what}: ${problem}`));
}
