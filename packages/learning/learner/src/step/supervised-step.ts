import type { JitModule } from "@palimpsest/jit";
import type { ResolvedLearnerConfig } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { aggregationWeights } from "../loss/aggregation.js";
import { trainedTokens } from "../rows/dealt-row.js";
import { checkSupervisedRow, type SupervisedRow } from "../rows/sft.js";
import { learningRateAt } from "../state/schedule.js";
import type { Together } from "../together/together.js";
import { optimizerStep } from "./optimizer-step.js";

export interface SupervisedMetrics {
  readonly policyVersion: number;
  readonly step: number;
  /** Mean over learned tokens of −log p, nats. */
  readonly loss: number;
  readonly gradientNorm: number;
  readonly learningRate: number;
  readonly rows: number;
  /** Number of learned tokens. */
  readonly tokens: number;
  readonly durationMs: number;
  readonly tokensPerSecond: number;
}

/** The rows of one supervised step, and its learning rate. */
interface SupervisedOrder {
  readonly rows: readonly SupervisedRow[];
  /** Number of optimizer steps done before. */
  readonly step: number;
  /** Replaces the schedule's learning rate; undefined: the schedule's is used. */
  readonly learningRate: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly together: Together | undefined;
}

/**
 * Takes one optimizer step on the rows' tokens; the loss is the mean over all learned tokens.
 * @throws {LearnerError} ROW_INVALID, BATCH_EMPTY, and what `optimizerStep` throws
 */
export async function supervisedStep(
  module: JitModule,
  config: ResolvedLearnerConfig,
  { rows, step, together, signal, ...order }: SupervisedOrder,
): Promise<Omit<SupervisedMetrics, "policyVersion" | "step">> {
  const startedAt = performance.now();
  rows.forEach(checkSupervisedRow);
  const extents = rows.map((row, index) => ({ tokens: trainedTokens(row), trajectoryId: String(index) }));
  const tokens = extents.reduce((sum, extent) => sum + extent.tokens, 0);
  if (tokens === 0)
    throw new LearnerError(
      "BATCH_EMPTY",
      `the ${rows.length} rows contain no token to learn; give rows whose loss masks are not all 0`,
    );
  const learningRate = order.learningRate ?? learningRateAt(step, config.schedule);
  const { loss, gradientNorm } = await optimizerStep(module, config, {
    ...{ objective: "supervised", rows, learningRate, step, signal, together },
    weights: aggregationWeights(extents, "token-mean"),
    atOnce: {
      normLimit: Number.POSITIVE_INFINITY,
      differenceLimit: Number.POSITIVE_INFINITY,
      isFresh: () => false,
    },
  });
  const durationMs = performance.now() - startedAt;
  const rowTokens = rows.reduce((sum, row) => sum + row.tokenIds.length, 0);
  return {
    ...{ loss, gradientNorm, learningRate, rows: rows.length, tokens, durationMs },
    tokensPerSecond: (rowTokens / durationMs) * 1000,
  };
}
