import { numbers, variableNames } from "./distinct-words.js";
import type { Draft, DraftInput } from "./draft.js";
import { noDocument } from "./draft-error.js";
import { type Insert, noiseText, weave } from "./haystack-text.js";
import { firstSentences, roundAndRound, sentencesThatFit } from "./needle-task.js";

/**
 * Creates a task of variable tracking: chains of assignments in noise. The first variable of a chain is assigned a
 * number, and each further one the value of its predecessor. The question names the number of the first chain, and the
 * answers are the variables of that chain. The assignments of a chain keep their order in the text, and those of
 * different chains are mixed.
 */
export function variableTask(input: DraftInput): Draft {
  const { seed, random, counter, budgetTokens } = input;
  const { chains, hops } = input.config.variables;
  const names = variableNames(seed);
  const values = numbers(seed, 5);
  const nameAt = (chain: number, hop: number) => names.at(chain * (hops + 1) + hop);
  const assignment = (chain: number, hop: number) =>
    hop === 0
      ? `Let ${nameAt(chain, 0)} = ${values.at(chain)}.`
      : `Let ${nameAt(chain, hop)} = ${nameAt(chain, hop - 1)}.`;
  const question = `Which variables have the value ${values.at(0)}, given to them directly or by way of other variables? Name all ${hops + 1} of them.`;

  const all = Array.from({ length: chains * (hops + 1) }, (_, i) => i % chains);
  // The chain of each assignment is drawn, but the hops within a chain stay in order.
  const turns = random.shuffle(all);
  const next = new Array<number>(chains).fill(0);
  const texts = turns.map((chain) => assignment(chain, (next[chain] as number)++));
  const spare = counter.count(question) + texts.reduce((sum, text) => sum + counter.count(` ${text}\n`), 0);
  const sentenceAt = roundAndRound(noiseText, 0);
  const sentences = sentencesThatFit(sentenceAt, budgetTokens - spare, counter);
  if (sentences < 1) throw noDocument(input);

  const places = texts.map(() => random.below(sentences + 1)).sort((a, b) => a - b);
  const inserts = places.map((at, i): Insert => ({ at, text: texts[i] as string }));
  return {
    question,
    answers: Array.from({ length: hops + 1 }, (_, hop) => nameAt(0, hop)),
    depthPercents: places.filter((_, i) => turns[i] === 0).map((at) => Math.round((100 * at) / sentences)),
    metadata: { haystack: noiseText.name, chains, hops, sentences: sentences + texts.length },
    pieces: () => weave(firstSentences(sentenceAt, sentences), inserts),
  };
}
