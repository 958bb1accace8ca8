import { readingAgentSettingsSchema } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import type { Task } from "@palimpsest/trajectories";
import { readTaggedReply } from "@palimpsest/trajectories/text";
import { describe, expect, it } from "vitest";
import { type LookBackChances, lookBackDemonstrations } from "./look-back-policy.js";

const fillers = [" rain and wind."];
const task: Task = {
  id: "t",
  question: "where is what ben likes from?",
  answers: ["peru"],
  document:
    " tea from peru. dan likes figs. figs from oman. rain and wind. ben likes tea. jazz from oslo. milk from laos. eva likes jazz.",
  metadata: { segments: 4, evidence: " ben likes tea.", secondEvidence: " tea from peru." },
};
const evenly: LookBackChances = {
  answer: 0.3,
  emptyMemory: 0.2,
  nameInMemory: 0.4,
  recalled: 0.5,
  nameInSection: 0.5,
  writeName: 0.5,
  keepName: 0.5,
  keep: 0.5,
  askForName: 0.5,
  ask: 0.2,
  answerRecalled: 0.5,
};
const tags = ["<update>", "</update>", "<recall>", "</recall>"];

function rowsOf(agent: object, chances: Partial<LookBackChances> = {}, count = 400) {
  const tokenizer = wordTokenizer(["<|end|>", ...tags]);
  const rows = lookBackDemonstrations({
    tokenizer,
    agent: readingAgentSettingsSchema.parse(agent),
    tasks: Array.from({ length: count }, () => task),
    seed: 5,
    chances: { ...evenly, ...chances },
    fillers,
  });
  return rows.map((row) => {
    const start = row.lossMask.indexOf(1);
    return {
      ...row,
      prompt: tokenizer.decode(row.tokenIds.slice(0, start)),
      reply: tokenizer.decode(row.tokenIds.slice(start)),
    };
  });
}
const reMemR1 = { kind: "rememr1", preset: "tiny" };
const memAgent = { preset: "tiny", settings: { chunkTokens: 8 } };
const field = (prompt: string, name: string) => new RegExp(`\n${name}:(.*)\n`).exec(prompt)?.[1];

describe("lookBackDemonstrations", () => {
  it("writes one fact that stands in the prompt and asks for its thing, never for a sentence that states nothing", () => {
    const rows = rowsOf(reMemR1).filter(({ kind }) => kind === "memory");
    expect(rows.length).toBeGreaterThan(200);
    const queries = new Set<string>();
    for (const { prompt, reply } of rows) {
      const { update, updates, recall } = readTaggedReply(reply);
      expect(updates).toBe(1);
      expect(`${field(prompt, "memory")}${field(prompt, "section")}`).toContain(update?.text);
      expect(fillers).not.toContain(update?.text);
      if (recall) queries.add(recall.text);
      if (recall) expect(update?.text.split(/(?= )|\./)).toContain(recall.text);
    }
    expect([...queries].sort()).toEqual([" figs", " jazz", " milk", " tea"]);
  });

  it("answers with the last word of what was recalled or of the memory", () => {
    const rows = rowsOf(reMemR1).filter(({ kind }) => kind === "final");
    for (const { prompt, reply, helpful } of rows) {
      const word = /\{(\w+)\}/.exec(reply)?.[1] as string;
      expect(
        [field(prompt, "recalled"), field(prompt, "memory")].some((text) => text?.includes(` ${word}`)),
      ).toBe(true);
      expect(helpful).toBe(word === "peru");
    }
    expect(new Set(rows.map(({ helpful }) => helpful)).size).toBe(2);
  });

  it("follows its chances", () => {
    const sure = rowsOf(reMemR1, { answer: 0, emptyMemory: 0, nameInMemory: 1, keepName: 1, askForName: 1 });
    for (const { reply } of sure)
      expect(reply).toBe("<update> ben likes tea.</update><recall> tea</recall><|end|>");
    const never = rowsOf(reMemR1, { answer: 0, ask: 0, askForName: 0 });
    expect(never.some(({ reply }) => reply.includes("<recall>"))).toBe(false);
  });

  it("gives MemAgent the same facts to write, without what it cannot see or do", () => {
    const [ours, theirs] = [rowsOf(reMemR1), rowsOf(memAgent)];
    expect(theirs.map(({ kind }) => kind)).toEqual(ours.map(({ kind }) => kind));
    theirs.forEach(({ kind, prompt, reply }, i) => {
      expect(prompt).not.toContain("recalled");
      if (kind === "memory")
        expect(reply).toBe(`${readTaggedReply(ours[i]?.reply ?? "").update?.text}<|end|>`);
      else expect(field(prompt, "memory")).toContain(/\{(\w+)\}/.exec(reply)?.[1]);
    });
  });
});
