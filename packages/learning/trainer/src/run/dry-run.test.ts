import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { initParameters, saveModel, trainBpe } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { parseRecipe } from "../recipe/recipe.js";
import { type ConversationPlan, planRun, type RunPlan } from "./dry-run.js";

const folder = fileFolder();
const cacheDir = join(folder, "cache");
const gib = 2 ** 30;

beforeAll(async () => {
  const tokenizer = trainBpe(["ben likes bats. question memory section answer none new"], {
    vocabSize: 300,
    specialTokens: ["<|end|>"],
    alphabet: "bytes",
  });
  const config = smallConfig({ vocabSize: tokenizer.vocabSize, tieWordEmbeddings: true, maxPositions: 512 });
  mkdirSync(join(folder, "base"));
  await saveModel(join(folder, "base"), { config, tokenizer, parameters: initParameters(config, 1) });
});

interface Changes {
  readonly maxTokens?: number;
  readonly length?: number;
  readonly trainedTokens?: number;
  readonly chunkTokens?: number;
  readonly rollout?: Readonly<Record<string, unknown>>;
}

const recipeOf = ({
  maxTokens = 400,
  length = 400,
  trainedTokens,
  chunkTokens = 16,
  rollout,
}: Changes = {}) =>
  parseRecipe(
    JSON.stringify({
      name: "planned",
      model: { path: "./base" },
      agent: { preset: "tiny", settings: { chunkTokens, memoryTokens: 8, finalTokens: 8 } },
      data: { source: "ruler", ruler: { count: 8, sentences: 8, names: 6, values: 6 } },
      rollout: { maxTokens, ...rollout },
      learner: {
        groupSize: 4,
        miniBatches: 2,
        buckets: [{ rows: 2, length, ...(trainedTokens === undefined ? {} : { trainedTokens }) }],
      },
      train: { steps: 2, groupsPerStep: 3 },
    }),
    folder,
  );
const plan = (changes: Changes = {}, memoryBytes = 64 * gib) =>
  planRun(recipeOf(changes), { cacheDir, memoryBytes });

const longest = ({ conversations }: RunPlan, kind: string) =>
  conversations.find((conversation) => conversation.kind === kind) as ConversationPlan;

describe("planRun", () => {
  it("says what a run is, without reading weights: model, prompts, lengths, tokens of a step, memory", async () => {
    const planned = await plan();
    expect(planned.problems).toEqual([]);
    expect(planned.prompt).toBe("text");
    expect(planned.stopTokens).toEqual(["<|end|>"]);
    expect(planned.tasks).toEqual({ total: 8, lookedAt: 8 });
    expect(planned.step.episodes).toBe(12);
    expect(planned.step.optimizerSteps).toBe(2);
    const chunks = Math.round(planned.step.conversations / 12 - 1);
    expect(chunks).toBeGreaterThan(2);
    expect(planned.needs.totalBytes).toBeGreaterThan(planned.needs.learnerBytes);
  });

  it("names the longest conversation where it does not fit sampler, model or buckets, and what to write instead", async () => {
    const memory = longest(await plan(), "memory");
    const tokens = memory.promptTokens + memory.replyTokens;
    const short = await plan({ maxTokens: tokens - 1, length: tokens - 1 });
    expect(short.problems).toHaveLength(2);
    expect(short.problems[0]).toContain(
      `rollout.maxTokens: is ${tokens - 1}, but the longest memory update takes ${tokens} tokens (prompt ${memory.promptTokens}, reply 8); raise it to ${tokens}`,
    );
    expect(short.problems[1]).toContain(`add { rows: 1, length: ${tokens} } to buckets`);
    expect((await plan({ maxTokens: tokens, length: tokens })).problems).toEqual([]);
    const long = await plan({ maxTokens: 4000, length: 4000, chunkTokens: 600 });
    expect(long.problems).toEqual([]);
  });

  it("refuses a bucket whose trained tokens are fewer than a reply's", async () => {
    const { problems } = await plan({ trainedTokens: 7 });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain("of which 8 are trained, and fits into no bucket");
  });

  it("refuses guesses where the sampler of a rollout actor would, and says which fields allow them", async () => {
    const { problems } = await plan({ rollout: { speculate: true } });
    expect(problems).toEqual([
      "rollout.speculate: is true, which needs a model of more than 8 layers; leave it out",
    ]);
    const invariant = await plan({ rollout: { speculate: true, batchInvariant: true } });
    expect(invariant.problems).toEqual([
      "rollout.speculate: is true, which needs batchInvariant false; leave it out",
    ]);
    const wide = await plan({ rollout: { speculate: true, gpus: 1 } });
    expect(wide.problems).toEqual([
      "rollout.speculate: is true, which needs a CPU; set rollout.precision to bfloat16, or leave it out",
    ]);
    const both = { speculate: true, gpus: 1, precision: "bfloat16" };
    expect((await plan({ rollout: both })).problems).toEqual([]);
    expect((await plan({ rollout: { ...both, batchInvariant: true } })).problems).toEqual([
      "rollout.speculate: is true, which needs batchInvariant false; set rollout.batchInvariant to false, or leave it out",
    ]);
  });

  it("refuses what the memory cannot hold, part by part", async () => {
    const { problems } = await plan({}, gib / 4);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      /^memory: the run needs about .* GiB \(learner .*\), but there are 0\.3 GiB; use/,
    );
  });

  it("fails where a file of tasks is not there, naming field, value and fix; a plan may stand in for the data", async () => {
    const recipe = recipeOf();
    const options = { cacheDir, memoryBytes: 64 * gib };
    const absent = join(folder, "absent.jsonl");
    const data = { source: "jsonl", path: absent, maxBadRows: 0 } as const;
    await expect(planRun({ ...recipe, data }, options)).rejects.toThrow(
      new RegExp(`data\\.path: .*${absent}.*prepare`),
    );
    // The plan says what the data is; where it leaves something out, the error says what.
    const planned = { ...recipe, data, plan: { tasks: 8, documentTokens: 40, questionTokens: 8 } };
    expect((await planRun(planned, options)).assumed).toEqual({ model: false, data: true });
    const files = [{ path: absent, lengthTokens: 100 }];
    const evaluation = {
      tasks: 4,
      lengths: [1],
      files,
      temperature: 0,
      samples: 1,
      metric: "exactMatch" as const,
      seed: 1,
    };
    await expect(planRun({ ...recipe, evaluation }, options)).rejects.toThrow(
      new RegExp(`evaluation\\.files\\[0\\]\\.path: .*${absent}.*prepare`),
    );
  });

  it("fails where a part is wrong: a model that is not there, a preset that the model cannot speak", async () => {
    const recipe = recipeOf();
    const absent = { ...recipe, model: { name: "no-such-model" } };
    await expect(planRun(absent, { cacheDir, memoryBytes: gib })).rejects.toThrow(
      /model\.name: .*no-such-model/,
    );
    const chat = {
      ...recipe,
      agent: { ...recipe.agent, config: { ...recipe.agent.config, prompt: "chat" } },
    };
    await expect(planRun(chat as typeof recipe, { cacheDir, memoryBytes: gib })).rejects.toThrow(
      /prompt: the model has no chat template/,
    );
  });
});
