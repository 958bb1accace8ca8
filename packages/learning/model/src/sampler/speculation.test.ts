/** SAMPLER-11: with guesses a request samples the tokens that it samples without, and its log-probs are the model's. */
import { jit, loadBackend, type Tensors, type tf } from "@palimpsest/jit";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { parseModelConfig } from "../base/config.js";
import { initParameters } from "../base/parameters.js";
import { GuessChoice } from "./batch/guess-choice.js";
import { Guesses } from "./batch/guesses.js";
import { drawUniform } from "./draw/draw.js";
import type { GenerateRequest } from "./draw/request.js";
import { createSampler, type ModelSampler, type ModelSamplerOptions } from "./model-sampler.js";
import { lookUp } from "./slots/look-up.js";

const backend = await loadBackend();

/** Deep enough to run as a loop, and so narrow that it soon repeats itself. */
const deepConfig = {
  architecture: "llama",
  vocabSize: 13,
  hiddenSize: 16,
  layers: 9,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 24,
  tieWordEmbeddings: true,
  maxPositions: 128,
} as const;
const scheme = { projectionStd: 0.3, residualStd: 0.3, headStd: 0.6 };
const prompt = [1, 2, 3, 4, 5, 6, 1, 2, 3, 4];

function aSampler({ layers, ...options }: Partial<ModelSamplerOptions> & { readonly layers?: number }) {
  const config = parseModelConfig({ ...deepConfig, ...(layers === undefined ? {} : { layers }) });
  const parameters = initParameters(config, 7, scheme);
  return createSampler({ backend, config, parameters, maxBatch: 2, maxLength: 96, ...options });
}

/** Pages on a CPU, and the table of slots that a GPU has, which computes the same without one. */
const caches: readonly Partial<ModelSamplerOptions>[] = [
  { cache: "pages" },
  { cache: "slots", mode: "graph" },
];

describe.each(caches)("with $cache, mode $mode", (own) => {
  /** A sampler is a second of work. */
  let guessing: ModelSampler;
  let plain: ModelSampler;
  beforeAll(() => {
    [guessing, plain] = [aSampler({ ...own, speculate: true }), aSampler({ ...own, speculate: false })];
  });
  afterAll(async () => {
    await guessing?.close();
    await plain?.close();
  });

  test("guesses change no token and no log-prob, at any temperature, with stops and limits", async () => {
    const rules = [
      { temperature: 0 },
      { temperature: 0.7 },
      { temperature: 1 },
      { temperature: 1, topP: 0.9, topK: 6 },
    ];
    const requests: GenerateRequest[] = rules.flatMap((rule) =>
      [41, 6].map((maxTokens, i) => ({
        promptTokenIds: prompt,
        maxTokens,
        ...rule,
        stopTokenIds: i === 1 ? [] : [12],
        seed: 3 + i,
      })),
    );
    for (const request of requests) {
      const runs: number[] = [];
      const given = { ...request, onTokens: (tokenIds: readonly number[]) => runs.push(tokenIds.length) };
      const [fast, slow] = [await guessing.generate(given), await plain.generate(request)];
      expect(fast.tokenIds).toEqual(slow.tokenIds);
      expect(fast.stopReason).toBe(slow.stopReason);
      expect(runs.reduce((sum, run) => sum + run, 0)).toBe(fast.tokenIds.length);
      fast.rolloutLogprobs.forEach((logprob, t) => {
        expect(logprob).toBeCloseTo(slow.rolloutLogprobs[t] as number, 4);
      });
      fast.sampledLogprobs.forEach((logprob, t) => {
        expect(logprob).toBeCloseTo(slow.sampledLogprobs[t] as number, 4);
      });
    }
    const { guessedTokens, rightGuesses, deviceCalls } = guessing.stats;
    expect(rightGuesses).toBeGreaterThan(0);
    expect(rightGuesses).toBeLessThan(guessedTokens);
    expect(deviceCalls).toBeLessThan(plain.stats.sampledTokens);
    expect(plain.stats.guessedTokens).toBe(0);
  });

  test("what was guessed wrong is not in the cache of whoever goes on from there", async () => {
    // The calls before may have been faster without.
    vi.spyOn(GuessChoice.prototype, "next").mockReturnValue("guessing");
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const { cachedTokens } = guessing.stats;
    const wrongGuesses = () => guessing.stats.guessedTokens - guessing.stats.rightGuesses;
    const before = wrongGuesses();
    const of = async (sampler: ModelSampler) => {
      const request = { promptTokenIds: prompt, maxTokens: 40, temperature: 1, stopTokenIds: [], seed: 11 };
      const { tokenIds } = await sampler.generate(request);
      const further = { ...request, promptTokenIds: [...prompt, ...tokenIds, 9], seed: 12 };
      return [tokenIds, (await sampler.generate(further)).tokenIds];
    };
    expect(await of(guessing)).toEqual(await of(plain));
    // More than what the first request finds of its prompt.
    expect(guessing.stats.cachedTokens).toBeGreaterThan(cachedTokens + prompt.length);
    expect(wrongGuesses()).toBeGreaterThan(before);
  });
});

