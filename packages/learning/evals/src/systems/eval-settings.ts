import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { EvaluationError } from "../error.js";
import { answerForms } from "../suite/qa-scorer.js";

const readerOverrides = z
  .record(z.string(), z.unknown())
  .default({})
  .describe("settings of the reader for this system, which replace the evaluation's");

/** Fields of every system that is an agent. */
const agentFields = {
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("settings that replace the preset's, or the recipe's, by name"),
  memories: z.boolean().default(false).describe("whether predictions contain the memory after each step"),
  by: z
    .enum(["bm25", "embedding"])
    .default("bm25")
    .describe("for memupdate: how memories for the reader are retrieved from the store after the episode"),
  reader: readerOverrides,
};

/** One system as a user writes it. */
const systemSettingsSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("agent").describe("a memory agent"),
    agent: z.string().describe("kind of the agent: memagent, rememr1, parallel or memupdate"),
    preset: z
      .string()
      .optional()
      .describe("named settings to start from; absent: the preset with the agent's name"),
    ...agentFields,
  }),
  z.strictObject({
    kind: z.literal("trained").describe("the agent that a training recipe describes"),
    recipe: z
      .string()
      .optional()
      .describe(
        "file of the recipe, relative to the working folder; absent: the recipe of the run that is evaluated, or else of the run that --model names",
      ),
    ...agentFields,
  }),
  z.strictObject({
    kind: z.literal("full-context").describe("the whole document in one prompt"),
    reader: readerOverrides,
  }),
  z.strictObject({
    kind: z.literal("truncated").describe("the beginning and the end of the document in one prompt"),
    reader: readerOverrides,
  }),
  z.strictObject({
    kind: z.literal("rag").describe("the passages of the document that a search retrieves, in one prompt"),
    by: z
      .enum(["bm25", "embedding", "max-serial"])
      .default("bm25")
      .describe("max-serial: of the numbered facts that BM25 finds, the one with the greatest number"),
    reader: readerOverrides,
  }),
  z.strictObject({
    kind: z.literal("closed-book").describe("the question without any text"),
    reader: readerOverrides,
  }),
]);
/** The settings of one system of an evaluation. */
export type SystemSettings = z.output<typeof systemSettingsSchema>;

const agent = (agent: string, preset = agent, settings: Record<string, unknown> = {}) =>
  ({ kind: "agent", agent, preset, settings, memories: false, by: "bm25", reader: {} }) as const;

/** Systems that need no settings file. */
export const builtInSystems = {
  memagent: agent("memagent"),
  "memagent-vime": agent("memagent", "memagent-vime"),
  rememr1: agent("rememr1"),
  "rememr1-no-recall": agent("rememr1", "rememr1", { recall: false }),
  parallel: agent("parallel"),
  memupdate: agent("memupdate"),
  trained: { kind: "trained", settings: {}, memories: false, by: "bm25", reader: {} },
  "full-context": { kind: "full-context", reader: {} },
  truncated: { kind: "truncated", reader: {} },
  "rag-bm25": { kind: "rag", by: "bm25", reader: {} },
  "rag-embedding": { kind: "rag", by: "embedding", reader: {} },
  "max-serial": { kind: "rag", by: "max-serial", reader: {} },
  "closed-book": { kind: "closed-book", reader: {} },
} as const satisfies Record<string, SystemSettings>;

/** The systems of an evaluation and how they are asked: the settings file of `palimpsest eval`. */
export const evalSettingsSchema = z.strictObject({
  description: z.string().optional().describe("description of the evaluation, for readers of the report"),
  systems: z
    .record(z.string(), systemSettingsSchema)
    .default({})
    .describe("systems by name, in addition to the built-in ones"),
  run: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "names of the systems to evaluate, in order, unless --systems is given; absent: the suite's default systems",
    ),
  reader: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("how baselines ask the model; absent fields are the model's limits, or else the defaults"),
  answer: z
    .strictObject({
      form: z.enum(answerForms).default("auto").describe("part of a reply that is its answer"),
      golds: z.enum(["any", "first"]).default("any").describe("which of several right answers count"),
      primary: z
        .enum(["exactMatch", "f1", "subExactMatch"])
        .optional()
        .describe("metric that is shown first; absent: the suite's default"),
    })
    .prefault({}),
  temperature: z
    .number()
    .min(0)
    .default(0)
    .describe("sampling temperature of agents and baselines; 0 is greedy"),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe("nucleus sampling: cumulative probability of the tokens kept"),
  concurrency: z.int().min(1).default(16).describe("most questions that are asked concurrently"),
  maxLength: z
    .int()
    .min(64)
    .optional()
    .describe(
      "for a local model: most tokens of prompt and reply together; absent: the model's own limit, at most 4096",
    ),
});
/** The settings of an evaluation with all defaults filled in. */
export type EvalSettings = z.output<typeof evalSettingsSchema>;

/**
 * Checks the contents of a settings file and fills in defaults.
 * @param where names the file in the error
 * @throws {EvaluationError} BAD_CONFIG
 */
export function parseEvalSettings(value: unknown, where: string): EvalSettings {
  if (typeof value === "object" && value !== null && "contestants" in value)
    throw new EvaluationError("BAD_CONFIG", `${where}: contestants is not a setting; write systems instead`);
  return parseInput(
    evalSettingsSchema,
    value,
    (problem) => new EvaluationError("BAD_CONFIG", `${where}: ${problem}`),
  );
}
