import { describe, expect, it } from "vitest";
import { agentSettingsSchema, createAgent, readingAgentSettingsSchema } from "./agent-settings.js";
import { scriptedSampler, wordTokenizer } from "./testing.js";

describe("agent settings", () => {
  const tokenizer = wordTokenizer();
  const model = { tokenizer, sampler: scriptedSampler({ tokenizer, reply: () => "x" }) };

  it.each(["memagent", "rememr1", "memupdate"])("make the agent of kind %s from its preset tiny", (kind) => {
    const settings = agentSettingsSchema.parse({ kind, preset: "tiny" });
    expect(createAgent(settings, model).name).toBe(kind);
  });

  it("replace a preset's values by name, and refuse names and values that are none", () => {
    const parse = (settings: object) =>
      agentSettingsSchema.safeParse({ kind: "memupdate", preset: "memupdate", settings });
    expect(parse({ maxTurns: 4 }).data?.config).toMatchObject({ maxTurns: 4, doneWord: "DONE" });
    expect(parse({ maxTurn: 4 }).error?.message).toContain("maxTurn");
    expect(parse({ tools: ["forget"] }).error?.message).toContain("search_memory");
    expect(agentSettingsSchema.safeParse({ kind: "memupdate", preset: "memagent" }).success).toBe(false);
  });

  it("hold in every preset the numbers of what it is named after", () => {
    const preset = (kind: string, name: string) =>
      agentSettingsSchema.parse({ kind, preset: name }).config as Readonly<Record<string, unknown>>;
    const reading = {
      chunkTokens: 5000,
      overflow: "error",
      temperature: 1,
      topP: 1,
      thinkingEnd: "</think>",
    };
    const official = {
      ...reading,
      memoryTokens: 1024,
      finalTokens: 1024,
      initialMemory: "No previous memory",
    };
    expect(preset("memagent", "memagent")).toMatchObject(official);
    expect(preset("memagent", "memagent")).not.toHaveProperty("maxChunks");
    const vime = { ...official, chunkTokens: 2048, finalTokens: 256 };
    expect(preset("memagent", "memagent-vime")).toMatchObject(vime);
    const paper = { ...reading, memoryTokens: 2048, finalTokens: 2048, initialMemory: "No previous memory" };
    expect(preset("rememr1", "rememr1")).toMatchObject({
      ...paper,
      memoryOf: "update",
      recall: true,
      similarityFloor: 0.02,
      updateTag: "update",
      recallTag: "recall",
      nothingRecalled: "No memory was recalled.",
    });
    expect(preset("rememr1", "rememr1")).not.toHaveProperty("maxChunks");
    const released = { ...paper, maxChunks: 8, overflow: "middle", topP: 0.999 };
    expect(preset("rememr1", "rememr1-released")).toMatchObject({
      ...released,
      memoryOf: "reply",
      recall: true,
      similarityFloor: null,
    });
    const tools = ["search_memory", "manage_memory", "delete_memory", "sample_memory", "merge_memory"];
    expect(preset("memupdate", "memupdate")).toMatchObject({
      tools: [...tools, "split_memory"],
      maxTurns: 30,
      callsInLastTurn: true,
      maxCallsPerTurn: 8,
      callForm: "hermes",
      malformed: "answer",
      doneWord: "DONE",
      thinkingEnd: "</think>",
    });
    expect(preset("memupdate", "memupdate-released")).toMatchObject({
      tools: ["search_memory", "manage_memory", "sample_memory"],
      maxTurns: 2,
      callsInLastTurn: false,
      maxCallsPerTurn: 1,
      turnTokens: 2048,
      episodeTokens: 2048,
      resultCharacters: 256,
      resultCut: "middle",
      malformed: "ignore",
    });
  });

  it("of agents that read refuse the one that reads nothing", () => {
    expect(readingAgentSettingsSchema.parse({ preset: "tiny" }).kind).toBe("memagent");
    const refused = readingAgentSettingsSchema.safeParse({ kind: "memupdate", preset: "tiny" });
    expect(refused.error?.message).toContain("memupdate does not read a document");
  });
});
