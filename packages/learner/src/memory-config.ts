import type { ForwardOptions, ModelConfig } from "@palimpsest/model";
import { z } from "zod";

/** How much memory a micro-batch may take at once, against how fast it is. The numbers trained are the same. */
export const MemoryConfig = z.strictObject({
  layers: z
    .enum(["auto", "unrolled", "scan"])
    .default("auto")
    .describe(
      "unrolled: every layer's values are kept for the gradient; scan: one loop over the layers, of which only the inputs are kept and the rest is computed again; auto: scan from 5 layers on.",
    ),
  logitsMb: z
    .number()
    .positive()
    .default(128)
    .describe("Logits that stand at once, MiB; where a micro-batch has more, they come in chunks."),
  scoresMb: z
    .number()
    .positive()
    .default(64)
    .describe("Attention scores that stand at once, MiB; where there are more, queries come in blocks."),
  applyMb: z
    .number()
    .positive()
    .default(64)
    .describe("Weights that are updated at once, MiB; larger models are updated tensor by tensor."),
});
export type MemoryConfig = z.infer<typeof MemoryConfig>;

const MIB = 2 ** 20;
const BYTES = 4;
const SCAN_FROM_LAYERS = 5;
const SMALLEST_BLOCK = 16;

/** @returns the form of a forward pass over [sequences, length] */
export function forwardForm(
  memory: MemoryConfig,
  model: ModelConfig,
  sequences: number,
  length: number,
): Pick<ForwardOptions, "layers" | "attentionBlock"> {
  const scan = memory.layers === "scan" || (memory.layers === "auto" && model.layers >= SCAN_FROM_LAYERS);
  const rowBytes = sequences * model.heads * length * BYTES; // scores of one query position
  const fitting = Math.floor((memory.scoresMb * MIB) / rowBytes);
  const layers = scan ? "scan" : "unrolled";
  if (fitting >= length) return { layers };
  return {
    layers,
    attentionBlock: Math.max(SMALLEST_BLOCK, 2 ** Math.floor(Math.log2(Math.max(fitting, 1)))),
  };
}

/** Positions whose logits may stand at once. */
export function logitsChunk(memory: MemoryConfig, model: ModelConfig): number {
  return Math.max(SMALLEST_BLOCK, Math.floor((memory.logitsMb * MIB) / (model.vocabSize * BYTES)));
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
