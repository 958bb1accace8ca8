import { type BpeTokenizer, trainBpe } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type { BaseRecipe } from "./base-recipe.js";

/** How often an answer stands in the text: more often than its word elsewhere, so that merges build the bare word first. */
const answerRepeats = 10;
const sentenceRepeats = 2;

/**
 * Byte-level BPE over the texts of the recipe's world, in which every word of it is one token, with the space
 * before it and, where it can be an answer, without: sentences are then all equally long and an answer is
 * copied by one choice.
 * @throws {PalimpsestError} CONFIG_INVALID when the vocabulary has no room for every word
 */
export function trainBaseTokenizer(recipe: BaseRecipe): BpeTokenizer {
  const { vocabSize } = recipe.tokenizer;
  const tokenizer = trainBpe(worldTexts(recipe), {
    vocabSize,
    specialTokens: recipe.agent.stopTokens,
    alphabet: "corpus",
  });
  const broken = wordsOf(recipe).find((word) => tokenizer.encode(word).length !== 1);
  if (broken !== undefined) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `tokenizer.vocabSize: with ${vocabSize} "${broken}" is ${tokenizer.encode(broken).length} tokens; raise it or use fewer words`,
    );
  }
  return tokenizer;
}

/**
 * Every id but the special tokens, also those that only the tokenizer's merges pass through: left out, their
 * logits would first have to fall, and the copying stage began to learn later (one seed compared).
 */
export function textIds(recipe: BaseRecipe, tokenizer: BpeTokenizer): number[] {
  const special = recipe.agent.stopTokens.map((text) => tokenizer.specialTokenId(text));
  return Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter((id) => !special.includes(id));
}

function worldTexts({ words, agent }: BaseRecipe): string[] {
  const { names, values } = words;
  const question = (name: string) => words.needleQuestion.replace("{name}", name);
  const memory = agent.initialMemory;
  const prompts = [
    agent.memoryPrompt.replace("{section}", ""),
    `${agent.finalPrompt} \\boxed{${memory.trim()}}`,
  ].map((prompt) => prompt.replace("{question}", question(names[0] as string)).replace("{memory}", memory));
  const sentences = Array.from({ length: Math.max(names.length, values.length) }, (_, i) =>
    words.likesSentence
      .replace("{name}", names[i % names.length] as string)
      .replace("{value}", values[i % values.length] as string),
  );
  return [
    ...repeat([...sentences, ...words.fillers, ...prompts], sentenceRepeats),
    ...repeat(
      values.map((value) => `{${value}}`),
      answerRepeats,
    ),
  ];
}

/** Every word with the space before it, and the answers without. */
function wordsOf(recipe: BaseRecipe): string[] {
  const { words, agent } = recipe;
  const spaced = [...words.names, ...words.values].map((word) => ` ${word}`);
  const running = worldTexts(recipe).flatMap((text) => text.match(/ ?[A-Za-z]+/g) ?? []);
  return [...new Set([...spaced, ...words.values, agent.initialMemory.trim(), ...running])];
}

function repeat(texts: readonly string[], times: number): string[] {
  return Array.from({ length: times }, () => texts).flat();
}
