import { entry } from "@palimpsest/jit";
import { type Bucket, placesOf, sharingOf } from "../config/bucket.js";
import { checkedTrained, type DealtRow, type MicroBatch, trainedTokens } from "./dealt-row.js";

/** Returns the number of tokens before the first trained one; all of them if none is trained. */
export function promptTokensOf({ tokenIds, lossMask }: DealtRow): number {
  for (let t = 0; t < tokenIds.length; t++) if (lossMask[t] === 1) return t;
  return tokenIds.length;
}

/** Rows of one prompt that are computed together with it. */
interface Share {
  readonly bucket: Bucket;
  readonly rowIndices: readonly number[];
}

/**
 * Distributes rows with a common prompt over buckets that share it (shared prefixes, as in Prefix Grouper, arXiv:2506.05433):
 * each set of rows goes to the cheapest such bucket that fits all of them, unless the buckets without sharing compute no more
 * token positions for it.
 * @returns micro-batches in the order in which prompts first occur, and the remaining rows, in order
 */
export function shareOut(
  rows: readonly DealtRow[],
  buckets: readonly Bucket[],
): { readonly batches: MicroBatch[]; readonly left: readonly number[] } {
  const sharing = buckets.filter(({ sharedPrompts }) => sharedPrompts !== undefined);
  if (sharing.length === 0) return { batches: [], left: rows.map((_, index) => index) };
  const whole = buckets.filter(({ sharedPrompts }) => sharedPrompts === undefined);
  const shares: Share[] = [];
  const left: number[] = [];
  for (const indices of byPrompt(rows)) {
    const bucket = cheapest(rows, indices, sharing);
    const alone = indices.reduce((sum, index) => sum + lengthAlone(rows[index], whole), 0);
    if (bucket === undefined || costOf(bucket, indices.length) >= alone) {
      left.push(...indices);
      continue;
    }
    const { replies } = sharingOf(bucket) as { readonly replies: number };
    for (let start = 0; start < indices.length; start += replies)
      shares.push({ bucket, rowIndices: indices.slice(start, start + replies) });
  }
  return {
    batches: sharing.flatMap((bucket) => batchesOf(rows, bucket, shares)),
    left: left.sort((a, b) => a - b),
  };
}

/** Groups rows by their prompt, in the order of their first rows. */
function byPrompt(rows: readonly DealtRow[]): number[][] {
  const sets = new Map<string, number[]>();
  rows.forEach((row, index) => {
    const prompt = Array.from({ length: promptTokensOf(row) }, (_, t) => row.tokenIds[t]).join();
    const set = sets.get(prompt);
    if (set === undefined) sets.set(prompt, [index]);
    else set.push(index);
  });
  return [...sets.values()];
}

/** Returns the bucket that computes least for these rows; undefined if none fits all of them. */
function cheapest(
  rows: readonly DealtRow[],
  indices: readonly number[],
  sharing: readonly Bucket[],
): Bucket | undefined {
  const fitting = sharing.filter((bucket) => {
    const { promptLength, replyLength } = sharingOf(bucket) as { promptLength: number; replyLength: number };
    return indices.every((index) => {
      const row = entry(rows, index);
      const prompt = promptTokensOf(row);
      return prompt > 0 && prompt <= promptLength && row.tokenIds.length - prompt <= replyLength;
    });
  });
  return fitting.toSorted((a, b) => costOf(a, indices.length) - costOf(b, indices.length))[0];
}

/** Returns the number of token positions that this many rows of one prompt take in a bucket. */
function costOf(bucket: Bucket, rows: number): number {
  const { prompts, replies } = sharingOf(bucket) as { prompts: number; replies: number };
  return Math.ceil(rows / replies) * (placesOf(bucket) / prompts);
}

/** Returns the length of the shortest bucket without sharing that fits the row; infinity if none does. */
function lengthAlone(row: DealtRow | undefined, whole: readonly Bucket[]): number {
  const tokens = row?.tokenIds.length ?? 0;
  const lengths = whole.filter(({ length }) => tokens <= length).map(({ length }) => length);
  return Math.min(Number.POSITIVE_INFINITY, ...lengths);
}

function batchesOf(rows: readonly DealtRow[], bucket: Bucket, shares: readonly Share[]): MicroBatch[] {
  const { prompts, replies } = sharingOf(bucket) as { prompts: number; replies: number };
  const batches: {
    rowIndices: number[];
    places: { sequence: number; offset: number }[];
    prompts: number;
    trained: number;
  }[] = [];
  const limit = bucket.trainedTokens ?? Number.POSITIVE_INFINITY;
  for (const share of shares) {
    if (share.bucket !== bucket) continue;
    // A share with more trained tokens than a micro-batch allows is split into several, each with the prompt.
    let open: (typeof batches)[number] | undefined;
    let count = 0;
    for (const index of share.rowIndices) {
      checkedTrained(rows, index, bucket);
      const trained = trainedTokens(entry(rows, index));
      if (open === undefined || open.trained + trained > limit) {
        const last = batches.at(-1);
        const room =
          open === undefined &&
          last !== undefined &&
          last.prompts < prompts &&
          last.trained + trained <= limit;
        open = room ? last : { rowIndices: [], places: [], prompts: 0, trained: 0 };
        if (!room) batches.push(open);
        open.prompts += 1;
        count = 0;
      }
      open.rowIndices.push(index);
      open.places.push({ sequence: (open.prompts - 1) * replies + count, offset: 0 });
      open.trained += trained;
      count += 1;
    }
  }
  return batches.map(({ rowIndices, places }) => ({ bucket, rowIndices, places }));
}
