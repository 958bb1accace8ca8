import type { Agent, EpisodeResult } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import type { MemoryRecord } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { anItem } from "../suite/testing.js";
import { agentSystem } from "./agent-system.js";
import { createReader } from "./reader.js";
import { readerConfigSchema } from "./reader-config.js";
import { storeSystem } from "./store-system.js";

const options = { signal: new AbortController().signal, seed: 7 };
const record = (id: string, content: string, provenance: string[] = []): MemoryRecord => ({
  id,
  content,
  memoryType: "episodic",
  provenance,
  metadata: {},
});

function anEpisode(overrides: Partial<EpisodeResult> = {}): EpisodeResult {
  return {
    answer: "\\boxed{tea}",
    memory: "Ada likes tea",
    steps: [],
    conversations: [],
    counts: { conversations: 3, promptTokens: 30, sampledTokens: 9, truncated: 1, emptyUpdates: 2 },
    documentTokens: 20,
    droppedDocumentTokens: 4,
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "",
    startedAtMs: 0,
    endedAtMs: 1,
    ...overrides,
  };
}

function scriptedAgent(result: EpisodeResult) {
  const calls: Parameters<Agent["run"]>[] = [];
  const agent: Agent = {
    name: "scripted",
    run: (...call) => {
      calls.push(call);
      return Promise.resolve(result);
    },
  };
  return { agent, calls };
}

describe("agentSystem", () => {
  it("gives the agent document, records and seed, and takes over what it counted", async () => {
    const { agent, calls } = scriptedAgent(anEpisode({ counters: { recalls: 2 } }));
    const system = agentSystem({ name: "a", agent, settings: {}, model: "m", temperature: 0 });
    const records = [record("m1", "x")];
    const item = anItem(1, {
      document: { fingerprint: "f", open: () => ["lazy ", "document"] },
      records,
    });
    const prediction = await system.answer(item, options);
    const [task, asked] = calls[0] ?? [];
    expect(task).toMatchObject({ question: item.question, document: ["lazy ", "document"], records });
    expect(asked).toMatchObject({ seed: 7, temperature: 0, record: "none" });
    expect(prediction).toEqual({
      text: "\\boxed{tea}",
      counts: { conversations: 3, promptTokens: 30, sampledTokens: 9, truncated: 1 },
      documentTokens: 20,
      droppedDocumentTokens: 4,
      measures: { emptyUpdates: 2, recalls: 2 },
    });
  });
});

describe("storeSystem", () => {
  const records = [record("m1", "Ada likes coffee.", ["D1:1"]), record("m2", "Bo likes chess.", ["D1:2"])];
  const storeDiff = {
    created: [record("m3", "Ada moved to Varn.", ["D2:1"])],
    updated: [record("m1", "Ada likes tea.", ["D1:1"])],
    deleted: ["m2"],
  };

  function reading() {
    const tokenizer = wordTokenizer();
    const prompts: string[] = [];
    const sampler = scriptedSampler({
      tokenizer,
      reply: (prompt) => {
        prompts.push(prompt);
        return " tea";
      },
    });
    const config = readerConfigSchema.parse({
      prompt: "text",
      stopTokens: ["<|end|>"],
      documentPrompt: "text:{document} question: {question}",
      closedPrompt: "{question}",
      answerTokens: 4,
      contextTokens: 200,
    });
    return { prompts, reader: createReader({ sampler, tokenizer }, config) };
  }

  it("answers with the baselines' reader from the store that the agent left", async () => {
    const { prompts, reader } = reading();
    const { agent, calls } = scriptedAgent(anEpisode({ storeDiff, counters: { done_calls: 2 } }));
    const system = storeSystem({
      name: "memupdate",
      agent,
      settings: {},
      model: "m",
      reader,
      retrieval: { by: "bm25" },
      temperature: 0,
      topP: 1,
    });
    const asked = { question: "What does Ada like, tea? Be short.", searchQuery: "What does Ada like, tea?" };
    const item = anItem(1, { ...asked, records, evidence: ["D1:1"] });
    const prediction = await system.answer(item, options);
    // The editor is told what is asked, and the reader also how to answer.
    expect(calls[0]?.[0].question).toBe("What does Ada like, tea?");
    expect(prompts[0]).toContain("question: What does Ada like, tea? Be short.");
    expect(prompts[0]).toContain("Ada likes tea.");
    expect(prompts[0]).not.toContain("coffee");
    expect(prompts[0]).not.toContain("Bo likes");
    expect(prediction.counts.conversations).toBe(4);
    expect(prediction.measures).toMatchObject({
      "recall@8": 1,
      done_calls: 2,
      "episodes.with_done_call": 1,
      "episodes.with_change": 1,
      "records.created": 1,
      "records.updated": 1,
      "records.deleted": 1,
      initial_memory_tokens: 8,
      final_memory_tokens: 9,
    });
  });

  it("says what is missing where an item has no store", async () => {
    const { reader } = reading();
    const { agent } = scriptedAgent(anEpisode());
    const retrieval = { by: "bm25" } as const;
    const system = storeSystem({
      name: "memupdate",
      agent,
      settings: {},
      model: "m",
      reader,
      retrieval,
      temperature: 0,
      topP: 1,
    });
    await expect(system.answer(anItem(1), options)).rejects.toThrow(/has no records/);
  });
});
