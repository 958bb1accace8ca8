import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agentSettingsSchema, createAgent } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { loadBackend } from "@palimpsest/jit";
import { initParameters, saveModel, trainBpe } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { agentEmbedder, openEmbedder } from "./open-embedder.js";

const settings = (embedder?: object) =>
  agentSettingsSchema.parse({
    kind: "memupdate",
    preset: "tiny",
    ...(embedder ? { settings: { embedder } } : {}),
  });
const record = {
  id: "r1",
  content: "the cat sat",
  memoryType: "episodic",
  provenance: [],
  metadata: {},
} as const;

/** What the agent of these settings reads when its model searches. */
async function searched(embedder: object): Promise<string | undefined> {
  const opened = await openEmbedder(agentEmbedder(settings(embedder)), {
    environment: { EMBED_KEY: "k3y" },
    backend: await loadBackend({ prefer: "cpu" }),
  });
  const tokenizer = wordTokenizer();
  const sampler = scriptedSampler({ tokenizer, reply: () => "search cat" });
  const made = opened.embedder === undefined ? {} : { embedder: opened.embedder };
  const agent = createAgent(settings(embedder), { sampler, tokenizer, ...made });
  const { steps } = await agent.run({ question: "who sat?", document: "", records: [record] });
  await opened.close();
  return steps[0]?.recalled;
}

test("an agent's store is searched with the vectors of a server", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"data":[{"index":0,"embedding":[1,2]}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const found = await searched({ kind: "endpoint", url, model: "e", dimensions: 2, tokenEnv: "EMBED_KEY" });
    expect(found).toBe("r1 the cat sat");
    expect(new Set(asked)).toEqual(new Set(["/v1/embeddings Bearer k3y"]));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("an agent's store is searched with the vectors of a model in the process", async () => {
  const folder = testFolder();
  const tokenizer = trainBpe(["the cat sat on the mat"], {
    vocabSize: 270,
    specialTokens: ["<|im_end|>"],
    alphabet: "bytes",
  });
  const config = smallConfig({
    architecture: "qwen3",
    vocabSize: 270,
    layers: 1,
    intermediateSize: 32,
    maxPositions: 32,
    tieWordEmbeddings: true,
  });
  await saveModel(folder, { config, parameters: initParameters(config, 1), tokenizer });
  expect(await searched({ kind: "model", model: folder })).toBe("r1 the cat sat");
});

test("an agent that needs none, or makes its own, gets none", async () => {
  const environment = {};
  expect((await openEmbedder(agentEmbedder(settings()), { environment })).embedder).toBeUndefined();
  const reader = agentSettingsSchema.parse({ preset: "tiny" });
  expect((await openEmbedder(agentEmbedder(reader), { environment })).embedder).toBeUndefined();
});

test("a server's key that is not in the environment is an error that names it", async () => {
  const config = { kind: "endpoint", url: "http://127.0.0.1:1", model: "e", dimensions: 2 } as const;
  await expect(openEmbedder({ ...config, tokenEnv: "EMBED_KEY" }, { environment: {} })).rejects.toThrow(
    "EMBED_KEY",
  );
});
