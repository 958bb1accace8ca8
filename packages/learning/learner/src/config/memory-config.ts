import { sizeOf } from "@palimpsest/jit";
import type { ForwardOptions, ModelConfig } from "@palimpsest/model";
import { z } from "zod";

const positive = z.number().positive();

/** Bounds the memory that a micro-batch takes at once, in exchange for speed. The results of training are the same. */
export const MemoryConfig = z.strictObject({
  layers: z
    .enum(["auto", "unrolled", "scan"])
    .default("auto")
    .describe(
      "Used on a CPU and in float32. unrolled: the activations of every layer are kept for the gradient; scan: one loop over the layers, which keeps their inputs and what `keep` names and recomputes the rest; auto: scan from 5 layers on.",
    ),
  logitsMb: positive
    .optional()
    .describe(
      "Most MiB of float32 logits that exist at once; a micro-batch with more computes them in chunks. Default: 128 on a CPU, 1280 if a GPU computes in bfloat16.",
    ),
  keep: z
    .enum(["auto", "nothing", "products"])
    .default("auto")
    .describe(
      "What the forward pass keeps for the gradient if layers are a loop, as in bfloat16 on a GPU. nothing: layers are recomputed; products: results of matrix products and of attention are kept; auto: products if a GPU has room for them, nothing on a CPU.",
    ),
  scoresMb: positive
    .default(64)
    .describe(
      "Most MiB of attention scores that exist at once, for shared prompts and for their replies; with more, queries are computed in blocks of at least 16 positions. Has no effect if attention is one GPU kernel.",
    ),
  accumulators: z
    .enum(["auto", "none"])
    .default("auto")
    .describe(
      "Whether mode xla allocates accumulators for gradients. auto: if a step has several micro-batches per replica; none: never, which saves their memory and refuses such steps.",
    ),
  optimizerState: z
    .enum(["whole", "sharded"])
    .default("whole")
    .describe(
      "Where replicas keep what the optimizer needs. whole: each has all of it; sharded: each has an equal shard of float32 weights, moments, accumulated gradients and the reference, and all weights in the type of products, for models that do not fit on one GPU. A step then takes several launches.",
    ),
  applyMb: positive
    .default(64)
    .describe(
      "Most MiB of weights that are updated at once; larger models are updated tensor by tensor. Has no effect in mode xla, which updates everything in place.",
    ),
});
export type MemoryConfig = z.infer<typeof MemoryConfig>;

const MIB = 2 ** 20;
const BYTES = 4;
const SCAN_FROM_LAYERS = 5;
const SMALLEST_BLOCK = 16;
const CPU_LOGITS_MB = 128;
/**
 * This is about an eighth of the logits of 16,384 tokens and a vocabulary of 151,936: fewer chunks gained nothing, and
 * more cost speed.
 */
const GPU_LOGITS_MB = 1280;

/** @returns the options of a forward pass over the bucket's sequences, or over its shared prompts and their replies */
export function forwardForm(
  memory: MemoryConfig,
  model: ModelConfig,
  shape: {
    readonly prompts: number;
    readonly promptLength: number;
    /** Number of replies per prompt; absent: the prompts are whole sequences. */
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
 * @param scores number of scores of one query position, over all heads
 * @param length number of query positions
 * @returns how many positions may have scores at once; undefined: all
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

/** Returns the number of positions whose logits may exist at once. */
export function logitsChunk(memory: MemoryConfig, model: ModelConfig, isOnGpu = false): number {
  const logitsMb = memory.logitsMb ?? (isOnGpu ? GPU_LOGITS_MB : CPU_LOGITS_MB);
  return Math.max(SMALLEST_BLOCK, Math.floor((logitsMb * MIB) / (model.vocabSize * BYTES)));
}

/** Groups names in their order so that no part has more bytes than allowed, except for a single larger tensor. */
export function applyParts(
  memory: MemoryConfig,
  shapes: Readonly<Record<string, readonly number[]>>,
): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const [name, shape] of Object.entries(shapes)) {
    const bytes = BYTES * sizeOf(shape);
    if (parts.length === 0 || bytes > left) {
      parts.push([]);
      left = memory.applyMb * MIB;
    }
    parts.at(-1)?.push(name);
    left -= bytes;
  }
  return parts;
}
