import { tokenlessLogit } from "../../tokens/tokenless-ids.js";
import type { TopLogprobs } from "./request.js";

/** How a row's token is chosen. */
export interface DrawRule {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  /** Number of most likely tokens to report. */
  readonly logprobs?: number;
}

export interface DrawnToken {
  readonly tokenId: number;
  /** Nats, before temperature and truncation. */
  readonly rolloutLogprob: number;
  /** Nats, after temperature and truncation. */
  readonly sampledLogprob: number;
  readonly top?: TopLogprobs;
}

/** Returns whether the rule needs the whole distribution on the host; plain sampling and greedy decoding happen on the device. */
export function needsHost({ temperature, topK = 0, topP = 1, minP = 0, logprobs = 0 }: DrawRule): boolean {
  return logprobs > 0 || (temperature > 0 && (topK > 0 || topP < 1 || minP > 0));
}

/**
 * Draws one token from a row of logits. Temperature first, then top-k, top-p over what top-k left, min-p: the order of
 * transformers. Only as many tokens are sorted as the truncation can keep.
 * @param uniform in [0, 1)
 */
export function drawTruncated(logits: Float32Array, rule: DrawRule, uniform: number): DrawnToken {
  const largest = largestOf(logits);
  const logNorm = largest + Math.log(sumOfPowers(logits, largest, 1));
  const kept = rule.temperature === 0 ? [first(logits, largest)] : keptTokens(logits, largest, rule);
  const inverse = rule.temperature === 0 ? 1 : 1 / rule.temperature;
  const weights = kept.map((id) => Math.exp(((logits[id] as number) - largest) * inverse));
  const mass = weights.reduce((sum, weight) => sum + weight, 0);
  let rest = uniform * mass;
  let place = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  if (place < 0) place = weights.findLastIndex((weight) => weight > 0);
  const tokenId = kept[place] as number;
  return {
    tokenId,
    // Computed as those of the likeliest tokens are: the same token must have the same number in both places.
    rolloutLogprob: (logits[tokenId] as number) - logNorm,
    sampledLogprob: Math.log((weights[place] as number) / mass),
    ...(rule.logprobs === undefined || rule.logprobs === 0
      ? {}
      : { top: topOf(logits, rule.logprobs, logNorm) }),
  };
}

/** Returns the ids that truncation keeps, most likely first, at least one. */
function keptTokens(
  logits: Float32Array,
  largest: number,
  { temperature, topK = 0, topP = 1, minP = 0 }: DrawRule,
): number[] {
  const inverse = 1 / temperature;
  const wanted = topK > 0 ? Math.min(topK, logits.length) : 0;
  const total = wanted > 0 || topP >= 1 ? 0 : topP * sumOfPowers(logits, largest, inverse);
  const weightOf = (id: number) => Math.exp(((logits[id] as number) - largest) * inverse);
  let ids: number[];
  if (wanted === 0 && topP >= 1)
    ids = atLeast(logits, minP === 0 ? -Infinity : largest + Math.log(minP) * temperature);
  else {
    const enough = (some: readonly number[]) =>
      wanted > 0 ? some.length >= wanted : some.reduce((sum, id) => sum + weightOf(id), 0) > total;
    ids = likeliest(logits, largest, temperature, enough);
  }
  if (wanted > 0 && wanted < ids.length) {
    const bound = logits[ids[wanted - 1] as number] as number;
    ids = ids.filter((id) => (logits[id] as number) >= bound);
  }
  if (topP < 1) {
    const bound = topP * ids.reduce((sum, id) => sum + weightOf(id), 0);
    const nucleus = total > 0 ? total : bound;
    let before = 0;
    const end = ids.findIndex((id) => {
      const reached = before >= nucleus;
      before += weightOf(id);
      return reached;
    });
    if (end > 0) ids = ids.slice(0, end);
  }
  return minP === 0 ? ids : ids.filter((id, i) => i === 0 || weightOf(id) >= minP);
}

/** Returns ids in descending order of likelihood, down to a bound at which there are `enough`, or all. */
function likeliest(
  logits: Float32Array,
  largest: number,
  temperature: number,
  enough: (ids: readonly number[]) => boolean,
): number[] {
  const falling = (a: number, b: number) => (logits[b] as number) - (logits[a] as number) || a - b;
  for (let depth = 5; depth < 1000; depth *= 2) {
    const ids = atLeast(logits, largest - depth * temperature);
    if (ids.length === logits.length || enough(ids)) return ids.sort(falling);
  }
  return atLeast(logits, Number.NEGATIVE_INFINITY).sort(falling);
}

function topOf(logits: Float32Array, count: number, logNorm: number): TopLogprobs {
  const wanted = Math.min(count, logits.length);
  const ids = likeliest(logits, largestOf(logits), 1, (some) => some.length >= wanted)
    .slice(0, wanted)
    .filter((id) => (logits[id] as number) > tokenlessLogit);
  return { tokenIds: ids, logprobs: ids.map((id) => (logits[id] as number) - logNorm) };
}

function atLeast(logits: Float32Array, bound: number): number[] {
  const ids: number[] = [];
  for (let id = 0; id < logits.length; id++) if ((logits[id] as number) >= bound) ids.push(id);
  return ids;
}

function first(logits: Float32Array, value: number): number {
  return Math.max(0, logits.indexOf(value));
}

function largestOf(logits: Float32Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > largest) largest = logit;
  return largest;
}

function sumOfPowers(logits: Float32Array, largest: number, inverse: number): number {
  let sum = 0;
  for (const logit of logits) sum += Math.exp((logit - largest) * inverse);
  return sum;
}
