import { agentSettingsSchema } from "@palimpsest/agents";
import { LearnerConfig } from "@palimpsest/learner";
import { queueSettingsSchema } from "@palimpsest/trajectories";
import { z } from "zod";
import { asyncFields } from "./async-settings.js";
import { demonstrationSettingsSchema } from "./demonstration-settings.js";
import { modelSourceSchema } from "./model-source.js";
import { curriculumSchema } from "./recipe-curriculum.js";
import { evaluationSchema } from "./recipe-evaluation.js";
import { rewardSchema } from "./recipe-reward.js";
import { rolloutSchema } from "./recipe-rollout.js";
import { taskSourceSchema } from "./task-source.js";
import { trackersSchema } from "./tracker-settings.js";

const count = z.int().min(1);

const trainSchema = z.strictObject({
  steps: count.describe("training steps"),
  groupsPerStep: count.max(4096).default(16).describe("questions, and so groups, per step"),
  minGroupSize: z
    .int()
    .min(2)
    .default(2)
    .describe("a group with fewer scored episodes is dropped and counted"),
  ...asyncFields,
  keepCheckpoints: count.default(2).describe("number of newest checkpoints that are kept"),
  checkpointEverySteps: count
    .max(1000)
    .default(1)
    .describe(
      "steps from one checkpoint to the next; for the steps between them only the inputs are stored, from which they are replayed after a crash",
    ),
  keepStepDumps: z
    .int()
    .min(0)
    .default(2)
    .describe("number of last steps whose groups stay on disk, for `train replay`; 0: none"),
  keepTraces: z
    .int()
    .min(0)
    .default(2)
    .describe(
      "number of last steps whose trajectories stay in the run's folder `traces` as text, for the memory microscope and `palimpsest trace view`, beside those of the first step and of a few questions of the first and the last evaluations; 0: none",
    ),
  traceDetail: z
    .enum(["replies", "text", "tokens"])
    .optional()
    .describe(
      "what traces contain of each conversation. replies, the default: the model's replies; text: prompts, too, from which the memory microscope shows what each step read; tokens: token ids and log-probs, too",
    ),
  tensorboard: z
    .boolean()
    .default(false)
    .describe("whether every step's metrics are also written to the run's folder as TensorBoard event files"),
  trackers: trackersSchema.optional().describe("servers that receive every step's metrics; absent: none"),
  stopWhen: z
    .strictObject({
      patienceEvaluations: count
        .max(1000)
        .describe(
          "consecutive evaluations without an improvement of evaluation.metric after which the run ends",
        ),
      minimumGain: z
        .number()
        .min(0)
        .default(0)
        .describe("an evaluation is an improvement if it exceeds the previous best value by more than this"),
    })
    .optional()
    .describe("ends the run before `steps` if its evaluations no longer improve; absent: never"),
  stopWhenStuckMs: z
    .int()
    .min(1_000)
    .default(300_000)
    .describe("a step that takes longer than this ends the run with an error"),
});

const planSchema = z.strictObject({
  memoryGib: z
    .number()
    .positive()
    .optional()
    .describe(
      "memory in GiB of each machine that the recipe is for; absent: --memory for all together, or this machine's",
    ),
  nodes: count.max(1024).optional().describe("number of these machines; absent: 1"),
  gpusPerNode: count
    .max(64)
    .optional()
    .describe(
      "GPUs of each of these machines; the dry run then refuses a run that has no room on them, and names the split between learner and rollout actors that takes the least time",
    ),
  gpuGib: z.number().positive().optional().describe("memory in GiB of each GPU of these machines"),
  networkGbits: z
    .number()
    .positive()
    .optional()
    .describe("Gbit/s that the network of each of these machines passes each way; absent: 25"),
  tasks: count.optional().describe("number of tasks in the data file, if the file is not on this machine"),
  documentTokens: count.optional().describe("tokens per document, if the data file is not on this machine"),
  questionTokens: count.default(32).describe("tokens per question, if the data file is not on this machine"),
  replyShare: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("expected length of replies, as a share of their limits; absent: 0.5"),
});

/** The schema of recipes; parsing with it names a wrong field, its value and the fix. */
export const recipeSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      "must be lower-case letters, digits and dashes, beginning with a letter or a digit",
    )
    .describe("name of the recipe, from which the run's folder and queues are named"),
  seed: z.int().min(0).default(1).describe("seed of tasks, sampling and the learner"),
  model: modelSourceSchema.describe("the model to train; set exactly one of path, name, hub, checkpoint"),
  start: demonstrationSettingsSchema
    .optional()
    .describe(
      "supervised fine-tuning on demonstrations before the run, in the driver's process; absent: none",
    ),
  agent: agentSettingsSchema.describe("the memory agent"),
  data: taskSourceSchema.describe(
    "training questions, used in order and again from the start when they run out",
  ),
  curriculum: curriculumSchema.prefault({}).describe("order of `data`, and other sources to mix in"),
  rollout: rolloutSchema.prefault({}),
  reward: rewardSchema.prefault({}),
  learner: LearnerConfig,
  learnerActors: count
    .max(32)
    .default(1)
    .describe(
      "number of learners that train together, on any nodes, each with its own resources: each has the whole model and computes a part of the micro-batches, and their gradients are summed over the network once per optimizer step",
    ),
  learnerCpus: z.number().min(0).default(0.5).describe("CPUs that each learner leases"),
  learnerGpus: z.number().min(0).default(0).describe("GPUs that each learner leases"),
  learnerThreads: count
    .default(2)
    .describe(
      "compute threads of each learner; of several learners all but one, at most eight, exchange gradients",
    ),
  train: trainSchema,
  evaluation: evaluationSchema
    .optional()
    .describe("evaluations before, during and after training; absent: none"),
  plan: planSchema.optional().describe("assumptions of `train --dry-run`; a run ignores them"),
  queues: queueSettingsSchema.prefault({}).describe("limits and timeouts of the run's queues"),
  output: z
    .string()
    .min(1)
    .default("runs")
    .describe("folder for checkpoints, metrics and reports, relative to where the command runs"),
});

/** A training run with all defaults filled in; docs/configuration.md has every field. */
export type Recipe = z.infer<typeof recipeSchema>;
