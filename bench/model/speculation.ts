/**
 * Measures memory updates of MemAgent by SmolLM2-135M, one at a time, with and without speculation (`speculate`),
 * alternating over the same prompts and seeds. A prompt has the question, the memory (the previous reply) and a section
 * of text, as in recipes/memagent/smollm2-hotpotqa.yaml. The time runs from the first sampled token to the last;
 * processor seconds are the figure to trust while others use the machine. Replies that differ are counted; rounding can
 * cause that.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/speculation.ts --data HOTPOTQA.json [--questions 6]
 *   [--tokens 64] [--temperature 0.6] [--precision auto] [--weights auto]
 *   [--threads 2] [--model FOLDER]
 * On a machine with a GPU the model runs there, over slots.
 */
import { readFileSync } from "node:fs";
import { homedir, loadavg } from "node:os";
import { join } from "node:path";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  ChatTemplate,
  createSampler,
  endTokenIds,
  loadGenerationConfig,
  loadModel,
  loadTokenizer,
} from "../../packages/learning/model/src/index.js";
import { benchFlags } from "../flags.js";

const flags = benchFlags({
  data: undefined,
  questions: "6",
  tokens: "64",
  temperature: "0.6",
  precision: "auto",
  weights: "auto",
  threads: "2",
  model: join(homedir(), ".cache/palimpsest/models/smollm2-135m-instruct"),
});
if (flags.data === undefined) throw new Error("--data: name a file of HotpotQA's questions");

interface Question {
  readonly question: string;
  readonly supporting_facts: readonly (readonly [title: string, sentence: number])[];
  readonly context: readonly (readonly [title: string, sentences: readonly string[]])[];
}
const questions = (JSON.parse(readFileSync(flags.data, "utf8")) as Question[]).slice(
  0,
  Number(flags.questions),
);
const backend = await loadBackend({ threads: Number(flags.threads) });
const { config, parameters } = await loadModel(flags.model);
const tokenizer = await loadTokenizer(flags.model);
const stopTokenIds = endTokenIds(tokenizer, await loadGenerationConfig(flags.model));
const template = new ChatTemplate(tokenizer);
const precision = flags.precision as "auto" | "float32" | "bfloat16";

const singleWeights = flags.weights as "auto" | "off" | "float32" | "bfloat16" | "int8";
const models = { config, parameters, weightsHash: "bench" };
const common = { backend, ...models, precision, singleWeights, maxBatch: 1, maxLength: 640 };
const samplers = {
  guessing: createSampler({ ...common, speculate: true }),
  plain: createSampler({ ...common, speculate: false }),
};
// Everything is compiled before the timed part.
for (const sampler of Object.values(samplers)) await sampler.prepare();
type Name = keyof typeof samplers;
const spent: Record<Name, { tokens: number; wall: number; processor: number }> = {
  guessing: { tokens: 0, wall: 0, processor: 0 },
  plain: { tokens: 0, wall: 0, processor: 0 },
};

async function reply(
  name: Name,
  promptTokenIds: readonly number[],
  seed: number,
): Promise<readonly number[]> {
  let from = 0;
  let processor = process.cpuUsage();
  let first = 0;
  const onTokens = (tokenIds: readonly number[]) => {
    if (first > 0) return;
    first = tokenIds.length;
    from = performance.now();
    processor = process.cpuUsage();
  };
  const { tokenIds } = await samplers[name].generate({
    promptTokenIds,
    maxTokens: Number(flags.tokens),
    temperature: Number(flags.temperature),
    stopTokenIds,
    seed,
    onTokens,
  });
  const { user, system } = process.cpuUsage(processor);
  const of = spent[name];
  of.tokens += tokenIds.length - first;
  of.wall += (performance.now() - from) / 1000;
  of.processor += (user + system) / 1e6;
  return tokenIds;
}

const mostWarmUps = 10;
let updates = 0;
let differing = 0;
for (const [index, { question, context, supporting_facts: facts }] of questions.entries()) {
  const gold = new Set(facts.map(([title]) => title));
  let memory = "nothing yet";
  for (const [, sentences] of context.filter(([title]) => gold.has(title))) {
    const section = tokenizer.decode(tokenizer.encode(sentences.join("")).slice(0, 160));
    const content = `Note: ${memory}\nText:${section}\n\nQuestion: ${question}\nCopy from the note and the text what helps to answer the question.`;
    const prompt = template.encode([{ role: "user", content }], { addGenerationPrompt: true });
    // The first updates also prepare the session and start the threads of a request alone.
    if (updates === 0) {
      for (const name of ["guessing", "plain"] as const) {
        const isReady = () => singleWeights === "off" || samplers[name].functionStats["readEntries"]?.calls;
        for (let i = 0; i < mostWarmUps && (i === 0 || !isReady()); i++) await reply(name, prompt, i);
      }
      for (const of of Object.values(spent)) Object.assign(of, { tokens: 0, wall: 0, processor: 0 });
    }
    const [guessed, plain] = [await reply("guessing", prompt, index), await reply("plain", prompt, index)];
    if (guessed.join() !== plain.join()) differing += 1;
    updates += 1;
    memory = tokenizer.decode(plain.filter((id) => !stopTokenIds.includes(id)));
  }
}
for (const name of ["guessing", "plain"] as const) {
  const { tokens, wall, processor } = spent[name];
  const rate = (seconds: number) => Number((tokens / seconds).toFixed(1));
  console.log({ name, tokens, "tokens/s": rate(wall), "tokens/processor s": rate(processor) });
}
const { guessedTokens, rightGuesses } = samplers.guessing.stats;
console.log({
  updates,
  differing,
  guessedTokens,
  rightGuesses,
  precision: samplers.plain.precision.precision,
});
/** Calls of TensorFlow, without the first of each, which compiles. */
const calls = Object.entries(samplers.guessing.functionStats)
  .filter(([, stats]) => stats.calls > 1)
  .map(([name, { calls, totalMs, firstCallMs }]) => ({
    name,
    calls,
    "ms per call": Number(((totalMs - firstCallMs) / (calls - 1)).toFixed(2)),
  }));
console.table(calls);
console.log(`load ${loadavg()[0]?.toFixed(1)}, ${flags.threads} threads`);
process.exit(0);
