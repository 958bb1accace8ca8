import type { CallPlan } from "./call-plan.js";
import type { Generation } from "./generation.js";

/** Prompts whose next pieces go into one call. */
export interface ReadBatch {
  readonly generations: readonly Generation[];
  /** Tokens of each piece. */
  readonly pieces: readonly number[];
  /** What the pieces are padded to. */
  readonly length: number;
}

export interface PieceForm {
  readonly piece: number;
  readonly padded: number;
  readonly readClass: number;
}

/** The next piece of a prompt. */
export function pieceForm(generation: Generation, plan: CallPlan): PieceForm {
  const piece = plan.pieceLength(generation.unreadTokens);
  const padded = plan.paddedLength(piece, generation.readTokens);
  return { piece, padded, readClass: plan.readClass(generation.readTokens) };
}

/**
 * The next piece of `first` and of those behind it that go into the same call, `budget` tokens at most, padding counted.
 * @param readable in the order in which they are to be served; `first` is among them
 */
export function readBatch(
  first: Generation,
  readable: readonly Generation[],
  plan: CallPlan,
  budget: number,
): ReadBatch {
  const form = pieceForm(first, plan);
  const generations: Generation[] = [];
  const pieces: number[] = [];
  let length = form.padded;
  for (const generation of readable) {
    const { piece, padded, readClass } = pieceForm(generation, plan);
    if (readClass !== form.readClass || (padded !== form.padded && !plan.mixesLengths)) continue;
    const together = Math.max(length, padded);
    if (generations.length >= Math.min(plan.rowsThatFit(together), Math.floor(budget / together))) {
      if (together === length) break;
      continue;
    }
    generations.push(generation);
    pieces.push(piece);
    length = together;
  }
  return { generations, pieces, length };
}
