/**
 * Runs one case of bench/gpu/sampler.ts in its own process. Its argument is a SamplerCase as JSON, and every result is
 * a line of JSON on standard output. Weights are random. Each figure is measured through the sampler's own API:
 * requests of ragged prompts and replies come and go, a quarter more of them than there are rows, so that a row that
 * ends is taken by another request.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  createSampler,
  type GenerateRequest,
  type ModelConfig,
  type ModelSampler,
  parseModelConfig,
} from "../../packages/learning/model/src/index.js";
import { quickParameters } from "../model/quick-parameters.js";
import { usedMiB } from "./memory-watch.js";
import { checkLogprobs } from "./sampler-check.js";

export interface SamplerCase {
  readonly name: string;
  readonly shape: Parameters<typeof parseModelConfig>[0];
  /** The samplers, which run one after the other in this process. */
  readonly samplers: readonly {
    /** Slots. */
    readonly rows: number;
    /** Requests in flight at once: each number is measured after the other. Default: a quarter more than rows. */
    readonly clients?: readonly number[];
    /** Replaces the case's. */
    readonly prompt?: readonly [number, number];
    /** Tokens sampled per call. Default: the sampler's own. */
    readonly stepsPerCall?: number;
    /** Whether calls may guess. */
    readonly speculate?: boolean;
    readonly workloads: readonly Workload[];
  }[];
  readonly maxLength: number;
  /** Least and most tokens of a prompt, and of a reply. */
  readonly prompt: readonly [number, number];
  readonly reply: readonly [number, number];
  readonly precision: "float32" | "bfloat16";
  readonly mode: "xla" | "graph" | "eager";
  readonly cache: "slots" | "pages";
  /** Seconds of the measurement, which begins after requests have come and gone for as long. */
  readonly seconds: number;
  /**
   * Prompts go round a ring of tokens, and the weights answer each token with the next one of it, at the cost of others. How often that is
   * sampled, and guessed right, follows from the temperature: a forced rate, which is no model's. Needs a head of its own.
   */
  readonly copies?: boolean;
  /** If false, functions are compiled only on demand, for cases that measure nothing but the first tokens. */
  readonly prepares?: boolean;
}

/**
 * In "groups", eight consecutive requests share their prompt. Of weights that copy, "copying" samples about 85 % of the tokens from the
 * ring, and "inventing" any tokens.
 */
export type Workload = "own prompts" | "groups" | "truncated" | "copying" | "inventing" | "check";

/** After this many pauses, calls at new shapes may still occur; the figure then says how many. */
const mostPauses = 3;

const case_ = JSON.parse(process.argv[2] ?? "{}") as SamplerCase;
const report = (result: object): void => {
  process.stdout.write(`${JSON.stringify({ case: case_.name, ...result })}\n`);
};
const seconds = (since: number): number => Number(((performance.now() - since) / 1000).toFixed(2));

let state = 12_345;
/** Returns a random whole number from `least` to `most`. */
function anyOf([least, most]: readonly [number, number]): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return least + Math.floor((state / 2 ** 32) * (most - least + 1));
}

function promptOf(config: ModelConfig, lengths = case_.prompt): number[] {
  const [length, first] = [anyOf(lengths), anyOf([0, config.vocabSize - 1])];
  return Array.from({ length }, (_, at) =>
    case_.copies === true ? (first + at) % ringOf(config) : anyOf([0, config.vocabSize - 1]),
  );
}

/** Yields requests of a workload without end. */
function* requests(
  config: ModelConfig,
  workload: Workload,
  lengths?: readonly [number, number],
): Generator<GenerateRequest> {
  let promptTokenIds: number[] = [];
  for (let number = 0; ; number++) {
    if (workload !== "groups" || number % 8 === 0) promptTokenIds = promptOf(config, lengths);
    yield {
      promptTokenIds,
      maxTokens: anyOf(case_.reply),
      temperature: temperaturesOf(config)[workload] ?? 1,
      ...(workload === "truncated" ? { topP: 0.9, topK: 50 } : {}),
      stopTokenIds: [],
      seed: number,
    };
  }
}

/** The temperatures at which weights that copy give the next token of the ring, or any. */
const temperaturesOf = (config: ModelConfig): Partial<Record<Workload, number>> => ({
  copying: copyingTemperature(config),
  inventing: 100,
});

/** The next token's logit is about the root mean square of an embedding times the width, and those of others are near 0. */
function copyingTemperature({ hiddenSize, vocabSize }: ModelConfig): number {
  return (0.017 * hiddenSize) / (Math.log(vocabSize) + 1.7);
}

const ringOf = ({ vocabSize }: ModelConfig): number => Math.min(512, vocabSize / 2);

/** Weights whose layers add nothing to the residual stream, and whose head answers each token with the next one of a ring. */
function copying(config: ModelConfig, parameters: Record<string, Float32Array>): void {
  const { hiddenSize, vocabSize } = config;
  const ring = ringOf(config);
  const { embedding, head } = parameters as Readonly<Record<"embedding" | "head", Float32Array>>;
  for (const name of ["layers.attentionOut", "layers.down"]) parameters[name]?.fill(0);
  head.fill(0);
  for (let token = 0; token < vocabSize; token++) {
    const row = embedding.subarray((token % ring) * hiddenSize, ((token % ring) + 1) * hiddenSize);
    embedding.set(row, token * hiddenSize);
    if (token < ring) head.set(row, ((token + 1) % ring) * hiddenSize);
  }
}

