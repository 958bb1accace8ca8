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

  it("of agents that read refuse the one that reads nothing", () => {
    expect(readingAgentSettingsSchema.parse({ preset: "tiny" }).kind).toBe("memagent");
    const refused = readingAgentSettingsSchema.safeParse({ kind: "memupdate", preset: "tiny" });
    expect(refused.error?.message).toContain("memupdate reads no document");
  });
});