test.each(["graph", "xla"] as const)(
  "guesses for many requests at once, in %s, change no token and no log-prob of any, whoever ends and comes",
  async (mode) => {
    const own = { cache: "slots", mode, maxBatch: 5, layers: 2 } as const;
    const [guessing, plain] = [aSampler({ ...own, speculate: true }), aSampler({ ...own, speculate: false })];
    const requests = Array.from({ length: 17 }, (_, at) => ({
      promptTokenIds: [...prompt.slice(at % 4), at % 13],
      maxTokens: [1, 2, 9, 33, 60][at % 5] as number,
      temperature: at % 5 === 0 ? 0 : 0.3,
      ...(at % 4 === 1 ? { topP: 0.8, topK: 5 } : {}),
      stopTokenIds: at % 2 === 0 ? [] : [11, 12],
      seed: 100 + at,
    }));
    // Every call guesses, however fast: the draws after right guesses are what is compared.
    vi.spyOn(GuessChoice.prototype, "next").mockReturnValue("guessing");
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const of = (sampler: typeof plain) =>
      Promise.all(requests.map(async (request) => await sampler.generate(request)));
    const [fast, slow] = [await of(guessing), await of(plain)];
    expect(fast.map(({ tokenIds }) => tokenIds)).toEqual(slow.map(({ tokenIds }) => tokenIds));
    expect(fast.map(({ stopReason }) => stopReason)).toEqual(slow.map(({ stopReason }) => stopReason));
    for (const [at, { rolloutLogprobs, sampledLogprobs }] of fast.entries()) {
      expectNear(rolloutLogprobs, slow[at]?.rolloutLogprobs ?? []);
      expectNear(sampledLogprobs, slow[at]?.sampledLogprobs ?? []);
    }
    expect(new Set(fast.map(({ stopReason }) => stopReason)).size).toBe(2);
    const { guessedTokens, rightGuesses, sampledTokens } = guessing.stats;
    expect(rightGuesses).toBeGreaterThan(2);
    expect(rightGuesses).toBeLessThan(guessedTokens);
    expect(sampledTokens).toBe(plain.stats.sampledTokens);
    await guessing.close();
    await plain.close();
  },
);

function expectNear(left: readonly number[], right: readonly number[]): void {
  expect(left).toHaveLength(right.length);
  left.forEach((value, at) => {
    expect(value).toBeCloseTo(right[at] as number, 4);
  });
}

