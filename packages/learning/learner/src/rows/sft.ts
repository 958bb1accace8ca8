import { LearnerError } from "../config/error.js";

/** One demonstration: the tokens, and which of them the loss covers. */
export interface SupervisedRow {
  readonly tokenIds: ArrayLike<number>;
  /** One entry per token, 1 where it is learned; entry 0 must be 0. */
  readonly lossMask: ArrayLike<number>;
}

/** @throws {LearnerError} ROW_INVALID naming row and field */
export function checkSupervisedRow(row: SupervisedRow, index: number): void {
  const refuse = (what: string) => {
    throw new LearnerError("ROW_INVALID", `supervised row ${index}: ${what}`, {
      details: { rowIndex: index },
    });
  };
  if (row.lossMask.length !== row.tokenIds.length)
    refuse(`lossMask has ${row.lossMask.length} entries for ${row.tokenIds.length} tokens`);
  for (let i = 0; i < row.lossMask.length; i++) {
    const value = row.lossMask[i];
    if (value !== 0 && value !== 1) refuse(`lossMask[${i}] is ${value}; use 0 or 1`);
  }
  if (row.lossMask[0] === 1)
    refuse(
      "lossMask[0] is 1, but there is nothing from which the first token could be predicted; set it to 0",
    );
}
