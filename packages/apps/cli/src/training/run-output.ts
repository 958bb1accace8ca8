/** What commands that run a recipe print with `--json`. */
import { z } from "zod";
import { JsonOutput, openObject } from "../display/json-output.js";

const text = z.string();
const figure = z.number().nullable();
const ratedStep = z.strictObject({ step: z.int(), value: figure });

const reportSchema = z.strictObject({
  recipe: text,
  seed: z.int(),
  shuffleRewards: z.boolean(),
  backend: text,
  exactMatchBefore: figure.describe("share of right answers at the training length"),
  exactMatchAfter: figure,
  exactMatchByLength: z.array(
    z.strictObject({
      lengthTokens: z.number(),
      factor: z.number(),
      tasks: z.int(),
      before: figure,
      after: figure,
      interval: z.tuple([z.number(), z.number()]).nullable(),
      rewardBefore: figure,
      rewardAfter: figure,
      share: figure,
      microsecondsPerDocumentToken: figure,
      peakRssMib: figure,
    }),
  ),
  rewardCurve: z.array(figure).describe("mean reward of each step since it was resumed"),
  steps: z.int(),
  evaluations: z.array(ratedStep),
  best: ratedStep.nullable(),
  rewardByCategory: z.record(text, figure),
  secondsByPhase: z.record(text, figure),
  samplerTokensPerSecond: figure,
  learnerTokensPerSecond: figure,
  logprobDifference: z.strictObject({ mean: figure, p99: figure, most: figure, kl: figure, limit: figure }),
  processes: z.array(z.strictObject({ role: text, pid: z.int() })),
  groupsDispatched: z.int(),
  groupsTrained: z.int(),
  groupsFailed: z.int(),
  plan: z.array(
    z.strictObject({
      what: text,
      unit: z.enum(["seconds", "bytes"]),
      planned: figure,
      measured: figure,
      ratio: figure,
      note: text.optional(),
    }),
  ),
  checkpoint: text,
  model: text,
  traces: text.nullable(),
  files: z.array(text),
});

const planSchema = z.strictObject({
  modelFolder: text,
  model: openObject("settings of the model"),
  parameters: z.number(),
  prompt: text,
  stopTokens: z.array(text),
  tasks: z.strictObject({ total: z.int(), lookedAt: z.int() }),
  documentTokens: z.strictObject({ mean: figure, most: figure }),
  assumed: z.strictObject({ model: z.boolean(), data: z.boolean() }),
  conversations: z.array(
    z.strictObject({
      kind: z.enum(["memory", "final", "tool"]),
      promptTokens: figure,
      replyTokens: figure,
      trainedTokens: figure,
    }),
  ),
  step: z.strictObject({
    episodes: figure,
    conversations: figure,
    promptTokens: figure,
    sampledTokensAtMost: figure,
    optimizerSteps: figure,
    filled: figure,
  }),
  needs: openObject("memory of each part, in bytes; totalBytes is the sum"),
  engines: openObject("engines that sample, if there are any").optional(),
  nodes: z.int(),
  memoryBytes: z.number(),
  time: z.strictObject({
    expected: openObject("seconds of a step, by part"),
    atMost: openObject("the same with the longest replies"),
    expectedTotalSeconds: figure,
    totalSeconds: figure,
  }),
  devices: z.strictObject({ rollout: text, learner: text }),
  layout: openObject("how the recipe splits its GPUs"),
  layouts: z.array(openObject("a split of the GPUs, and its time")),
  buckets: z.array(openObject("a compiled shape of the learner")),
  problems: z.array(text).describe("why the run cannot work"),
});

export const runOutput = new JsonOutput(() => z.union([reportSchema, planSchema.describe("with --dry-run")]));

/** The output of `train`, which also trains in its own process. */
export const trainOutput = new JsonOutput(() =>
  z.union([
    reportSchema,
    planSchema.describe("with --dry-run"),
    z
      .strictObject({
        weightsHash: text,
        steps: z.array(z.strictObject({ step: z.int(), rewardMean: figure, weightsHash: text })),
      })
      .describe("with --in-process"),
  ]),
);

export const replayOutput = new JsonOutput(() =>
  z.strictObject({
    step: z.int(),
    metrics: openObject("metrics of the update, as in metrics.jsonl"),
    weightsHash: text,
    recordedHash: text.optional(),
    differences: z.array(
      z.strictObject({ name: text, recorded: z.unknown().optional(), replayed: z.unknown().optional() }),
    ),
  }),
);

export const sftOutput = new JsonOutput(() =>
  z.strictObject({
    teacher: z
      .strictObject({ data: text, asked: z.int(), kept: z.int(), cut: z.int() })
      .optional()
      .describe("answers that were requested"),
    model: z
      .strictObject({
        folder: text,
        weightsHash: text,
        steps: z.int().optional(),
        rows: z.int().optional(),
        skipped: z.int().optional(),
      })
      .optional()
      .describe("the model that was written"),
  }),
);
