import { z } from "zod";
import { engineSettingsSchema } from "./engine-settings.js";

const count = z.int().min(1);

export const rolloutSchema = z.strictObject({
  engine: engineSettingsSchema
    .optional()
    .describe("inference servers that sample for the rollout actors; absent: each actor samples itself"),
  actors: count
    .max(1024)
    .default(2)
    .describe("number of rollout actors, each with the whole model; with `engine` there is one per server"),
  concurrency: count.max(4096).default(64).describe("most episodes in flight per rollout actor"),
  maxBatch: count.max(4096).default(64).describe("most requests that are sampled in one batch"),
  maxTokens: z.int().min(8).default(64).describe("most tokens of prompt and reply together"),
  cacheTokens: count
    .optional()
    .describe("capacity of each actor's key-value cache in tokens; absent: maxBatch times maxTokens"),
  prefillTokens: z
    .int()
    .min(32)
    .optional()
    .describe(
      "most prompt tokens that are prefilled between two sampling calls; absent: derived from the model's size, with slots on a GPU a time",
    ),
  temperature: z
    .number()
    .gt(0)
    .max(10)
    .default(1)
    .describe(
      "sampling temperature in training; the learner computes log-probs and entropy at the same temperature",
    ),
  prefixCache: z
    .boolean()
    .default(true)
    .describe(
      "whether a common prefix of prompts is prefilled only once, which helps little if prompts are short",
    ),
  speculate: z
    .boolean()
    .optional()
    .describe(
      "whether tokens are guessed from a conversation's prompt and reply and checked several at a time, which pays where replies copy, as memory updates do; with a table of slots for all conversations at once and only while it is faster, else for one that runs alone. Absent: as the sampler has it",
    ),
  weightUpdates: z
    .enum(["drained", "in-flight", "staged"])
    .optional()
    .describe(
      "when a sampler applies new weights. drained: once its running replies are done, while no other starts. in-flight: between two device calls; replies under way go on with the new weights, and the learner is told which version sampled which tokens (PipelineRL, arXiv:2509.19128). staged: as in-flight, but whole weights in bfloat16 are copied to the device beside the old ones while these sample, which takes memory for both. Absent: in-flight if train.maxStaleness is above 0; drained on engines, of which vLLM can keep running requests",
    ),
  batchInvariant: z
    .boolean()
    .default(false)
    .describe(
      "whether, on a CPU, a conversation gets the same numbers, bit for bit, in every batch, so that the trained weights depend neither on the number of actors nor on their timing; batches are padded to multiples of 16 rows",
    ),
  precision: z
    .enum(["auto", "float32", "bfloat16"])
    .default("auto")
    .describe(
      "type in which the sampler stores and multiplies matrices; auto: bfloat16 on a CPU if a trial of 100 ms finds it faster for this model, unless learner.oldLogprobs is rollout or learner.firstStepChecks is true, else float32",
    ),
  cpus: z.number().min(0).default(0.5).describe("CPUs that each rollout actor leases"),
  gpus: z.number().min(0).default(0).describe("GPUs that each rollout actor leases"),
  threads: count.default(1).describe("compute threads per rollout actor"),
  lanes: count
    .max(64)
    .default(1)
    .describe(
      "parts of a batch that prefill and sample in parallel on a CPU, each on threads / lanes threads; as many as threads pay for batches of at least 32, and in models of more than 8 layers for batches of at least 16",
    ),
  stepsPerCall: count
    .max(128)
    .optional()
    .describe(
      "tokens that one device call samples; absent: 8, or 32 with a table of slots, but at most 4 on a CPU for models of more than 8 layers",
    ),
});
