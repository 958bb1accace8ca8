import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initParameters, parseModelConfig, saveModel, trainBpe } from "@palimpsest/model";
import { rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { afterEach, describe, expect, it } from "vitest";
import { rewardDependencies } from "./reward-dependencies.js";

const servers: Server[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A server of OpenAI's protocol that judges, after one failure. */
async function judgingServer() {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      keys.push(request.headers.authorization);
      if (keys.length === 1) {
        response.writeHead(503, { "retry-after": "0" }).end();
        return;
      }
      const message = { role: "assistant", content: "It fits.\nVERDICT: CORRECT" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const task = { id: "t", question: "Where?", answers: ["Oslo"], document: "", metadata: {} };
const episode = { answer: "in Oslo", conversations: [], memorySteps: [] };

describe("rewardDependencies", () => {
  it("lets a judge behind a server be asked, with the key of the environment, tried again where it fails", async () => {
    const { url, keys } = await judgingServer();
    const dependencies = rewardDependencies({ JUDGE_KEY: "k3y" });
    const endpoint = { url, model: "judge", tokenEnv: "JUDGE_KEY" };
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "llm-judge", endpoint }), dependencies);
    expect(await reward(task, episode)).toEqual({ reward: 1, components: { correct: 1, boxed: 0 } });
    expect(keys).toEqual(["Bearer k3y", "Bearer k3y"]);
    await dependencies.close();
    await dependencies.close();
  });

  it("names a key that is not there, and not the key", async () => {
    const dependencies = rewardDependencies({ OTHER: "k3y" });
    const endpoint = { url: "http://127.0.0.1:1", tokenEnv: "JUDGE_KEY" };
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "llm-judge", endpoint }), dependencies);
    await expect(reward(task, episode)).rejects.toThrow(/JUDGE_KEY/);
    await dependencies.close();
  });

  it("reads with a model of a folder that is not trained", async () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-reader-"));
    folders.push(folder);
    const tokenizer = trainBpe(["Memories: Ann lives in Oslo. Question: Where?"], {
      vocabSize: 300,
      specialTokens: ["<|im_end|>"],
      alphabet: "bytes",
    });
    const config = parseModelConfig({
      architecture: "qwen3",
      vocabSize: 300,
      hiddenSize: 16,
      layers: 1,
      heads: 2,
      kvHeads: 1,
      headDim: 8,
      intermediateSize: 32,
      tieWordEmbeddings: true,
      maxPositions: 512,
    });
    await saveModel(folder, { config, parameters: initParameters(config, 1), tokenizer });
    const dependencies = rewardDependencies({});
    const settings = { name: "memupdate", score: { by: "reader", reader: { path: folder } } };
    const reward = trajectoryReward(rewardConfigSchema.parse(settings), dependencies);
    const record = {
      id: "m1",
      content: "Ann lives in Oslo.",
      memoryType: "episodic",
      provenance: [],
      metadata: {},
    } as const;
    const storeDiff = { created: [], updated: [], deleted: ["m1"] };
    const { components } = await reward({ ...task, records: [record] }, { ...episode, storeDiff });
    expect(components["shownOld"]).toBeGreaterThan(0);
    expect(components["shownOld"]).toBeLessThan(0.1);
    expect(components["shownNew"]).not.toBe(components["shownOld"]);
    await dependencies.close();
  });
});
