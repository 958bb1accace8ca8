import type { Random } from "@palimpsest/std/random";
import { type DistinctTexts, numbers, uuids, wordKeys } from "./distinct-words.js";
import type { Draft, DraftInput } from "./draft.js";
import { noDocument } from "./draft-error.js";
import { type HaystackText, type Insert, noiseText, weave } from "./haystack-text.js";
import type { NeedleFacts } from "./task-name.js";
import { largestFit, type TokenCounter } from "./token-counter.js";

/**
 * Creates a task of one of the eight needle tasks: sentences that give a key its value are hidden in a text that is
 * noise, prose or other such sentences, and the question names one key or several. Within a document all keys and all
 * values are distinct.
 */
export function needleTask(input: DraftInput, facts: NeedleFacts): Draft {
  const { seed, random, counter, budgetTokens } = input;
  const what = facts.values === "numbers" ? "number" : "code";
  // No needle has fewer than eight tokens, which bounds the number of keys.
  const mostKeys = Math.max(64, Math.ceil(budgetTokens / 8));
  const keys = facts.keys === "words" ? wordKeys(seed, mostKeys) : uuids(`${seed}/keys`);
  const values = facts.values === "numbers" ? numbers(seed, 7) : uuids(`${seed}/values`);
  const needle = (key: number, value: number) => sentence(what, keys.at(key), values.at(value));

  const needles: { readonly key: number; readonly value: number }[] = [];
  for (let key = 0; key < facts.keyCount; key++) {
    const count = key < facts.askedCount ? facts.valueCount : 1;
    for (let i = 0; i < count; i++) needles.push({ key, value: needles.length });
  }
  const question = questionOf(what, keys, facts);
  const own = needles.map(({ key, value }) => needle(key, value));
  const spare = counter.count(question) + own.reduce((sum, text) => sum + counter.count(` ${text}\n`), 0);
  const others = otherNeedles(needle, needles.length);
  const start = facts.haystack === "essay" ? random.below(input.essay.sentences.length) : 0;
  const text = facts.haystack === "essay" ? input.essay : noiseText;
  const sentenceAt = facts.haystack === "needles" ? others : roundAndRound(text, start);
  const sentences = sentencesThatFit(sentenceAt, budgetTokens - spare, counter);
  if (sentences < 1) throw noDocument(input);

  const depths = drawDepths(needles.length, random, input.config.depthPercent);
  const order = random.shuffle(needles.map((_, i) => i));
  const inserts = depths.map((depth, i): Insert => {
    const at = Math.floor((sentences * depth) / 100);
    return { at, text: own[order[i] as number] as string };
  });
  const asked = needles.filter(({ key }) => key < facts.askedCount);
  return {
    question,
    answers: asked.map(({ value }) => values.at(value)),
    depthPercents: depths.filter((_, i) => (needles[order[i] as number]?.key ?? 0) < facts.askedCount),
    metadata: {
      haystack: facts.haystack === "needles" ? "needles" : text.name,
      sentences: sentences + needles.length,
    },
    pieces: () => weave(firstSentences(sentenceAt, sentences), inserts),
  };
}

const sentence = (what: string, key: string, value: string) => `A hidden ${what} of ${key} is ${value}.`;

function questionOf(what: string, keys: DistinctTexts, { askedCount, valueCount }: NeedleFacts): string {
  const named = Array.from({ length: askedCount }, (_, key) => keys.at(key));
  const last = named.at(-1) as string;
  if (askedCount > 1) {
    const list = `${named.slice(0, -1).join(", ")} and ${last}`;
    return `What are the hidden ${what}s of ${list} that the text gives? Give the ${what} of each.`;
  }
  if (valueCount > 1)
    return `What are all the hidden ${what}s of ${last} that the text gives? Give every one.`;
  return `What is the hidden ${what} of ${last} that the text gives?`;
}

const otherNeedles =
  (needle: (key: number, value: number) => string, taken: number) =>
  (place: number): string =>
    needle(taken + place, taken + place);

export const roundAndRound =
  ({ sentences }: HaystackText, start: number) =>
  (place: number): string =>
    sentences[(start + place) % sentences.length] as string;

export function* firstSentences(
  sentenceAt: (place: number) => string,
  count: number,
): IterableIterator<string> {
  for (let place = 0; place < count; place++) yield sentenceAt(place);
}

/** Returns how many sentences, counted from the first one, have at most this many tokens together. */
export function sentencesThatFit(
  sentenceAt: (place: number) => string,
  budgetTokens: number,
  counter: TokenCounter,
): number {
  // The token sums up to each sentence are kept, so that the search counts every sentence once.
  const sums = [0];
  const tokensOf = (count: number) => {
    for (let place = sums.length - 1; place < count; place++) {
      sums.push((sums[place] as number) + counter.count(sentenceAt(place)));
    }
    return sums[count] as number;
  };
  return largestFit(tokensOf, budgetTokens, 0, Math.max(0, budgetTokens));
}

/**
 * Draws distinct depths, in ascending order, from 40 evenly spaced ones between 0 and 100 percent. With `fixed` all
 * depths are that one.
 */
function drawDepths(count: number, random: Random, fixed: number | undefined): number[] {
  if (fixed !== undefined) return Array.from({ length: count }, () => fixed);
  const all = Array.from({ length: 40 }, (_, i) => Math.round((i * 100) / 39));
  return random
    .shuffle(all)
    .slice(0, count)
    .sort((a, b) => a - b);
}
