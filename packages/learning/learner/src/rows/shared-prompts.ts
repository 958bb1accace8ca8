import { entry } from "@palimpsest/jit";
import { type Bucket, placesOf, sharingOf, trainedTokensOf } from "../config/bucket.js";
import { type DealtRow, type MicroBatch, trainedTokens } from "./dealt-row.js";

/** Returns the number of tokens before the first trained one; all of them if none is trained. */
export function promptTokensOf({ tokenIds, lossMask }: DealtRow): number {
  for (let t = 0; t < tokenIds.length; t++) if (lossMask[t] === 1) return t;
  return tokenIds.length;
}

/** Rows whose first `tokens` tokens are computed once for all of them. */
interface Share {
  readonly bucket: Bucket;
  readonly rowIndices: readonly number[];
  readonly tokens: number;
  readonly trained: number;
  /** Number of token positions that its rows take in buckets without sharing. */
  readonly alone: number;
}

/** A bucket that shares prompts, with its layout. */
interface Sharing {
  readonly bucket: Bucket;
  readonly prompts: number;
  readonly promptLength: number;
  readonly replies: number;
  readonly replyLength: number;
  readonly trained: number;
  /** Number of token positions that a share takes, however many rows it has. */
  readonly cost: number;
}

/** A row in the order of prompts. */
interface Candidate {
  readonly index: number;
  readonly tokens: number;
  readonly promptTokens: number;
  readonly trained: number;
  /** Number of token positions that it takes in a bucket without sharing. */
  readonly alone: number;
  /** Number of tokens with which its prompt and that of the candidate before it begin alike. */
  readonly common: number;
}

/** Larger than the cost of any rows that fit, so that rows which fit no bucket are not chosen for it. */
const UNFIT = 2 ** 40;

/**
 * Distributes rows whose prompts begin alike over buckets that compute the common beginning once (shared prefixes, as in Prefix
 * Grouper, arXiv:2506.05433). Prompts that begin alike are neighbors in the order of their tokens; of all ways to cut that order
 * into shares and rows without sharing, the one that computes the fewest token positions is taken, and of its micro-batches those
 * that compute fewer than their rows without sharing. What a row does not share, which is the rest of its prompt and its reply,
 * lies behind the shared part.
 * @returns micro-batches in the order of the first rows of their shares, and the remaining rows, in order
 */
export function shareOut(
  rows: readonly DealtRow[],
  buckets: readonly Bucket[],
): { readonly batches: MicroBatch[]; readonly left: readonly number[] } {
  const sharing = sharingsOf(buckets);
  if (sharing.length === 0) return { batches: [], left: rows.map((_, index) => index) };
  const most = Math.max(...sharing.map(({ promptLength }) => promptLength));
  const shares = cheapest(inOrder(rows, buckets, most), sharing);
  const batches = sharing.flatMap((form) => batchesOf(form, shares));
  const shared = new Set(batches.flatMap(({ rowIndices }) => rowIndices));
  return { batches, left: rows.map((_, index) => index).filter((index) => !shared.has(index)) };
}

function sharingsOf(buckets: readonly Bucket[]): Sharing[] {
  return buckets.flatMap((bucket) => {
    const layout = sharingOf(bucket);
    if (layout === undefined) return [];
    return [{ ...layout, bucket, trained: trainedTokensOf(bucket), cost: placesOf(bucket) / layout.prompts }];
  });
}

/** Orders rows by the first `most` tokens of their prompts. */
function inOrder(rows: readonly DealtRow[], buckets: readonly Bucket[], most: number): Candidate[] {
  const prompts = rows.map((row) => Math.min(promptTokensOf(row), most));
  const commonOf = (a: number, b: number): number => {
    const [one, other] = [entry(rows, a).tokenIds, entry(rows, b).tokenIds];
    const end = Math.min(entry(prompts, a), entry(prompts, b));
    let t = 0;
    while (t < end && one[t] === other[t]) t += 1;
    return t;
  };
  const tokenAt = (index: number, t: number): number =>
    t < entry(prompts, index) ? (rows[index]?.tokenIds[t] ?? 0) : -1;
  const order = rows
    .map((_, index) => index)
    .sort((a, b) => {
      const t = commonOf(a, b);
      return tokenAt(a, t) - tokenAt(b, t) || a - b;
    });
  return order.map((index, i) => {
    const row = entry(rows, index);
    const before = order[i - 1];
    return {
      index,
      tokens: row.tokenIds.length,
      promptTokens: entry(prompts, index),
      trained: trainedTokens(row),
      alone: placesAlone(row.tokenIds.length, buckets),
      common: before === undefined ? 0 : commonOf(before, index),
    };
  });
}

