import { agentSettingsSchema } from "@palimpsest/agents";
import { LearnerConfig } from "@palimpsest/learner";
import { queueSettingsSchema } from "@palimpsest/trajectories";
import { z } from "zod";
import { asyncFields } from "../async/async-settings.js";
import { demonstrationSettingsSchema } from "../demonstrations/demonstration-settings.js";
import { modelSourceSchema } from "../model-source.js";
import { trackersSchema } from "../trackers/tracker-settings.js";
import { curriculumSchema } from "./recipe-curriculum.js";
import { evaluationSchema } from "./recipe-evaluation.js";
import { rewardSchema } from "./recipe-reward.js";
import { rolloutSchema } from "./recipe-rollout.js";
import { taskSourceSchema } from "./task-source.js";

const count = z.int().min(1);

const trainSchema = z.strictObject({
  steps: count.describe("updates of the policy"),
  groupsPerStep: count.max(4096).default(16).describe("questions per step"),
  minGroupSize: z
    .int()
    .min(2)
    .default(2)
    .describe("a group with fewer scored episodes is dropped and counted"),
  ...asyncFields,
  keepCheckpoints: count.default(2).describe("newest checkpoints kept"),
  checkpointEverySteps: count
    .max(1000)
    .default(1)
    .describe(
      "steps from one checkpoint to the next; of those in between only the inputs are stored, from which they are repeated after a crash",
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
      "number of last steps whose trajectories stay in the run's folder `traces` as text, for `palimpsest trace view`; 0: none",
    ),
  traceDetail: z
    .enum(["replies", "text", "tokens"])
    .optional()
    .describe(
      "contents of each conversation in traces: the model's replies (the default), also the prompts, or also token ids and log-probs; the prompts show the memory microscope what each step read",
    ),
  tensorboard: z
    .boolean()
    .default(false)
    .describe("writes every step's numbers as TensorBoard event files into the run's folder"),
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
        .describe("an improvement exceeds the previous best value by more than this"),
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
    .describe("memory of the machines that the recipe is for, GiB; absent: this machine's, or --memory"),
  gpuGib: z.number().positive().optional().describe("memory of one of their GPUs, GiB"),
  tasks: count.optional().describe("tasks in the data file, if it is not on this machine"),
  documentTokens: count.optional().describe("tokens of a document, if the data file is not on this machine"),
  questionTokens: count.default(32).describe("tokens of a question, if the data file is not on this machine"),
});

export const recipeSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "lower-case letters, digits and dashes")
    .describe("names the run's folder and queues"),
  seed: z.int().min(0).default(1).describe("seed of tasks, sampling and the learner"),
  model: modelSourceSchema.describe("the model to train: one of path, name, hub, checkpoint"),
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
      "learners that train together, each with its own lease, on any nodes: each has the whole model and a part of the micro-batches, and their gradients are summed over the network once per optimizer step",
    ),
  learnerCpus: z.number().min(0).default(0.5).describe("CPUs that each learner leases"),
  learnerGpus: z.number().min(0).default(0).describe("GPUs that each learner leases"),
  learnerThreads: count.default(2).describe("compute threads of each learner"),
  train: trainSchema,
  evaluation: evaluationSchema.optional().describe("evaluations before and after training; absent: none"),
  plan: planSchema.optional().describe("assumptions of `train --dry-run`; a run ignores them"),
  queues: queueSettingsSchema.prefault({}).describe("limits and timeouts of the run's queues"),
  output: z
    .string()
    .min(1)
    .default("runs")
    .describe("folder for checkpoints, metrics and reports, relative to where the command runs"),
});

export type Recipe = z.infer<typeof recipeSchema>;
