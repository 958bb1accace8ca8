/**
 * Responsibility: what an update computed for each token, for readers of traces: its ratio and whether that was clipped.
 * Not responsible for: sums over tokens (update-metrics.ts).
 *
 * Invariants:
 * - TOKENS-1. At most `maxTokens` tokens are kept; conversations beyond that are left out entirely.
 */
import type { LossConfig } from "../config/loss-config.js";
import type { MicroBatchArrays } from "../rows/micro-batches.js";
import type { TrainingRow } from "../rows/training-row.js";
import type { Outputs } from "./step-request.js";

export interface TrainedConversation {
  /**
   * The advantage of all its tokens. It differs between conversations of a trajectory if steps have their own rewards.
   */
  readonly advantage: number;
  /** π / π_old of the last optimizer step, one per token of prompt and reply; NaN where it is not trained. Empty: not kept. */
  readonly ratios: Float32Array;
  /** 1 where that ratio was outside the range that the loss allows for its advantage. */
  readonly clipped: Uint8Array;
}

const defaultMaxTokens = 1_000_000;

export class TrainedTokens {
  readonly #conversations = new Map<string, TrainedConversation>();
  readonly #loss: LossConfig;
  readonly #maxTokens: number;

  /** @param maxTokens 0: only advantages are kept */
  constructor(loss: LossConfig, maxTokens = defaultMaxTokens) {
    this.#loss = loss;
    this.#maxTokens = maxTokens;
  }

  /** Records the conversations of the update, before its first step. */
  begin(rows: readonly TrainingRow[]): void {
    let left = this.#maxTokens;
    for (const { trajectoryId, step, advantage, tokenIds } of rows) {
      // A conversation that exceeds the limit is left out entirely (TOKENS-1).
      const length = tokenIds.length <= left ? tokenIds.length : 0;
      left -= length;
      this.#conversations.set(keyOf(trajectoryId, step), {
        advantage,
        ratios: new Float32Array(length).fill(Number.NaN),
        clipped: new Uint8Array(length),
      });
    }
  }

  /** Records a micro-batch; a later step's replaces an earlier one's. */
  add(rows: readonly TrainingRow[], arrays: MicroBatchArrays, outputs: Outputs): void {
    if (this.#maxTokens === 0) return;
    const kept = rows.map(({ trajectoryId, step }) => this.#conversations.get(keyOf(trajectoryId, step)));
    arrays.rowOfToken.forEach((row, at) => {
      const of = kept[row];
      if (of === undefined || arrays.lossMask[at] === 0) return;
      const policy = outputs["policyLogprobs"]?.[at] ?? Number.NaN;
      // In the first step π_old is what that step itself computes.
      const ratio = arrays.onPolicy[at] === 1 ? 1 : Math.exp(policy - (arrays.oldLogprobs[at] ?? Number.NaN));
      const place = arrays.placeInRow[at] ?? 0;
      if (place >= of.ratios.length) return;
      of.ratios[place] = ratio;
      of.clipped[place] = isClipped(this.#loss, ratio, of.advantage) ? 1 : 0;
    });
  }

  /** Returns what was recorded for a conversation; undefined if it was not trained. */
  of(trajectoryId: string, step: number): TrainedConversation | undefined {
    return this.#conversations.get(keyOf(trajectoryId, step));
  }
}

const keyOf = (trajectoryId: string, step: number) => `${trajectoryId} ${step}`;

/** Returns whether the token's own gradient was cut: the ratio had moved too far in the direction of its advantage. */
function isClipped(loss: LossConfig, ratio: number, advantage: number): boolean {
  if (loss.kind !== "clip") return false;
  return advantage > 0 ? ratio > 1 + loss.clipHigh : advantage < 0 && ratio < 1 - loss.clipLow;
}
