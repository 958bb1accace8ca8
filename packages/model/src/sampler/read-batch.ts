import type { CallPlan } from "./call-plan.js";
import type { Generation } from "./generation.js";

/** Prompts whose next pieces share a call. */
export interface ReadBatch {
  readonly generations: readonly Generation[];
  /** Tokens of each piece. */
  readonly pieces: readonly number[];
  /** The length that each piece is padded to; for a packed call, the padded length of all together. */
  readonly length: number;
  /** Tokens of the call, including padding. */
  readonly paddedTokens: number;
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
 * Selects the next piece of `first` and of later requests that can share its call, `budget` tokens at most, including padding.
 * @param readable in the order in which they are to be served; includes `first`
 */
export function readBatch(
  first: Generation,
  readable: readonly Generation[],
  plan: CallPlan,
  budget: number,
): ReadBatch {
  const form = pieceForm(first, plan);
  const alike = readable.filter((generation) => pieceForm(generation, plan).readClass === form.readClass);
  if (first.readTokens === 0 && plan.packedLengths.length > 0) return packedBatch(form, alike, plan, budget);
  const generations: Generation[] = [];
  const pieces: number[] = [];
  let length = form.padded;
  for (const generation of alike) {
    const { piece, padded } = pieceForm(generation, plan);
    if (padded !== form.padded && !plan.mixesLengths) continue;
    const together = Math.max(length, padded);
    if (generations.length >= Math.min(plan.rowsThatFit(together), Math.floor(budget / together))) {
      if (together === length) break;
      continue;
    }
    generations.push(generation);
    pieces.push(piece);
    length = together;
  }
  return { generations, pieces, length, paddedTokens: length * pieces.length };
}

/** Packs whole pieces end to end. The call is the longest that they fill by half, or the shortest that fits the first piece. */
function packedBatch(
  first: PieceForm,
  alike: readonly Generation[],
  plan: CallPlan,
  budget: number,
): ReadBatch {
  const wanted = alike.reduce((sum, generation) => sum + pieceForm(generation, plan).piece, 0);
  const length =
    plan.packedLengths.findLast(
      (tokens) => tokens >= first.padded && tokens <= budget && 2 * wanted > tokens,
    ) ?? first.padded;
  const generations: Generation[] = [];
  const pieces: number[] = [];
  let left = length;
  for (const generation of alike) {
    if (generations.length === plan.rowsOfPacked(length)) break;
    const { piece } = pieceForm(generation, plan);
    if (piece > left) continue;
    generations.push(generation);
    pieces.push(piece);
    left -= piece;
  }
  return { generations, pieces, length, paddedTokens: length };
}
