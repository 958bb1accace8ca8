import { LearnerError } from "../config/error.js";
import type { Aggregation } from "../config/loss-config.js";

/** The properties of one row that an aggregation uses. */
export interface RowExtent {
  /** Number of trained tokens of the row (sum of its loss mask). */
  readonly tokens: number;
  /** Rows of one trajectory share it. */
  readonly trajectoryId: string;
}

/**
 * Returns the weight of every token of a row in the loss of the whole batch, one per row.
 *
 * Each aggregation is linear: loss = Σ_rows w_row · Σ_t mask·loss_t. All global denominators are in these weights, so a
 * micro-batch is any subset of the rows: the sum of micro-batch losses and gradients equals the batch's, however the batch
 * was split.
 *
 * - `token-mean`: 1 / (tokens of the batch)
 * - `seq-mean-token-mean`: 1 / (tokens of the row · rows with tokens)
 * - `seq-mean-token-sum`: 1 / (rows with tokens)
 * - `seq-mean-token-sum-norm`: 1 / normTokens (verl: not divided by the number of rows)
 * - `batch-token-norm`: 1 / (rows · normTokens) (TRL's dr_grpo)
 * - `trajectory-mean`: 1 / (tokens of the row's trajectory · trajectories with tokens)
 *
 * @throws {LearnerError} CONFIG_INVALID if the aggregation needs `normTokens` and has none
 */
export function aggregationWeights(
  rows: readonly RowExtent[],
  aggregation: Aggregation,
  normTokens?: number,
): Float64Array {
  const perTrajectory = new Map<string, number>();
  let tokens = 0;
  let rowsWithTokens = 0;
  for (const row of rows) {
    if (row.tokens === 0) continue;
    tokens += row.tokens;
    rowsWithTokens += 1;
    perTrajectory.set(row.trajectoryId, (perTrajectory.get(row.trajectoryId) ?? 0) + row.tokens);
  }
  const norm = (): number => {
    if (normTokens !== undefined) return normTokens;
    throw new LearnerError(
      "CONFIG_INVALID",
      `aggregation ${aggregation} needs normTokens; set it to the longest response in tokens`,
    );
  };
  const weight = (row: RowExtent): number => {
    switch (aggregation) {
      case "token-mean":
        return 1 / tokens;
      case "seq-mean-token-mean":
        return 1 / (row.tokens * rowsWithTokens);
      case "seq-mean-token-sum":
        return 1 / rowsWithTokens;
      case "seq-mean-token-sum-norm":
        return 1 / norm();
      case "batch-token-norm":
        return 1 / (rows.length * norm());
      case "trajectory-mean":
        return 1 / ((perTrajectory.get(row.trajectoryId) ?? 1) * perTrajectory.size);
    }
  };
  return Float64Array.from(rows, (row) => (row.tokens === 0 ? 0 : weight(row)));
}
