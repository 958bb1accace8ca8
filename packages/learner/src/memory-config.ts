import type { ForwardOptions, ModelConfig } from "@palimpsest/model";
import { z } from "zod";

/** How much memory a micro-batch may take at once, against how fast it is. The numbers trained are the same. */
export const MemoryConfig = z.strictObject({
  layers: z
    .enum(["auto", "unrolled", "scan"])
    .default("auto")
    .describe(
      "On a CPU, and in float32. unrolled: every layer's values are kept for the gradient; scan: one loop over the layers, of which only the inputs are kept and the rest is computed again; auto: scan from 5 layers on.",
    ),
  logitsMb: z
    .number()
    .positive()
    .optional()
    .describe(
      "Logits that stand at once, MiB in float32; where a micro-batch has more, they come in chunks. Default 128 on a CPU, 1280 where a GPU computes in bfloat16.",
    ),
  keep: z
    .enum(["auto", "nothing", "products"])
    .default("auto")
    .describe(
      "Where a GPU computes in bfloat16: what the gradient finds of the forward pass. nothing: layers are computed again; products: results of matrix products and of attention are kept; auto: products where the device has room for them.",
    ),
  scoresMb: z
    .number()
    .positive()
    .default(64)
    .describe(
      "Attention scores that stand at once, MiB, of shared prompts as of their replies; where there are more, queries come in blocks, of 16 positions or more. Of no effect where attention is one kernel of a GPU.",
    ),
  accumulators: z
    .enum(["auto", "none"])
    .default("auto")
    .describe(
      "In mode xla, sums of the gradients of several micro-batches. auto: where a step has several; none: there is no room for them, and a step of several is refused. A step of one micro-batch a replica is one run and has none.",
    ),
  optimizerState: z
    .enum(["whole", "sharded"])
    .default("whole")
    .describe(
      "With replicas, where the optimizer's moments are. whole: on each; sharded: each has an equal part of them and updates that part of the weights (ZeRO-1), for models whose moments do not fit on each. A step then takes the form in parts, and sums weights as well as gradients.",
    ),
  applyMb: z
    .number()
    .positive()
    .default(64)
    .describe(
      "Weights that are updated at once, MiB; larger models are updated tensor by tensor. Of no effect in mode xla, which updates all in place.",
    ),
});
export type MemoryConfig = z.infer<typeof MemoryConfig>;

const MIB = 2 ** 20;
const BYTES = 4;
const SCAN_FROM_LAYERS = 5;
const SMALLEST_BLOCK = 16;
const CPU_LOGITS_MB = 128;
/** About an eighth of the logits of 16,384 tokens and a vocabulary of 151,936: fewer chunks gained nothing, more lost. */
const GPU_LOGITS_MB = 1280;

/** @returns the form of a forward pass over the bucket's sequences, or its shared prompts and their replies */
export function forwardForm(
  memory: MemoryConfig,
  model: ModelConfig,
  shape: {
    readonly prompts: number;
    readonly promptLength: number;
    /** Replies to each prompt; absent: the prompts are whole sequences. */
    readonly replies?: number;
    readonly replyLength?: number;
  },
): Pick<ForwardOptions, "layers" | "attentionBlock" | "replyBlock"> {
  const { prompts, promptLength, replies = 0, replyLength = 0 } = shape;
  const scan = memory.layers === "scan" || (memory.layers === "auto" && model.layers >= SCAN_FROM_LAYERS);
  const attentionBlock = blockOf(memory, model, prompts * promptLength, promptLength);
  const replyBlock =
    replies === 0
      ? undefined
      : blockOf(memory, model, prompts * replies * (promptLength + replyLength), replyLength);
  return {
    layers: scan ? "scan" : "unrolled",
    ...(attentionBlock === undefined ? {} : { attentionBlock }),
    ...(replyBlock === undefined ? {} : { replyBlock }),
  };
}

/**
 * @param scores of one query position, by head
 * @param length query positions
 * @returns how many of them may have scores at once; undefined: all
 */
function blockOf(
  { scoresMb }: MemoryConfig,
  { heads }: ModelConfig,
  scores: number,
  length: number,
): number | undefined {
  const fitting = Math.floor((scoresMb * MIB) / (scores * heads * BYTES));
  if (fitting >= length) return undefined;
  return Math.max(SMALLEST_BLOCK, 2 ** Math.floor(Math.log2(Math.max(fitting, 1))));
}

/** Positions whose logits may stand at once. */
export function logitsChunk(memory: MemoryConfig, model: ModelConfig, isOnGpu = false): number {
  const logitsMb = memory.logitsMb ?? (isOnGpu ? GPU_LOGITS_MB : CPU_LOGITS_MB);
  return Math.max(SMALLEST_BLOCK, Math.floor((logitsMb * MIB) / (model.vocabSize * BYTES)));
}

/** Deals names out in their order so that no part has more bytes than allowed, except for one larger tensor alone. */
export function applyParts(
  memory: MemoryConfig,
  shapes: Readonly<Record<string, readonly number[]>>,
): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const [name, shape] of Object.entries(shapes)) {
    const bytes = shape.reduce((product, dimension) => product * dimension, BYTES);
    if (parts.length === 0 || bytes > left) {
      parts.push([]);
      left = memory.applyMb * MIB;
    }
    parts.at(-1)?.push(name);
    left -= bytes;
  }
  return parts;
}
