import { type MemAgentConfigInput, memAgentConfig } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { memAgentDemonstrations, type PolicyChances } from "./needle-policy.js";

const filler = " rain and wind.";
const task: Task = {
  id: "needle",
  question: "what does anna like?",
  answers: ["tea"],
  document: ` ben likes milk.${filler} cora likes rice. anna likes tea. dan likes figs. eva likes jazz.`,
  metadata: { evidence: " anna likes tea." },
};
const never: PolicyChances = {
  answer: 0,
  emptyMemory: 0,
  rightMemory: 0,
  rightInSection: 0,
  keepBesideRight: 0,
  writeRight: 0,
  keep: 0,
};

function rows(
  chances: Partial<PolicyChances>,
  count = 40,
  tasks: Task[] = Array(count).fill(task),
  settings: MemAgentConfigInput = memAgentConfig("tiny"),
) {
  const tokenizer = wordTokenizer();
  const config = memAgentConfig("tiny", { ...settings, chunkTokens: 12 });
  const options = { tokenizer, config, tasks, seed: 1, fillers: [filler], chances: { ...never, ...chances } };
  return memAgentDemonstrations(options).map(({ kind, tokenIds, lossMask, helpful }) => {
    const at = lossMask.indexOf(1);
    expect(lossMask).toEqual(tokenIds.map((_, i) => (i < at ? 0 : 1)));
    const prompt = tokenizer.decode(tokenIds.slice(0, at));
    const target = tokenizer.decode(tokenIds.slice(at));
    const memory = /\nmemory:(.*)\n/.exec(prompt)?.[1] ?? "";
    const section = /\nsection:(.*)\n/.exec(prompt)?.[1] ?? "";
    return { kind, memory, section, target: target.replace("<|end|>", ""), helpful };
  });
}

describe("memAgentDemonstrations", () => {
  it("say of an agent with gates when its memory is kept, and end the reading by their chances", () => {
    const gated = { ...memAgentConfig("tiny"), gates: { keep: " same", stop: " done" } };
    const of = (chances: Partial<PolicyChances>) => rows(chances, 40, undefined, gated);
    expect(new Set(of({ keep: 1 }).map(({ target }) => target))).toEqual(new Set([" same"]));
    for (const { memory, target } of of({ rightMemory: 0.5, keep: 1, stopRight: 1 }))
      expect(target).toBe(memory === " anna likes tea." ? " same done" : " same");
    for (const { target } of of({ rightInSection: 1, writeRight: 1, stopRight: 1 }))
      expect(target).toBe(" anna likes tea. done");
    for (const { target } of of({ rightMemory: 0.5, stop: 1 }))
      expect(target.endsWith(" done")).toBe(!target.startsWith(" anna"));
  });

  it("give one row a task: a section that fills a chunk, a memory from elsewhere", () => {
    const found = rows({ keep: 1 });
    expect(found).toHaveLength(40);
    for (const row of found) {
      expect(row.section).toBe(` ben likes milk.${filler} cora likes rice.`);
      expect([" dan likes figs.", " eva likes jazz."]).toContain(row.memory);
      expect(row.target).toBe(row.memory);
    }
    expect(new Set(found.map((row) => row.memory)).size).toBe(2);
  });

  it("write another fact of the section where nothing is kept, never a filler", () => {
    const targets = rows({ emptyMemory: 1 }).map((row) => row.target);
    expect(new Set(targets)).toEqual(new Set([" ben likes milk.", " cora likes rice."]));
  });

  it("offer the asked fact at any place of the section and write it by its chance", () => {
    const found = rows({ emptyMemory: 1, rightInSection: 1, writeRight: 0.5 }, 400);
    for (const row of found) expect(row.section).toContain(" anna likes tea.");
    expect(new Set(found.map((row) => row.section.indexOf(" anna"))).size).toBe(3);
    const right = found.filter((row) => row.target === " anna likes tea.");
    expect(right.length).toBeGreaterThan(160);
    expect(right.length).toBeLessThan(260);
    expect(found.filter((row) => row.helpful)).toEqual(right);
    expect(rows({ emptyMemory: 1, rightInSection: 1, keepBesideRight: 1 })[0]?.target).toBe(" none");
  });

  it("do not offer it where the memory holds it already", () => {
    for (const row of rows({ rightMemory: 1, rightInSection: 1, keep: 1 })) {
      expect(row).toMatchObject({ memory: " anna likes tea.", target: " anna likes tea.", helpful: true });
      expect(row.section).not.toContain("anna");
    }
  });

  it("read the answer back from the memory, whatever it holds", () => {
    for (const row of rows({ answer: 1, emptyMemory: 0.3, rightMemory: 0.3 }, 100)) {
      const word = /(\w+)\.?$/.exec(row.memory)?.[1];
      expect(row).toMatchObject({ kind: "final", target: ` \\boxed{${word}}`, helpful: word === "tea" });
    }
    expect(rows({ answer: 1, emptyMemory: 1 })[0]?.target).toBe(" \\boxed{none}");
  });

  it("name the task whose sentences do not fill a chunk", () => {
    const short = { ...task, document: " anna likes tea. ben likes milk." };
    expect(() => rows({}, 1, [short])).toThrow('"needle" has 1 sentences besides its evidence');
  });
});
