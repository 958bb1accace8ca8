import { loadBackend } from "@palimpsest/jit";
import { expect, it } from "vitest";
import { initParameters } from "../base/parameters.js";
import { smallConfig } from "../testing/index.js";
import type { RunLogprobs } from "./draw/request.js";
import { createSampler } from "./model-sampler.js";

it("tells the log-probs of every run of tokens as it is sampled, and the result repeats them", async () => {
  const config = smallConfig({ architecture: "qwen3", vocabSize: 40, heads: 4, kvHeads: 2 });
  const backend = await loadBackend();
  const sampler = createSampler({
    backend,
    config,
    parameters: initParameters(config, 1),
    maxLength: 64,
    stepsPerCall: 4,
  });
  const ids: number[] = [];
  const runs: RunLogprobs[] = [];
  const result = await sampler.generate({
    promptTokenIds: [3, 1, 4],
    maxTokens: 20,
    temperature: 0.7,
    stopTokenIds: [],
    seed: 1,
    logprobs: 2,
    onTokens: (tokenIds, run) => {
      ids.push(...tokenIds);
      runs.push(run);
    },
  });
  await sampler.close();
  expect(runs.length).toBeGreaterThan(2);
  expect(ids).toEqual(result.tokenIds);
  expect(runs.flatMap((run) => run.rolloutLogprobs)).toEqual(result.rolloutLogprobs);
  expect(runs.flatMap((run) => run.sampledLogprobs)).toEqual(result.sampledLogprobs);
  expect(runs.flatMap((run) => run.topLogprobs ?? [])).toEqual(result.topLogprobs);
});
