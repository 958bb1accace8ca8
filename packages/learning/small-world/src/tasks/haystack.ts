import { type CountTokens, DatasetError, generatedTasks, type TaskSet } from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { createRandom } from "@palimpsest/std/random";
import type { Task } from "@palimpsest/trajectories";
import { fittingSentences } from "@palimpsest/trajectories/text";
import { z } from "zod";
import { rulerKinds } from "./ruler-config.js";
import { defaultNames, defaultPlaces, defaultValues } from "./vocabulary.js";

/** Settings of the needle and two-hop tasks that hide facts in prose supplied by the user. */
export const haystackConfigSchema = z.strictObject({
  kind: z
    .enum(rulerKinds)
    .default("needle")
    .describe("needle: one hidden sentence answers the question; two-hop: two hidden sentences form a chain"),
  count: z.int().min(1).default(1).describe("number of tasks"),
  seed: z
    .union([z.int(), z.string()])
    .default(0)
    .describe("the same seed, settings and text give the same tasks"),
  lengthTokens: z
    .int()
    .min(1)
    .describe(
      "most tokens of prose in a document, not counting hidden sentences; it is cut at the end of a sentence",
    ),
  charactersPerToken: z
    .number()
    .positive()
    .default(4)
    .describe("characters per token, to estimate lengths without a tokenizer"),
  distractors: z.int().min(0).default(0).describe("number of hidden sentences about other names"),
  likesSentence: z.string().default("{name} likes {value}."),
  originSentence: z.string().default("The {value} come from {place}."),
  needleQuestion: z.string().default("What does {name} like?"),
  twoHopQuestion: z.string().default("Where does what {name} likes come from?"),
});

export type HaystackConfig = z.input<typeof haystackConfigSchema>;

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const fill = (template: string, slots: Readonly<Record<string, string>>) =>
  template.replace(/\{(\w+)\}/g, (whole, slot: string) => slots[slot] ?? whole);

/**
 * Hides facts in prose. The text is split into sentences, starts at a random one, and wraps around if it is too short.
 * The positions of the facts are drawn uniformly over the sentence ends (in two-hop tasks the fact about the name
 * comes first). Names and values that the prose itself uses are not used.
 *
 * @param haystack any text with at least one sentence
 * @throws {DatasetError} BAD_CONFIG
 */
export function haystackTasks(
  haystack: string,
  input: HaystackConfig,
  options: { countTokens?: CountTokens } = {},
): Task[] {
  const { count, make } = haystackTaskMaker(haystack, input, options);
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns the same tasks as `haystackTasks`, each generated when it is opened.
 *  @throws {DatasetError} BAD_CONFIG */
export function openHaystackTasks(
  haystack: string,
  input: HaystackConfig,
  options: { countTokens?: CountTokens } = {},
): TaskSet {
  const { count, make } = haystackTaskMaker(haystack, input, options);
  return generatedTasks(count, make);
}

function haystackTaskMaker(
  haystack: string,
  input: HaystackConfig,
  options: { countTokens?: CountTokens },
): { readonly count: number; make(index: number): Task } {
  const config = parseInput(
    haystackConfigSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `haystack settings: ${problem}`, {}, cause),
  );
  const sentences = sentencesOfProse(haystack);
  if (sentences.length === 0)
    throw new DatasetError("BAD_CONFIG", "haystack: the text contains no sentence; give some prose");
  const countTokens =
    options.countTokens ?? ((text: string) => Math.ceil([...text].length / config.charactersPerToken));
  const tokensOf = sentences.map(countTokens);
  const used = new Set(haystack.toLowerCase().match(/\p{L}+/gu) ?? []);
  const unused = (words: readonly string[], what: string, least: number) => {
    const left = words.filter((word) => !used.has(word));
    if (left.length >= least) return left;
    throw new DatasetError(
      "BAD_CONFIG",
      `haystack: the prose already contains all but ${left.length} of the ${what}; give another text`,
    );
  };
  const names = unused(defaultNames, "names", config.distractors > 0 ? 2 : 1).map(capitalised);
  const values = unused(defaultValues, "values", 2);
  const places = defaultPlaces.map(capitalised);

  const make = (index: number): Task => {
    const random = createRandom(`${config.seed}/haystack/${index}`);
    const name = random.pick(names);
    const value = random.pick(values);
    const place = random.pick(places);
    const prose = takeProse(sentences, tokensOf, random.below(sentences.length), config.lengthTokens);
    const facts = [fill(config.likesSentence, { name, value })];
    if (config.kind === "two-hop") facts.push(fill(config.originSentence, { value, place }));
    const positions = facts.map(() => random.below(prose.length + 1)).sort((a, b) => a - b);
    const hidden = facts.map((text, i) => ({ at: positions[i] as number, text }));
    const others = names.filter((other) => other !== name);
    for (let i = 0; i < config.distractors; i++) {
      const text = fill(config.likesSentence, { name: random.pick(others), value: random.pick(values) });
      hidden.push({ at: random.below(prose.length + 1), text });
    }
    const document = weave(prose, hidden);
    return {
      id: `haystack-${config.kind}-${config.seed}-${index}`,
      question: fill(config.kind === "needle" ? config.needleQuestion : config.twoHopQuestion, { name }),
      answers: [config.kind === "needle" ? value : place],
      document,
      metadata: {
        kind: config.kind,
        dataSource: "haystack",
        sentences: prose.length + hidden.length,
        depth: (positions[0] as number) / prose.length,
        evidence: facts[0] as string,
        ...(facts[1] === undefined ? {} : { secondEvidence: facts[1] }),
        ...(positions[1] === undefined ? {} : { secondDepth: positions[1] / prose.length }),
        ...(options.countTokens ? { lengthTokens: countTokens(document) } : {}),
      },
    };
  };
  return { count: config.count, make };
}

/** Longer sentences are split, so that a text without sentence ends can be as short as a task needs. */
const mostCharacters = 2000;

/** Splits a text into sentences, each with the white space after it. The end of a line ends a sentence too. */
function sentencesOfProse(text: string): string[] {
  return (text.match(/[^.!?\n]*(?:[.!?]+["'”’)]*\s+|\n+|[.!?]+|$)/g) ?? [])
    .flatMap((part) => fittingSentences(part, (piece) => piece.length <= mostCharacters))
    .filter((part) => part.trim() !== "");
}

function takeProse(
  sentences: readonly string[],
  tokensOf: readonly number[],
  start: number,
  most: number,
): string[] {
  const taken: string[] = [];
  let tokens = 0;
  for (let i = start; ; i++) {
    const at = i % sentences.length;
    // The first sentence is always taken, and each counts as at least one token, so that the loop ends.
    tokens += Math.max(1, tokensOf[at] as number);
    if (tokens > most && taken.length > 0) return taken;
    taken.push(sentences[at] as string);
  }
}

function weave(prose: readonly string[], hidden: readonly { at: number; text: string }[]): string {
  const parts: string[] = [];
  for (let i = 0; i <= prose.length; i++) {
    for (const fact of hidden) if (fact.at === i) parts.push(`${fact.text} `);
    const sentence = prose[i];
    if (sentence !== undefined) parts.push(/\s$/.test(sentence) ? sentence : `${sentence} `);
  }
  return parts.join("");
}
