import type { MemUpdateConfig } from "@palimpsest/agents";
import { type BpeTokenizer, trainBpe } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { worldVocabulary } from "../teachers/world-policy.js";
import type { BaseRecipe } from "./base-recipe.js";

/**
 * How often each answer occurs in the text. It is more than its word occurs elsewhere, so that merges build the word
 * without a space first.
 */
const answerRepeats = 10;
const sentenceRepeats = 2;

/**
 * Trains a byte-level BPE tokenizer on the texts of the recipe's world. Every word of that world is one token, both
 * with the space before it and, if it can be an answer, without. So all sentences have the same length, and copying an
 * answer takes one token.
 * @throws {PalimpsestError} CONFIG_INVALID if the vocabulary has no room for every word
 */
export function trainBaseTokenizer(recipe: BaseRecipe): BpeTokenizer {
  const { vocabSize } = recipe.tokenizer;
  const tokenizer = trainBpe(worldTexts(recipe), {
    vocabSize,
    specialTokens: specialTokensOf(recipe),
    // Tools answer invalid calls with texts that do not occur in the corpus.
    alphabet: recipe.agent.kind === "memupdate" ? "bytes" : "corpus",
  });
  const broken = wordsOf(recipe).find((word) => tokenizer.encode(word).length !== 1);
  if (broken !== undefined) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `tokenizer.vocabSize: with ${vocabSize} ids the word "${broken}" takes ${tokenizer.encode(broken).length} tokens instead of one; raise it or use fewer words`,
    );
  }
  return tokenizer;
}

/**
 * Returns all ids except the special tokens. It includes ids that are only intermediate results of merges: without
 * them the model first had to learn to lower their logits, and the copying stage began to learn later (measured with
 * one seed).
 */
export function textIds(recipe: BaseRecipe, tokenizer: BpeTokenizer): number[] {
  const special = specialTokensOf(recipe).map((text) => tokenizer.specialTokenId(text));
  return Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter((id) => !special.includes(id));
}

/** Returns the texts that are special tokens: those that end a reply, and the tags around its parts. */
function specialTokensOf({ agent }: BaseRecipe): string[] {
  const { stopTokens } = agent.config;
  if (agent.kind !== "rememr1") return stopTokens;
  const { updateTag, recallTag } = agent.config;
  return [...stopTokens, ...[updateTag, recallTag].flatMap((tag) => [`<${tag}>`, `</${tag}>`])];
}

const isTwoHop = ({ format }: Pick<BaseRecipe, "format">) =>
  !["needle", "world"].includes(format.scriptedPolicy.kind);

function worldTexts(recipe: BaseRecipe): string[] {
  const { words, agent } = recipe;
  if (agent.kind === "memupdate") {
    const { scriptedPolicy: policy } = recipe.format;
    const texts = storeTexts(words, agent.config);
    return policy.kind === "stream" ? [...texts, ...streamTexts(words, policy)] : texts;
  }
  const { names, values, places } = words;
  const twoHop = isTwoHop(recipe);
  const question = (twoHop ? words.twoHopQuestion : words.needleQuestion).replace(
    "{name}",
    names[0] as string,
  );
  const { memoryPrompt, finalPrompt, initialMemory: memory } = agent.config;
  const gates = agent.kind === "parallel" ? undefined : agent.config.gates;
  const gateWords = [gates?.keep, gates?.stop].filter((word) => word !== undefined);
  const { scriptedPolicy } = recipe.format;
  const worlds = scriptedPolicy.kind === "world" ? worldVocabulary(scriptedPolicy) : [];
  const prompts = [memoryPrompt.replace("{section}", ""), `${finalPrompt} \\boxed{${memory.trim()}}`].map(
    (prompt) =>
      prompt.replace("{question}", question).replace("{memory}", memory).replace("{recalled}", memory),
  );
  const likes = eachOnce(names, values, (name, value) =>
    words.likesSentence.replace("{name}", name).replace("{value}", value),
  );
  const origins = eachOnce(values, places, (value, place) =>
    words.originSentence.replace("{value}", value).replace("{place}", place),
  );
  return [
    ...repeat(
      [...likes, ...(twoHop ? origins : []), ...words.fillers, ...prompts, ...gateWords],
      sentenceRepeats,
    ),
    ...worlds,
    ...repeat(
      answersOf(recipe).map((answer) => `{${answer}}`),
      answerRepeats,
    ),
  ];
}

