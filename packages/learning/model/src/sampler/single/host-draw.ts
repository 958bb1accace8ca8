import type { Kernels } from "../../single/kernels.js";
import { greedyInverseTemperature } from "../draw/draw.js";
import { type DrawnToken, type DrawRule, drawTruncated, needsHost } from "../draw/truncation.js";

/** A multiple of four, as the kernels require. */
const blockWidth = 256;

/** Memory for the exponentials of logits. */
export interface DrawRoom {
  readonly kernels: Pick<Kernels, "exponentials" | "largest">;
  /** float32 [V] in the kernels' memory, and its byte offset. */
  readonly weights: Float32Array;
}

/**
 * Draws one token from a row of logits in the kernels' memory, by the same inversion as `drawTokens`: finds the block in
 * which the running sum of exponentials exceeds uniform · total, then the index within it.
 * @param uniform in [0, 1); 0 for a greedy row, which takes the first of the largest
 */
export function drawLogits(
  logits: Float32Array,
  rule: DrawRule,
  uniform: number,
  { kernels, weights }: DrawRoom,
): DrawnToken {
  if (needsHost(rule)) return drawTruncated(logits, rule, uniform);
  const { temperature } = rule;
  const inverse = temperature === 0 ? greedyInverseTemperature : 1 / temperature;
  const [from, to] = [logits.byteOffset, weights.byteOffset];
  const bytes = 4 * logits.length;
  const largest = kernels.largest(from, from + bytes);
  const modelTotal = kernels.exponentials(from, from + bytes, to, largest, 1);
  const ends: number[] = [];
  let total = 0;
  for (let first = 0; first < logits.length; first += blockWidth) {
    const count = Math.min(blockWidth, logits.length - first);
    const at = 4 * first;
    total += kernels.exponentials(from + at, from + at + 4 * count, to + at, largest, inverse);
    ends.push(total);
  }
  const target = total * uniform;
  const block = Math.min(ends.length - 1, ends.filter((end) => end <= target).length);
  let running = block === 0 ? 0 : (ends[block - 1] as number);
  let tokenId = -1;
  const last = Math.min(logits.length, (block + 1) * blockWidth);
  for (let i = block * blockWidth; i < last; i++) {
    const weight = weights[i] as number;
    // Rounding may put the target at the block's end: then the block's last token with a positive weight is taken.
    if (weight > 0) tokenId = i;
    running += weight;
    if (running > target) break;
  }
  // Logits that are not finite give no token; the NaN log-prob reports them.
  tokenId = Math.max(0, tokenId);
  const chosen = (logits[tokenId] as number) - largest;
  return {
    tokenId,
    rolloutLogprob: chosen - Math.log(modelTotal),
    sampledLogprob: chosen * inverse - Math.log(total),
  };
}
