/**
 * Runs one system of bench/model/sampling.ts over SmolLM2-135M-Instruct: our sampler, or llama.cpp through
 * node-llama-cpp. The first line of standard input says which. A line {"batch": n, "newTokens": m} sends n requests
 * with a short prompt at once and measures what they sample while all of them sample: from the first token of the last one,
 * when all prompts have been read, to the last token of the first one. It also measures tokens per second over everything,
 * prompts included (`wholeTokensPerSecond`), and the share of the time until all prompts have been read (`promptShare`). A line
 * {"promptTokens": n} measures the time to the first token of such a prompt.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createSampler, loadModel } from "../../packages/learning/model/src/index.js";

interface Setup {
  readonly kind: "ours" | "llama.cpp";
  readonly folder: string;
  readonly gguf?: string;
  readonly threads: number;
  /** Only for our sampler: the number of lanes, each of which has its own thread. */
  readonly lanes?: number;
  readonly requests: number;
  readonly maxLength: number;
}

interface Engine {
  /** Samples exactly `count` tokens after a prompt; `onTokens` is called with the number of new tokens. */
  generate(
    promptTokenIds: readonly number[],
    count: number,
    seed: number,
    onTokens: (count: number) => void,
  ): Promise<void>;
}

const shortPrompt = 24;
/** Tokens of one call arrive together. */
const sameCallMs = 5;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { value: first } = await lines.next();
const setup = JSON.parse(first as string) as Setup;
const engine = setup.kind === "ours" ? await ourEngine(setup) : await llamaEngine(setup);
answer({ ready: true });

let asked = 0;
for (;;) {
  const { value, done } = await lines.next();
  if (done === true) break;
  const question = JSON.parse(value) as { batch?: number; newTokens?: number; promptTokens?: number };
  asked += 1;
  const count = question.batch ?? 1;
  const length = question.promptTokens ?? shortPrompt;
  const wanted = question.newTokens ?? 1;
  const from = performance.now();
  let lastFirst = from;
  let unstarted = count;
  let sampled = 0;
  let firstEnd: number | undefined;
  await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const prompt = Array.from(
        { length },
        (_unused, t) => 100 + ((asked * 7919 + i * 104_729 + t * 31) % 40_000),
      );
      let own = 0;
      return engine.generate(prompt, wanted, asked * 100 + i, (tokens) => {
        if (own === 0) unstarted -= 1;
        if (unstarted > 0 || own === 0) lastFirst = performance.now();
        else if (firstEnd === undefined || performance.now() - firstEnd < sameCallMs) sampled += tokens;
        own += tokens;
        if (own === wanted && unstarted === 0) firstEnd ??= performance.now();
      });
    }),
  );
  const now = performance.now();
  if (question.batch !== undefined && (firstEnd === undefined || sampled === 0))
    throw new Error(
      `the first of ${count} requests ended before the last one sampled: ask for more than ${wanted} tokens`,
    );
  answer({
    peakBytes: process.resourceUsage().maxRSS * 1024,
    ...(question.promptTokens === undefined
      ? {
          tokensPerSecond: sampled / (((firstEnd ?? now) - lastFirst) / 1000),
          wholeTokensPerSecond: (count * wanted) / ((now - from) / 1000),
          promptShare: (lastFirst - from) / (now - from),
        }
      : { seconds: (lastFirst - from) / 1000 }),
  });
}
process.exit(0);

async function ourEngine({ folder, threads, lanes = 1, requests, maxLength }: Setup): Promise<Engine> {
  const backend = await loadBackend({ threads: threads / lanes, operationsAtOnce: threads });
  const { config, parameters } = await loadModel(folder);
  const sampler = createSampler({
    backend,
    config,
    parameters,
    lanes,
    maxBatch: requests,
    maxLength,
    weightsHash: "bench",
  });
  return {
    generate: async (promptTokenIds, maxTokens, seed, onTokens) => {
      const request = { promptTokenIds, maxTokens, temperature: 1, stopTokenIds: [], seed };
      await sampler.generate({ ...request, onTokens: ({ length }) => onTokens(length) });
    },
  };
}

interface LlamaModule {
  getLlama(options: object): Promise<{ loadModel(options: object): Promise<LlamaModel> }>;
}
interface LlamaModel {
  readonly fileInsights: { readonly totalLayers: number };
  createContext(options: object): Promise<{ getSequence(): LlamaSequence }>;
}
interface LlamaSequence {
  evaluate(tokens: readonly number[], options: object): AsyncIterableIterator<number>;
  clearHistory(): Promise<void>;
}

async function llamaEngine({ folder, gguf, threads, requests, maxLength }: Setup): Promise<Engine> {
  const entry = createRequire(join(folder, "package.json")).resolve("node-llama-cpp");
  const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaModule;
  const llama = await getLlama({ gpu: false, maxThreads: threads, build: "never" });
  const model = await llama.loadModel({ modelPath: gguf });
  const context = await model.createContext({
    sequences: requests,
    contextSize: maxLength,
    threads,
    batchSize: 512,
  });
  const free = Array.from({ length: requests }, () => context.getSequence());
  return {
    generate: async (promptTokenIds, count, seed, onTokens) => {
      const sequence = free.pop();
      if (sequence === undefined) throw new Error(`more than ${requests} at once`);
      let sampled = 0;
      for await (const _ of sequence.evaluate(promptTokenIds, {
        temperature: 1,
        topK: 0,
        seed,
        yieldEogToken: true,
      })) {
        onTokens(1);
        sampled += 1;
        if (sampled === count) break;
      }
      await sequence.clearHistory();
      free.push(sequence);
    },
  };
}

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
