import { type AgentTask, defineAgent, toTrajectory } from "@palimpsest/agents";
import { HttpSampler } from "@palimpsest/engines";
import { loadBackend } from "@palimpsest/jit";
import { createLearner } from "@palimpsest/learner";
import { createLogger, createMetrics } from "@palimpsest/telemetry";
import { decodeTrajectory, encodeTrajectory, type Group } from "@palimpsest/trajectories";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { accessGuard } from "./access-guard.js";
import { ServedModel } from "./served-model.js";
import { ModelServer } from "./server.js";
import { parseServeSettings } from "./settings.js";
import { aTinyModel } from "./testing.js";
import type { LogprobsMode } from "./token-logprobs.js";

const temperature = 0.6;
const folder = aTinyModel({ ends: false });

interface Served {
  readonly model: ServedModel;
  readonly server: ModelServer;
  readonly engine: HttpSampler;
}

const served = {} as Record<LogprobsMode, Served>;
beforeAll(async () => {
  const backend = await loadBackend();
  for (const logprobsMode of ["raw_logprobs", "processed_logprobs"] as const) {
    const model = new ServedModel(folder, {
      name: "tiny",
      backend,
      maxBatch: 4,
      maxWaiting: 16,
      logprobsMode,
    });
    const server = await ModelServer.start(model, {
      host: "127.0.0.1",
      port: 0,
      settings: parseServeSettings({}),
      guard: accessGuard({ host: "127.0.0.1", tls: false, insecure: false }),
      metrics: createMetrics({ component: "serve", processMetrics: false }),
      logger: createLogger({ component: "serve", level: "silent" }),
    });
    const engine = new HttpSampler({ url: server.url, kind: "vllm", model: "tiny" });
    served[logprobsMode] = { model, server, engine };
  }
});
afterAll(async () => {
  for (const { model, server, engine } of Object.values(served)) {
    await engine.close();
    await server.close();
    await model.close();
  }
});

/** An agent of two replies. */
const agentModule = defineAgent({
  kind: "two-replies",
  stopTokens: ["<|im_end|>"],
  settings: z.strictObject({}),
  async run({ question }: AgentTask, episode) {
    await episode.ask(`the ${question}`, { maxTokens: 12 });
    const { text } = await episode.ask(`a ${question}`, { maxTokens: 12, kind: "final" });
    return { answer: text };
  },
});

/** A group that the engine has sampled at the temperature, as it comes out of the queue. */
async function aGroup({ model, engine }: Served): Promise<Group> {
  const agent = agentModule.create({}, { sampler: engine, tokenizer: model.tokenizer });
  const members = await Promise.all(
    Array.from({ length: 4 }, async (_, episodeIndex) => {
      const task = { question: "cat sat", document: "" };
      const result = await agent.run(task, { temperature, seed: episodeIndex });
      const trajectory = toTrajectory(agent.name, result, {
        trajectoryId: `g-${episodeIndex}`,
        groupId: "g",
        taskId: "t",
        episodeIndex,
        actorId: "a",
      });
      const reward = episodeIndex % 2;
      return {
        trajectory: decodeTrajectory(encodeTrajectory(trajectory)),
        score: { reward, components: { exactMatch: reward } },
      };
    }),
  );
  return { groupId: "g", taskId: "t", groupSize: 4, members };
}

async function update(group: Group) {
  const learner = createLearner({
    backend: await loadBackend(),
    model: folder.config,
    parameters: folder.parameters,
    config: {
      groupSize: 4,
      buckets: [{ rows: 4, length: 48 }],
      importance: { kind: "tis-token", cap: 2 },
      maxLogprobDifference: 0.01,
    },
  });
  try {
    return await learner.update([group]);
  } finally {
    learner.close();
  }
}

describe("an engine at temperature 0.6", () => {
  it("tells the log-probs that our own sampler has after the temperature, and those of the likeliest", async () => {
    const { engine, model, server } = served.processed_logprobs;
    expect(await engine.probeLogprobs()).toBe("processed_logprobs");
    const promptTokenIds = model.tokenizer.encode("the cat sat");
    const request = { promptTokenIds, maxTokens: 24, temperature, stopTokenIds: [], seed: 11 };
    const own = await model.sampler.generate(request);
    const there = await engine.generate(request);
    expect(there.tokenIds).toEqual(own.tokenIds);
    expect(there.sampledLogprobs).toEqual(own.sampledLogprobs);
    expect(there.rolloutLogprobs.every(Number.isNaN)).toBe(true);
    const answer = await fetch(`${server.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: promptTokenIds, max_tokens: 1, temperature, seed: 1, logprobs: 20 }),
    });
    const { choices } = (await answer.json()) as {
      choices: [{ logprobs: { top_logprobs: [Record<string, number>] } }];
    };
    const total = Object.values(choices[0].logprobs.top_logprobs[0]).reduce((sum, x) => sum + Math.exp(x), 0);
    // The 20 likeliest of 320 tokens of a model as sharp as this one.
    expect(total).toBeGreaterThan(0.5);
    expect(total).toBeLessThanOrEqual(1 + 1e-6);
  });

  it("is trained from with the learner's own numbers, the correction at 1", async () => {
    const metrics = await update(await aGroup(served.processed_logprobs));
    expect(metrics.temperatureMean).toBeCloseTo(temperature, 12);
    expect(metrics.freshTokens).toBeGreaterThan(40);
    expect(metrics.logprobDifferenceMax).toBeLessThan(1e-4);
    expect(metrics.importanceMean).toBeCloseTo(1, 4);
  });

  it("is not trained from where it tells those before the temperature", async () => {
    const { engine } = served.raw_logprobs;
    expect(await engine.probeLogprobs()).toBe("raw_logprobs");
    const group = await aGroup(served.raw_logprobs);
    await expect(update(group)).rejects.toThrow(/sampledLogprobs are absent at temperature 0.6/);
  });
});
