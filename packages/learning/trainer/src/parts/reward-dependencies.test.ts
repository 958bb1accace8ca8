import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { initParameters, saveModel, trainBpe } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { type RewardConfigInput, rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { afterEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { rewardDependencies } from "./reward-dependencies.js";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
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

/** A server with /v1/embeddings, to which boats and ships are one thing and all else another. */
async function embeddingServer() {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => {
      const { input } = JSON.parse(body) as { input: string[] };
      texts.push(...input);
      const vectorOf = (text: string) => (/boat|ship/.test(text) ? [1, 0] : [0, 1]);
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, texts };
}

async function open(
  settings: RewardConfigInput,
  environment: Readonly<Record<string, string | undefined>> = {},
) {
  const config = rewardConfigSchema.parse(settings);
  const dependencies = await rewardDependencies(config, environment);
  return { dependencies, reward: trajectoryReward(config, dependencies) };
}

const task = { id: "t", question: "Where?", answers: ["Oslo"], document: "", metadata: {} };
const episode = { answer: "in Oslo", conversations: [], memorySteps: [] };

describe("rewardDependencies", () => {
  it("lets a judge behind a server be asked, with the key of the environment, tried again where it fails", async () => {
    const { url, keys } = await judgingServer();
    const endpoint = { url, model: "judge", tokenEnv: "JUDGE_KEY" };
    const { dependencies, reward } = await open({ name: "llm-judge", endpoint }, { JUDGE_KEY: "k3y" });
    expect(await reward(task, episode)).toEqual({ reward: 1, components: { correct: 1, boxed: 0 } });
    expect(keys).toEqual(["Bearer k3y", "Bearer k3y"]);
    await dependencies.close();
    await dependencies.close();
  });

  it("names a key that is not there, and not the key", async () => {
    const endpoint = { url: "http://127.0.0.1:1", tokenEnv: "JUDGE_KEY" };
    const { dependencies, reward } = await open({ name: "llm-judge", endpoint }, { OTHER: "k3y" });
    await expect(reward(task, episode)).rejects.toThrow(/JUDGE_KEY/);
    await dependencies.close();
  });

  it("reads with a model of a folder that is not trained", async () => {
    const folder = testFolder();
    const tokenizer = trainBpe(["Memories: Ann lives in Oslo. Question: Where?"], {
      vocabSize: 300,
      specialTokens: ["<|im_end|>"],
      alphabet: "bytes",
    });
    const config = smallConfig({
      architecture: "qwen3",
      vocabSize: 300,
      layers: 1,
      intermediateSize: 32,
      tieWordEmbeddings: true,
      maxPositions: 512,
    });
    await saveModel(folder, { config, parameters: initParameters(config, 1), tokenizer });
    const { dependencies, reward } = await open({
      name: "memupdate",
      score: { by: "reader", reader: { path: folder } },
    });
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

  it("searches stores with the vectors of a server, for every reward that searches", async () => {
    const { url, texts } = await embeddingServer();
    const embedder = { kind: "endpoint", url, model: "e", dimensions: 2 } as const;
    const aRecord = (id: string, content: string) =>
      ({ id, content, memoryType: "episodic", provenance: [], metadata: {} }) as const;
    const asked = {
      ...task,
      question: "Who owns a boat?",
      answers: ["Ann"],
      records: [aRecord("m1", "Ben likes rice"), aRecord("m2", "Ann has two ships")],
      probes: [{ question: "Who owns a boat?", answers: ["Ann"], heldOut: false }],
    };
    const forgot = { ...episode, storeDiff: { created: [], updated: [], deleted: ["m2"] } };
    const search = { denseWeight: 1, embedder } as const;
    for (const settings of [
      { name: "memupdate", retrievedTokens: 5, ...search },
      { name: "store-probes", found: { by: "search", topK: 1, ...search } },
    ] as const) {
      const { dependencies, reward } = await open(settings);
      const before = texts.length;
      const { components } = await reward(asked, forgot);
      expect(components).toMatchObject(
        settings.name === "memupdate" ? { shownOld: 1, shownNew: 0 } : { shown: 0, gain: -1 },
      );
      expect(texts.slice(before)).toEqual(expect.arrayContaining(["Who owns a boat?"]));
      await dependencies.close();
    }
  });
});