/** Returns the number of positions that a row takes in the shortest bucket without sharing that fits it. */
function placesAlone(tokens: number, buckets: readonly Bucket[]): number {
  const fitting = buckets.filter(
    ({ length, sharedPrompts }) => sharedPrompts === undefined && tokens <= length,
  );
  const length = Math.min(...fitting.map((bucket) => bucket.length));
  const isPacked = fitting.some((bucket) => bucket.length === length && bucket.packedRows !== undefined);
  if (fitting.length === 0) return UNFIT;
  return isPacked ? tokens : length;
}

/** Cuts the candidates into shares and rows without sharing at the least cost. @returns the shares, in the order of their first rows */
function cheapest(candidates: readonly Candidate[], sharing: readonly Sharing[]): Share[] {
  // The least cost of the first n candidates, and the last share of that solution; undefined if the last row shares nothing.
  const best: { readonly cost: number; readonly share?: Share }[] = [{ cost: 0 }];
  candidates.forEach((candidate, n) => {
    let least: (typeof best)[number] = { cost: entry(best, n).cost + candidate.alone };
    for (const form of sharing) {
      for (const share of sharesThatEnd(candidates, n, form)) {
        const cost = entry(best, n + 1 - share.rowIndices.length).cost + form.cost;
        if (cost < least.cost) least = { cost, share };
      }
    }
    best.push(least);
  });
  const shares: Share[] = [];
  for (let n = candidates.length; n > 0; ) {
    const { share } = entry(best, n);
    if (share !== undefined) shares.push(share);
    n -= share?.rowIndices.length ?? 1;
  }
  return shares.sort((a, b) => entry(a.rowIndices, 0) - entry(b.rowIndices, 0));
}

/** Returns the shares of one to `replies` candidates up to the last one that fit into a bucket, the smallest first. */
function sharesThatEnd(candidates: readonly Candidate[], last: number, form: Sharing): Share[] {
  const { bucket, promptLength, replies, replyLength } = form;
  const shares: Share[] = [];
  const rowIndices: number[] = [];
  let tokens = promptLength;
  let longest = 0;
  let trained = 0;
  let alone = 0;
  for (let n = last; n >= 0 && rowIndices.length < replies; n--) {
    const candidate = entry(candidates, n);
    tokens = Math.min(tokens, candidate.promptTokens);
    longest = Math.max(longest, candidate.tokens);
    trained += candidate.trained;
    alone += candidate.alone;
    if (tokens === 0 || longest - tokens > replyLength || trained > form.trained) break;
    rowIndices.push(candidate.index);
    shares.push({ bucket, rowIndices: [...rowIndices].sort((x, y) => x - y), tokens, trained, alone });
    tokens = Math.min(tokens, candidate.common);
  }
  return shares;
}

/** Fills micro-batches of a bucket with its shares, in their order, and returns those that compute less than without sharing. */
function batchesOf(
  { bucket, prompts, replies, trained: most }: Sharing,
  all: readonly Share[],
): MicroBatch[] {
  const batches: Share[][] = [];
  for (const share of all) {
    if (share.bucket !== bucket) continue;
    const last = batches.at(-1) ?? [];
    const trained = last.reduce((sum, each) => sum + each.trained, share.trained);
    if (last.length > 0 && last.length < prompts && trained <= most) last.push(share);
    else batches.push([share]);
  }
  return batches
    .filter((shares) => shares.reduce((sum, { alone }) => sum + alone, 0) > placesOf(bucket))
    .map((shares) => ({
      bucket,
      rowIndices: shares.flatMap(({ rowIndices }) => rowIndices),
      places: shares.flatMap(({ rowIndices, tokens: shared }, prompt) =>
        rowIndices.map((_, reply) => ({ sequence: prompt * replies + reply, offset: 0, shared })),
      ),
    }));
}
