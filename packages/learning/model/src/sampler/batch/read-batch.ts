import type { CallPlan } from "../calls/call-plan.js";
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

interface PieceForm {
  readonly piece: number;
  readonly padded: number;
  readonly readClass: number;
}

/** The next piece of a prompt. */
function pieceForm(generation: Generation, plan: CallPlan): PieceForm {
  const piece = plan.pieceLength(generation.unreadTokens);
  const padded = plan.paddedLength(piece, generation.readTokens);
  return { piece, padded, readClass: plan.readClass(generation.readTokens) };
}

/**
 * Selects the next piece of the first readable request and of later ones that can share its call, `budget` tokens at most, including
 * padding; undefined if not even the shortest call fits.
 * @param readable in the order in which they are to be served
 */
export function readBatch(
  readable: readonly Generation[],
  plan: CallPlan,
  budget: number,
): ReadBatch | undefined {
  const [first] = readable;
  if (first === undefined) return undefined;
  if (plan.packedLengths.length > 0) return packedBatch(readable, plan, budget);
  const form = pieceForm(first, plan);
  if (form.padded > budget) return undefined;
  const alike = readable.filter((generation) => pieceForm(generation, plan).readClass === form.readClass);
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

/** Packs what is unread end to end, the last piece as far as it fits. The call is the longest that is filled by half, or the shortest. */
function packedBatch(readable: readonly Generation[], plan: CallPlan, budget: number): ReadBatch | undefined {
  const wanted = readable.reduce((sum, { unreadTokens }) => sum + unreadTokens, 0);
  const affordable = plan.packedLengths.filter((tokens) => tokens <= budget);
  const length = affordable.findLast((tokens) => 2 * wanted > tokens) ?? affordable[0];
  if (length === undefined) return undefined;
  const generations: Generation[] = [];
  const pieces: number[] = [];
  let left = length;
  for (const generation of readable.slice(0, plan.rowsOfPacked(length))) {
    if (left === 0) break;
    const piece = Math.min(left, generation.unreadTokens);
    generations.push(generation);
    pieces.push(piece);
    left -= piece;
  }
  return { generations, pieces, length, paddedTokens: length };
}
