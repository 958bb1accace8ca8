import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadBackend } from "@palimpsest/jit";
import { BpeTokenizer } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../config/random.js";
import type { PackableRow } from "../rows/micro-batches.js";
import { twoLayers } from "./learner.fixture.js";
import { expectSame, openSteps, type Step } from "./steps.fixture.js";

const backend = await loadBackend();

/** Layers of both kinds, whose window is shorter than most prompts and replies. */
const withWindows = smallConfig({
  architecture: "gemma3",
  slidingWindow: { size: 3, layers: [true, false], ropeTheta: 50 },
  queryPreAttnScalar: 5,
});

/** Rows whose prompts are the paths of a random tree: neighbors begin alike for one to nine tokens, some to their end. */
function rowsOfTree(seed: number): PackableRow[] {
  const random = createRandom(seed);
  const tokens = (count: number) => Array.from({ length: count }, () => random.below(16));
  const grow = (beginning: readonly number[], depth: number): number[][] =>
    Array.from({ length: 1 + random.below(3) }, () => {
      const path = [...beginning, ...tokens(1 + random.below(3))];
      return depth === 0 ? [path, ...(random.below(2) === 0 ? [path] : [])] : grow(path, depth - 1);
    }).flat();
  return Array.from({ length: 2 }, () => grow([], 2))
    .flat()
    .map((prompt) => {
      const tokenIds = [...prompt, ...tokens(1 + random.below(5))];
      return {
        tokenIds,
        // A token after the first trained one is not trained, as where a tool speaks.
        lossMask: tokenIds.map((_, at) => (at >= prompt.length && at !== prompt.length + 1 ? 1 : 0)),
        rolloutLogprobs: tokenIds.map(() => -2 - random.below(100) / 100),
        advantage: random.below(5) - 2,
        temperature: [1, 0.6, 1.5][random.below(3)] as number,
      };
    });
}

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const tokenizerFile = `${shared}/data/tokenizers/qwen2.5/tokenizer.json`;
const hasTokenizer = existsSync(tokenizerFile);
if (!hasTokenizer) process.stdout.write(`skipped: no tokenizer at ${tokenizerFile}\n`);

/** Compares log-probs of trained tokens. */
function expectSameLogprobs(given: Step, wanted: Step): void {
  wanted.policyLogprobs.forEach((logprobs, row) => {
    const own = given.policyLogprobs[row] ?? [];
    expect(own.length).toBe(logprobs.length);
    logprobs.forEach((logprob, i) => {
      expect(Math.abs((own[i] ?? Number.NaN) / logprob - 1)).toBeLessThan(1e-6);
    });
  });
}

describe("rows whose prompts begin alike", () => {
  // The second cuts beginnings at 4 tokens, and computes layers as a loop and attention in blocks.
  const inBlocks = { layers: "scan", logitsMb: 1e-3, scoresMb: 1e-4 } as const;
  it.each([
    ["a beginning of up to 9 tokens", { length: 9, replies: 4 }, undefined, twoLayers],
    ["cut to 4 tokens, in blocks", { length: 4, replies: 2 }, inBlocks, twoLayers],
    ["with windows", { length: 9, replies: 4 }, undefined, withWindows],
    ["with windows, in blocks", { length: 9, replies: 4 }, inBlocks, withWindows],
  ] as const)(
    "train as if every row were computed whole: %s",
    async (_name, sharedPrompts, memory, model) => {
      const whole = { rows: 8, length: 14 };
      const length = sharedPrompts.length + 10;
      const sharing = { rows: 8, length, sharedPrompts: { ...sharedPrompts } };
      const plain = openSteps(backend, "policy", { buckets: [whole] }, model);
      onTestFinished(plain.close);
      const shared = openSteps(
        backend,
        "policy",
        { buckets: [sharing, whole], ...(memory === undefined ? {} : { memory: { ...memory } }) },
        model,
      );
      onTestFinished(shared.close);
      let saved = 0;
      for (let seed = 1; seed <= 12; seed++) {
        const rows = rowsOfTree(seed);
        const [wanted, given] = [await plain.run(rows), await shared.run(rows)];
        expectSame(given, wanted, 2e-6);
        expectSameLogprobs(given, wanted);
        saved += wanted.computedTokens - given.computedTokens;
      }
      expect(saved).toBeGreaterThan(0);
    },
  );

  it("train in packed sequences as if every row were computed whole, with windows", async () => {
    const [plain, packed] = [
      [{ rows: 8, length: 14 }],
      [{ rows: 3, length: 30, packedRows: 8, trainedTokens: 48 }],
    ].map((buckets) => openSteps(backend, "policy", { buckets }, withWindows));
    if (plain === undefined || packed === undefined) throw new Error("no steps");
    onTestFinished(plain.close);
    onTestFinished(packed.close);
    for (let seed = 1; seed <= 3; seed++) {
      const rows = rowsOfTree(seed);
      const [wanted, given] = [await plain.run(rows), await packed.run(rows)];
      expectSame(given, wanted, 2e-6);
      expectSameLogprobs(given, wanted);
    }
  });

  it.skipIf(!hasTokenizer)("train the same where a real tokenizer wrote them", async () => {
    const tokenizer = new BpeTokenizer(JSON.parse(readFileSync(tokenizerFile, "utf8")));
    const question = "Which river flows through the town where the painter of The Red Barn was born?";
    const section =
      "The Red Barn is an oil painting of 1911 by Ada Holm, who was born in Varn, on the river Elst.";
    const memories = ["nothing yet", "Ada Holm was born in Varn.", "Ada Holm painted it", "nothing yet"];
    const rows = memories.map((memory, index) => {
      const prompt = tokenizer.encode(
        `<|im_start|>user\nQuestion: ${question}\n\nText:\n${section}\n\nNotes: ${memory}\n\nCopy what helps.<|im_end|>\n<|im_start|>assistant\n`,
      );
      const tokenIds = [
        ...prompt,
        ...tokenizer.encode(["Elst", "Varn, on the river Elst", "Ada Holm", "Lund"][index] ?? ""),
      ];
      return {
        tokenIds,
        lossMask: tokenIds.map((_, at) => (at >= prompt.length ? 1 : 0)),
        rolloutLogprobs: tokenIds.map(() => -11),
        advantage: index - 1.2,
      };
    });
    const model = smallConfig({ vocabSize: 151_936, hiddenSize: 8, maxPositions: 128 });
    const whole = { rows: 4, length: 96, trainedTokens: 40 };
    const [plain, sharing] = [
      [whole],
      [whole, { rows: 4, length: 96, sharedPrompts: { length: 60, replies: 4 }, trainedTokens: 40 }],
    ].map((buckets) =>
      openSteps(backend, "policy", { buckets, kl: { coefficient: 0 }, reference: "none" }, model),
    );
    if (plain === undefined || sharing === undefined) throw new Error("no steps");
    onTestFinished(plain.close);
    onTestFinished(sharing.close);
    const [wanted, given] = [await plain.run(rows), await sharing.run(rows)];
    expectSame(given, wanted, 1e-6);
    expectSameLogprobs(given, wanted);
    // The question and the section, 54 tokens, are computed once instead of four times.
    expect([wanted.computedTokens, given.computedTokens]).toEqual([4 * 96, 60 + 4 * 36]);
  });
});
