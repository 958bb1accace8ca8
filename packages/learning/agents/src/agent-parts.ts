import { closestWord, parseInput, unknownKeys } from "@palimpsest/std/input";
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

const agentParts = z.looseObject({
  sampler: samplerPart,
  tokenizer: tokenizerPart,
  chat: z.looseObject({}).optional(),
  contextTokens: z.number().min(1).or(z.literal(Number.POSITIVE_INFINITY)).optional(),
  embedder: partWith(["embed"], "an embedder, such as hashedEmbedder()").optional(),
  now: callback.optional(),
});

/** Refuses options of an agent before the first use of one fails. @throws {AgentError} BAD_CONFIG */
export function checkParts(options: unknown, agent: string, config: z.ZodType): void {
  const schema = agentParts.extend({ config: config.optional() });
  checkArgument(schema, options, `options of ${agent}`);
  refuseMisspelt(schema, options, `options of ${agent}`);
}

const taskParts = z.looseObject({ question: z.string(), records: z.array(z.looseObject({})).optional() });
const count = z.int().min(0);
const runParts = z.looseObject({
  signal: partWith(["throwIfAborted", "addEventListener"], "an AbortSignal").optional(),
  seed: z.int().optional(),
  temperature: z.number().min(0).optional(),
  topP: z.number().gt(0).max(1).optional(),
  onProgress: callback.optional(),
  record: z.enum(["all", "none"]).optional(),
  resumeFrom: z
    .looseObject({
      agent: z.string(),
      documentPosition: count,
      documentTokensRead: count,
      memoryTokenIds: z.array(count),
      heads: z
        .array(
          z.looseObject({
            tokenIds: z.array(count),
            step: count.optional(),
            relevance: z.number().min(0).optional(),
          }),
        )
        .optional(),
      counts: z.looseObject({}),
    })
    .optional(),
});

/** Refuses a task and the options of its run before anything is sampled. @throws {AgentError} BAD_CONFIG */
export function checkRun(agent: string, task: unknown, options: unknown): void {
  checkArgument(taskParts, task, `task of ${agent}`);
  refuseMisspelt(taskParts.extend({ document: z.unknown() }), task, `task of ${agent}`);
  checkArgument(runParts, options, `options of ${agent}'s run()`);
  refuseMisspelt(runParts, options, `options of ${agent}'s run()`);
}

/** An opened model or endpoint may be given with all that it has: of unknown names only what was mistyped is refused. */
export function refuseMisspelt(schema: z.ZodObject, options: unknown, what: string): void {
  const known = Object.keys(schema.shape);
  const mistyped = Object.keys(z.looseObject({}).parse(options)).filter(
    (key) => !known.includes(key) && closestWord(key, known) !== undefined,
  );
  if (mistyped.length > 0) throw new AgentError("BAD_CONFIG", `${what}: ${unknownKeys(mistyped, known)}`);
}

/** Refuses what a program gives. @throws {AgentError} BAD_CONFIG */
export function checkArgument(schema: z.ZodType, value: unknown, what: string): void {
  parseInput(schema, value, (problem) => new AgentError("BAD_CONFIG", `${what}: ${problem}`));
}