/** Returns texts as they occur in conversations with a small store: statements, results with ids, and calls. */
function storeTexts(
  { names, values, likesSentence }: BaseRecipe["words"],
  { userPrompt, resultPrompt, doneWord, idPrefix }: MemUpdateConfig,
): string[] {
  const likes = eachOnce(names, values, (name, value) =>
    likesSentence.replace("{name}", name).replace("{value}", value),
  );
  const results = likes.map((fact, i) => resultPrompt.replace("{results}", `${storeId(i)}${fact}`));
  const calls = [...names, ...names].map(
    (name, i) => ` search ${name} create update ${storeId(i)} delete ${storeId(i)}`,
  );
  const told = likes.map((fact) => userPrompt.replace("{question}", fact).replace("{memories}", fact));
  const created = Array.from({ length: 10 }, (_, i) => `${idPrefix}${i}`);
  return repeat([...likes, ...results, ...calls, ...told, ...created, ` ${doneWord}`], sentenceRepeats);
}

type StreamPolicy = Extract<BaseRecipe["format"]["scriptedPolicy"], { readonly kind: "stream" }>;

/** Returns the sentences of a base's streams. Their questions are nothing that a writer reads. */
export function streamForms(
  { likesSentence, needleQuestion }: BaseRecipe["words"],
  { takeBack, chat }: Pick<StreamPolicy, "takeBack" | "chat">,
) {
  const tell = likesSentence.trim().replace("{name}", "{subject}");
  return { tell, takeBack, chat, current: needleQuestion, past: needleQuestion, multi: needleQuestion };
}

/** Returns what a stream tells beside facts. */
function streamTexts(words: BaseRecipe["words"], policy: StreamPolicy): string[] {
  const { takeBack, chat } = streamForms(words, policy);
  const told = eachOnce(words.names, words.values, (name, value) =>
    [takeBack, chat].map((form) => ` ${form.replace("{subject}", name).replace("{value}", value)}`).join(""),
  );
  return repeat(told, sentenceRepeats);
}

/** Returns the id of one of the records that a task begins with, which is a letter. */
const storeId = (place: number) => String.fromCodePoint(97 + (place % mostPeople));
const mostPeople = 8;

/** Returns sentences that contain every word of both lists, as few as possible. */
function eachOnce(
  firsts: readonly string[],
  seconds: readonly string[],
  sentence: (first: string, second: string) => string,
): string[] {
  return Array.from({ length: Math.max(firsts.length, seconds.length) }, (_, i) =>
    sentence(firsts[i % firsts.length] as string, seconds[i % seconds.length] as string),
  );
}

/** Returns the words that can be in a box: the last words of memories. */
function answersOf({ words, format }: Pick<BaseRecipe, "words" | "format">): readonly string[] {
  if (format.scriptedPolicy.kind === "world") return [...words.names, ...words.values, ...words.places];
  return isTwoHop({ format }) ? [...words.values, ...words.places] : words.values;
}

/** Returns every word with the space before it, and the answers also without it. */
function wordsOf(recipe: BaseRecipe): string[] {
  const { words, agent } = recipe;
  const running = worldTexts(recipe).flatMap((text) => text.match(/ ?[A-Za-z]+/g) ?? []);
  if (agent.kind === "memupdate") return [...new Set(running)];
  const answers = answersOf(recipe);
  const spaced = [...words.names, ...answers].map((word) => ` ${word}`);
  return [...new Set([...spaced, ...answers, agent.config.initialMemory.trim(), ...running])];
}

function repeat(texts: readonly string[], times: number): string[] {
  return Array.from({ length: times }, () => texts).flat();
}
