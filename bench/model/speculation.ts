/**
 * Measures memory updates of MemAgent by SmolLM2-135M, one at a time or `--rows` at once over slots, with and without
 * speculation (`speculate`), alternating over the same prompts and seeds. A prompt has the question, the memory (the previous
 * reply) and a section of text, as in recipes/memagent/smollm2-hotpotqa.yaml. The time runs from the moment at which all have
 * their first token to the last one; processor seconds are the figure to trust while others use the machine. Replies that
 * differ are counted; rounding can cause that.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/speculation.ts --data HOTPOTQA.json [--questions 6]
 *   [--tokens 64] [--temperature 0.6] [--precision auto] [--weights auto]
 *   [--threads 2] [--rows 1] [--model FOLDER]
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
  rows: "1",
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
const rows = Number(flags.rows);
const batch = rows === 1 ? { singleWeights } : { singleWeights: "off" as const, cache: "slots" as const };
const common = { backend, ...models, precision, ...batch, maxBatch: rows, maxLength: 640 };
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

async function replies(
  name: Name,
  prompts: readonly (readonly number[])[],
  seed: number,
): Promise<readonly (readonly number[])[]> {
  let waiting = prompts.length;
  let from = 0;
  let processor = process.cpuUsage();
  const of = spent[name];
  const results = await Promise.all(
    prompts.map(async (promptTokenIds, row) => {
      let isFirst = true;
      const onTokens = (tokenIds: readonly number[]) => {
        if (waiting === 0) of.tokens += tokenIds.length;
        if (!isFirst) return;
        isFirst = false;
        waiting -= 1;
        from = performance.now();
        processor = process.cpuUsage();
      };
      return await samplers[name].generate({
        promptTokenIds,
        maxTokens: Number(flags.tokens),
        temperature: Number(flags.temperature),
        stopTokenIds,
        seed: seed + row,
        onTokens,
      });
    }),
  );
  const { user, system } = process.cpuUsage(processor);
  of.wall += (performance.now() - from) / 1000;
  of.processor += (user + system) / 1e6;
  return results.map(({ tokenIds }) => tokenIds);
}

function promptOf({ question }: Question, memory: string, sentences: readonly string[]): readonly number[] {
  const section = tokenizer.decode(tokenizer.encode(sentences.join("")).slice(0, 160));
  const content = `Note: ${memory}\nText:${section}\n\nQuestion: ${question}\nCopy from the note and the text what helps to answer the question.`;
  return template.encode([{ role: "user", content }], { addGenerationPrompt: true });
}

/** The sections of two paragraphs that have the answer. */
const sectionsOf = ({ context, supporting_facts: facts }: Question) =>
  context.filter(([title]) => facts.some(([named]) => named === title)).map(([, sentences]) => sentences);

const mostWarmUps = 10;
let updates = 0;
let differing = 0;
for (let first = 0; first + rows <= questions.length; first += rows) {
  const some = questions.slice(first, first + rows);
  let memories = some.map(() => "nothing yet");
  for (const turn of [0, 1]) {
    const prompts = some.map((question, row) =>
      promptOf(question, memories[row] ?? "", sectionsOf(question)[turn] ?? []),
    );
    // The first updates also prepare the session and start the threads of a request alone.
    if (updates === 0) {
      for (const name of ["guessing", "plain"] as const) {
        const isReady = () =>
          rows > 1 || singleWeights === "off" || samplers[name].functionStats["readEntries"]?.calls;
        for (let i = 0; i < mostWarmUps && (i === 0 || !isReady()); i++) await replies(name, prompts, i);
      }
      for (const of of Object.values(spent)) Object.assign(of, { tokens: 0, wall: 0, processor: 0 });
    }
    const [guessed, plain] = [
      await replies("guessing", prompts, first),
      await replies("plain", prompts, first),
    ];
    differing += plain.filter((tokens, row) => tokens.join() !== guessed[row]?.join()).length;
    updates += rows;
    memories = plain.map((tokens) => tokenizer.decode(tokens.filter((id) => !stopTokenIds.includes(id))));
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
