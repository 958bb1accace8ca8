import {
  type BpeTokenizer,
  initParameters,
  type ModelConfig,
  type Parameters,
  parseModelConfig,
  saveModel,
  trainBpe,
} from "@palimpsest/model";
import { rulerTasks } from "@palimpsest/small-world";

/** The words for which the tasks of these tests ask. */
export const guessedValues = ["tea", "rice", "figs", "soup"] as const;
/** The generator settings of tasks that ask for them. */
export const guessingRuler = { kind: "needle", names: 12, values: [...guessedValues] } as const;

const hiddenSize = 32;
/** The preference for the next token of a guess over every other token. */
const preferenceNats = 9;

/**
 * Writes a base model that answers every question with a guess: `\boxed{tea}` or one of three other words. Nothing is
 * trained: the weights are small and random, and an embedding and a head make a chain of the guess's tokens. Thus
 * rewards differ within a group, gradients are not zero, and a run takes seconds.
 */
export async function writeGuessingBase(folder: string): Promise<void> {
  const guesses = guessedValues.map((value) => ` \\boxed{${value}}`);
  const tasks = rulerTasks({ ...guessingRuler, sentences: 12, count: 40, seed: 1 });
  const texts = tasks.flatMap((task) => [
    `question: ${task.question}\nmemory: none\nsection:${task.document}\nnew memory:${guesses[0]}`,
    ...guesses.map((guess) => `question: ${task.question}\nmemory:${guess}\nanswer:${guess}`),
  ]);
  const tokenizer = trainBpe(texts, {
    vocabSize: 160,
    specialTokens: ["<|end|>", "<|pad|>"],
    alphabet: "corpus",
  });
  const config = parseModelConfig({
    architecture: "llama",
    vocabSize: tokenizer.vocabSize,
    hiddenSize,
    layers: 1,
    heads: 2,
    kvHeads: 1,
    headDim: 16,
    intermediateSize: 48,
    tieWordEmbeddings: false,
    maxPositions: 128,
  });
  await saveModel(folder, { config, tokenizer, parameters: guessing(config, tokenizer, guesses) });
}

function guessing(config: ModelConfig, tokenizer: BpeTokenizer, guesses: readonly string[]): Parameters {
  const [end] = tokenizer.encode("<|end|>");
  const [colon] = tokenizer.encode(":");
  if (end === undefined || colon === undefined) throw new Error("the vocabulary lacks the end or the colon");
  const pairs = guesses.flatMap((guess) => {
    const chain = [colon, ...tokenizer.encode(guess), end];
    return chain.slice(1).map((next, at) => [chain[at] as number, next] as const);
  });
  // The hidden state has one direction for each token that a guess continues from, and direction 0 for all others.
  const sources = [...new Set(pairs.map(([from]) => from))];
  if (sources.length >= hiddenSize)
    throw new Error(`${sources.length} tokens do not fit ${hiddenSize} dimensions`);
  const parameters = initParameters(config, 1);
  const embedding = new Float32Array(config.vocabSize * hiddenSize);
  const head = new Float32Array(config.vocabSize * hiddenSize);
  for (let token = 0; token < config.vocabSize; token++) {
    embedding[token * hiddenSize + sources.indexOf(token) + 1] = 4;
  }
  // RMSNorm scales a single direction to the length √hiddenSize.
  for (const [from, next] of pairs) {
    head[next * hiddenSize + sources.indexOf(from) + 1] = preferenceNats / Math.sqrt(hiddenSize);
  }
  return { ...parameters, embedding, head };
}