test("the device looks up what the host does", () => {
  let drawn = 0;
  const below = (bound: number) => Math.floor(bound * drawUniform(4, drawn++));
  const [slots, length, count] = [32, 40, 3];
  const histories = Array.from({ length: slots }, (_, slot) =>
    Array.from({ length: 1 + below(slot < 4 ? 4 : length) }, () => below(3)),
  );
  const history = new Int32Array(slots * length).fill(1);
  histories.forEach((tokens, slot) => {
    history.set(tokens, slot * length);
  });
  const expected = histories.map((tokens) => {
    const found = new Guesses([]).next(tokens, count);
    return [...found, ...Array<number>(count - found.length).fill(-1)];
  });
  const int32 = (shape: readonly number[]) => ({ shape, dtype: "int32" as const });
  const functions = {
    lookUp: {
      inputs: { history: int32([slots, length]), known: int32([slots]) },
      body: (_state: Tensors, { history, known }: Tensors) => ({
        outputs: { guesses: lookUp(history as tf.Tensor, known as tf.Tensor, count) },
      }),
    },
  };
  for (const mode of ["eager", "graph", "xla"] as const) {
    const module = jit({ backend, mode, state: {}, functions });
    const known = Int32Array.from(histories, (tokens) => tokens.length);
    const { guesses } = module.call("lookUp", { history, known });
    expect([...(guesses as Int32Array)], mode).toEqual(expected.flat());
    module.dispose();
  }
  expect(expected.filter(([first]) => first !== -1).length).toBeGreaterThan(slots / 2);
});

describe("whether to guess", () => {
  /** Of so many calls, how many guess, where both ways have these speeds. */
  const guessesOf = (choice: GuessChoice, calls: number, guessing: number, plain: number): number => {
    let count = 0;
    for (let call = 0; call < calls; call++) {
      const way = choice.next();
      if (way === "guessing") count += 1;
      choice.note(way, way === "guessing" ? guessing : plain);
    }
    return count;
  };

  test("is what was faster lately: where nothing is copied few calls guess, where much is nearly all", () => {
    const choice = new GuessChoice();
    expect(guessesOf(choice, 4, 50, 100)).toBe(2);
    const [tried, later] = [guessesOf(choice, 100, 50, 100), guessesOf(choice, 1000, 50, 100)];
    expect(tried).toBeGreaterThan(2);
    expect(tried).toBeLessThan(10);
    expect(later).toBeLessThan(40);
    // Replies copy from now on.
    expect(guessesOf(choice, 100, 200, 100)).toBeGreaterThan(60);
    expect(guessesOf(choice, 1000, 200, 100)).toBeGreaterThan(960);
    guessesOf(choice, 4, 50, 100);
    expect(guessesOf(choice, 100, 50, 100)).toBeLessThan(30);
  });

  test("is not decided by calls that compile", () => {
    const choice = new GuessChoice();
    for (let call = 0; call < 2; call++) choice.note(choice.next(), 0.001);
    expect(guessesOf(choice, 100, 200, 100)).toBeGreaterThan(80);
  });
});

test("is refused where guesses cannot be checked", () => {
  const refused = () => aSampler({ speculate: true, batchInvariant: true });
  expect(refused).toThrow(/speculate is true/);
});

test("guesses follow the latest longest agreement, and pause after wrong ones", () => {
  const guesses = new Guesses([1, 2, 3, 4, 9, 1, 2, 3, 5]);
  expect(guesses.next([1, 2, 3], 2)).toEqual([5, 1]);
  expect(guesses.next([7, 2, 3, 4], 3)).toEqual([9, 1, 2]);
  expect(guesses.next([8, 8], 3)).toEqual([]);
  expect(guesses.next([1, 2, 3], 0)).toEqual([]);
  guesses.note(0, 4);
  expect(guesses.next([1, 2, 3, 0, 1, 2, 3], 2)).toEqual([]);
  expect(guesses.next([1, 2, 3, 0, 1, 1, 2, 3], 2)).toEqual([0, 1]);
});

test("as many guesses are made as pay off, for the share that was right lately", () => {
  const guesses = new Guesses([1, 2, 3, 4, 5, 6, 1, 2]);
  const costs = [1, 1.4, 1.7, 2.6];
  const sampled: number[] = [];
  expect(guesses.worthwhile(sampled, 3, costs)).toEqual([3]);
  sampled.push(3, 4, 5);
  expect(guesses.worthwhile(sampled, 3, costs)).toEqual([6, 1]);
  for (const token of [8, 9]) {
    sampled.push(token);
    guesses.worthwhile(sampled, 3, costs);
  }
  sampled.push(1, 2, 8, 1, 2);
  expect(guesses.worthwhile(sampled, 3, [1, 1.7, 2.2, 2.8])).toEqual([]);
  expect(guesses.worthwhile(sampled, 3, [1, 1, 1, 1])).toEqual([8, 1, 2]);
});
