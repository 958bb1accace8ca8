/** What the commands of data print with `--json`. */
import { manifestSchema } from "@palimpsest/datasets";

import { z } from "zod";
import { JsonOutput } from "../display/json-output.js";

const text = z.string();
const share = z.number().describe("in [0, 1]");
const factsSchema = z.record(text, z.union([text, z.number(), z.boolean()]));

const taskSchema = z.strictObject({
  id: text,
  question: text,
  answers: z.array(text),
  document: text,
  metadata: factsSchema,
  records: z
    .array(
      z.strictObject({
        id: text,
        content: text,
        memoryType: z.enum(["episodic", "semantic", "procedural"]),
        speaker: text.optional(),
        session: text.optional(),
        dialogueTime: text.optional(),
        createdAt: text.optional(),
        updatedAt: text.optional(),
        source: text.optional(),
        provenance: z.array(text),
        metadata: factsSchema,
      }),
    )
    .optional(),
  probes: z
    .array(
      z.strictObject({
        question: text,
        answers: z.array(text),
        category: text.optional(),
        evidence: z.array(text).optional(),
        heldOut: z.boolean(),
      }),
    )
    .optional(),
});
export const taskOutput = new JsonOutput(() => taskSchema);

const checkedDataSchema = z.array(
  z.strictObject({
    manifest: text.optional(),
    dataset: text.optional(),
    files: z.array(
      z.strictObject({
        path: text,
        role: z.enum(["source", "tasks", "corpus", "stores"]),
        state: z.enum(["right", "missing", "changed", "bad-rows", "unlisted"]),
        detail: text.optional(),
        rows: z.int().optional(),
      }),
    ),
    right: z.boolean(),
  }),
);
export const checkedOutput = new JsonOutput(() => checkedDataSchema);
export const preparedOutput = new JsonOutput(() =>
  z.union([manifestSchema, checkedDataSchema.describe("with --check")]),
);

const spread = z.strictObject({
  least: z.number(),
  median: z.number(),
  mean: z.number(),
  p95: z.number(),
  most: z.number(),
});
export const statisticsOutput = new JsonOutput(() =>
  z.strictObject({
    files: z.array(text),
    badRows: z.int(),
    tasks: z.int(),
    characters: spread,
    tokens: spread.optional(),
    questionCharacters: spread,
    answers: z.strictObject({
      aliases: spread,
      characters: spread,
      yesOrNo: z.int(),
      numbers: z.int(),
      emptied: z.int().optional(),
      inDocument: z.int(),
    }),
    records: spread.optional(),
    probes: spread.optional(),
    groups: z.record(text, z.record(text, z.int())),
    goldPlaces: z
      .strictObject({
        documents: z.int(),
        meanPlace: share,
        tenths: z.array(share),
        distance: z.number(),
        pValue: z.number(),
      })
      .optional(),
  }),
);

export const overlapOutput = new JsonOutput(() =>
  z.strictObject({
    rows: z.int(),
    evaluationQuestions: z.int(),
    found: z.array(
      z.strictObject({
        row: z.int(),
        trainingId: text,
        question: text,
        by: z.enum(["id", "words", "n-grams"]),
        share,
        file: text,
        id: text,
      }),
    ),
    badRows: z.array(z.strictObject({ source: text, row: z.int(), reason: text, detail: text })),
  }),
);

export const filterOutput = new JsonOutput(() =>
  z.strictObject({
    filter: text,
    input: text,
    model: text,
    prompt: text,
    samples: z.int(),
    match: z.enum(["em", "substring", "either"]),
    temperature: z.number().optional(),
    topP: z.number().optional(),
    maxTokens: z.int().optional(),
    seed: z.int(),
    tasks: z.int(),
    kept: z.int(),
    dropped: z.int(),
    answers: z.int(),
    log: text,
  }),
);

export const ratingOutput = new JsonOutput(() =>
  z.strictObject({
    out: text,
    model: text,
    identity: z.record(text, text),
    samples: z.int(),
    seed: z.int(),
    questions: z.int(),
    rated: z.int(),
    resumed: z.int(),
    never: z.int(),
    always: z.int(),
    mean: z.number(),
    failed: z.int(),
  }),
);

const difficulty = { cast: z.int(), bait: share, distance: share, wordings: z.int() };
export const worldsOutput = new JsonOutput(() =>
  z.array(z.strictObject({ name: text, rule: text, ...difficulty })),
);
export const certificatesOutput = new JsonOutput(() =>
  z.array(
    z.strictObject({
      world: text,
      split: z.enum(["train", "dev", "test"]),
      seed: z.union([z.int(), text]),
      difficulty: z.strictObject(difficulty),
      length: z.int(),
      questions: z.int(),
      sha256: text,
      meanCharacters: z.number(),
      evidence: z.number(),
      rows: z.array(
        z.strictObject({
          name: text,
          kind: z.enum(["oracle", "floor", "ceiling"]),
          share,
          interval: z.strictObject({ low: share, high: share }),
          byKind: z.record(text, z.strictObject({ n: z.int(), share })),
          sentences: z.number().optional(),
        }),
      ),
      verdict: z.enum(["closed", "open", "uncertain"]),
      highest: text,
    }),
  ),
);