async function measure(
  sampler: ModelSampler,
  config: ModelConfig,
  workload: Workload,
  { rows, prompt }: SamplerCase["samplers"][number],
  count: number,
) {
  const all = requests(config, workload, prompt);
  let goesOn = true;
  let finished = 0;
  const clients = Array.from({ length: count }, async () => {
    while (goesOn) {
      await sampler.generate(all.next().value as GenerateRequest);
      finished += 1;
    }
  });
  const failed = Promise.all(clients);
  failed.catch(() => undefined);
  const rest = async (): Promise<unknown> => await Promise.race([sleep(case_.seconds * 1000), failed]);
  // The measurement begins when everything that the workload needs is compiled: when a whole pause passes without
  // compilation.
  const compiled = () => Object.values(sampler.functionStats).filter(({ calls }) => calls > 0).length;
  let before = -1;
  for (let pause = 0; pause < mostPauses && compiled() > before; pause++) {
    before = compiled();
    await rest();
  }
  before = compiled();
  const processor = process.cpuUsage();
  const [stats, functions, from, done] = [sampler.stats, sampler.functionStats, performance.now(), finished];
  await rest();
  const elapsed = (performance.now() - from) / 1000;
  const spent = process.cpuUsage(processor);
  const now = sampler.stats;
  const calls = Object.entries(sampler.functionStats).flatMap(([name, { calls, totalMs }]) => {
    const earlier = functions[name];
    const own = calls - (earlier?.calls ?? 0);
    const spent = totalMs - (earlier?.totalMs ?? 0);
    return own === 0 ? [] : [[name, { calls: own, msPerCall: Number((spent / own).toFixed(2)) }] as const];
  });
  goesOn = false;
  const isRequestDone = await Promise.race([failed.then(() => true), sleep(20_000).then(() => false)]);
  report({
    rows,
    clients: count,
    ...(prompt === undefined ? {} : { prompt }),
    workload,
    speculates: sampler.stats.guessedTokens > 0,
    tokensPerSecond: Math.round((now.sampledTokens - stats.sampledTokens) / elapsed),
    promptTokensPerSecond: Math.round((now.prefillTokens - stats.prefillTokens) / elapsed),
    sharedPromptTokensPerSecond: Math.round((now.cachedTokens - stats.cachedTokens) / elapsed),
    requestsPerSecond: Number(((finished - done) / elapsed).toFixed(1)),
    guessedPerSecond: Math.round((now.guessedTokens - stats.guessedTokens) / elapsed),
    rightGuessesPerSecond: Math.round((now.rightGuesses - stats.rightGuesses) / elapsed),
    tokensPerProcessorSecond: Math.round(
      (now.sampledTokens - stats.sampledTokens) / ((spent.user + spent.system) / 1e6),
    ),
    deviceShare: Number(((now.secondsBusy - stats.secondsBusy) / elapsed).toFixed(3)),
    compiledMeanwhile: compiled() - before,
    functions: Object.fromEntries(calls),
    usedMiB: usedMiB(),
    ...(isRequestDone ? {} : { failed: "requests were not done 20 s after the end" }),
  });
}

async function prepared(sampler: ModelSampler, rows: number): Promise<void> {
  const from = performance.now();
  await sampler.prepare();
  const firstCalls = Object.entries(sampler.functionStats).filter(([, { calls }]) => calls > 0);
  report({
    rows,
    what: "prepared",
    seconds: seconds(from),
    firstCallsMs: Object.fromEntries(
      firstCalls.map(([name, { firstCallMs }]) => [name, Math.round(firstCallMs)]),
    ),
  });
}

const started = performance.now() - process.uptime() * 1000;
const backend = await loadBackend({ prefer: "tensorflow", threads: 8 });
const config = parseModelConfig(case_.shape);
const parameters = quickParameters(config);
if (case_.copies === true) copying(config, parameters);
report({ what: "weights are made", seconds: seconds(started), gpu: backend.gpu });
for (const own of case_.samplers) {
  const { rows, workloads, stepsPerCall, speculate } = own;
  const from = performance.now();
  const { precision, mode, cache, maxLength } = case_;
  const steps = {
    ...(stepsPerCall === undefined ? {} : { stepsPerCall }),
    ...(speculate === undefined ? {} : { speculate }),
  };
  const settings = { precision, mode, cache, maxLength, maxBatch: rows, ...steps };
  const sampler = createSampler({ backend, config, parameters, weightsHash: "bench", ...settings });
  const made = seconds(from);
  const first = requests(config, "own prompts").next().value as GenerateRequest;
  const asked = performance.now();
  // This covers one token by the call that reads the prompt, and one whole call that samples.
  const maxTokens = Math.min(33, case_.maxLength - first.promptTokenIds.length);
  let firstToken: number | undefined;
  const onTokens = () => {
    firstToken ??= seconds(started);
  };
  await sampler.generate({ ...first, maxTokens, onTokens });
  const told = Object.entries(sampler.functionStats).filter(([, { calls }]) => calls > 0);
  report({
    rows,
    what: "first tokens",
    secondsToFirstToken: firstToken,
    secondsToAllTokens: seconds(started),
    secondsToMakeSampler: made,
    secondsToSample: seconds(asked),
    firstCallsMs: Object.fromEntries(told.map(([name, { firstCallMs }]) => [name, Math.round(firstCallMs)])),
    traceMs: Math.round(Object.values(sampler.functionStats).reduce((sum, { traceMs }) => sum + traceMs, 0)),
    usedMiB: usedMiB(),
  });
  if (case_.prepares !== false) await prepared(sampler, rows);
  for (const workload of workloads) {
    if (workload === "check")
      report({ what: "check", ...(await checkLogprobs(backend, sampler, config, parameters)) });
    else
      for (const clients of own.clients ?? [Math.ceil(rows * 1.25)])
        await measure(sampler, config, workload, own, clients);
  }
  await sampler.close();
}
process.exit(0);
