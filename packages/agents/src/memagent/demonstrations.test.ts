import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { wordTokenizer } from "../testing.js";
import { type DemonstrationOptions, memAgentDemonstrations } from "./demonstrations.js";
import { memAgentConfig } from "./presets.js";

const needle: Task = {
  id: "needle",
  question: "what does anna like?",
  answers: ["tea"],
  document:
    " ben likes milk. cora likes rice. anna likes tea. dan likes figs. eva likes jazz. gus likes wine.",
  metadata: { evidence: " anna likes tea." },
};
const twoHop: Task = {
  id: "two-hop",
  question: "where is what anna likes from?",
  answers: ["peru"],
  document: " ben likes milk. anna likes tea. rice from oman. tea from peru. eva likes jazz. figs from chad.",
  metadata: { evidence: " anna likes tea.", secondEvidence: " tea from peru." },
};

function rows(task: Task, options: Partial<DemonstrationOptions> = {}) {
  const tokenizer = wordTokenizer();
  const config = memAgentConfig("tiny", { chunkTokens: 8, memoryTokens: 9 });
  const demonstrations = memAgentDemonstrations({ tokenizer, config, tasks: [task], seed: 0, ...options });
  return demonstrations.map(({ kind, tokenIds, lossMask, helpful }) => {
    const at = lossMask.indexOf(1);
    expect(lossMask).toHaveLength(tokenIds.length);
    expect(lossMask.slice(at).every((mask) => mask === 1)).toBe(true);
    return {
      kind,
      prompt: tokenizer.decode(tokenIds.slice(0, at)),
      target: tokenizer.decode(tokenIds.slice(at)),
      helpful,
    };
  });
}

describe("memAgentDemonstrations", () => {
  it("show for every chunk the agent's own prompt and the memory that a reader would write", () => {
    const found = rows(needle);
    expect(found.map((row) => [row.kind, row.target])).toEqual([
      ["memory", " none<|end|>"],
      ["memory", " anna likes tea.<|end|>"],
      ["memory", " anna likes tea.<|end|>"],
      ["final", " \\boxed{tea}<|end|>"],
    ]);
    expect(found[1]?.prompt).toBe(
      "question: what does anna like?\nmemory: none\nsection: anna likes tea. dan likes figs.\nnew memory:",
    );
    expect(found[3]?.prompt).toBe("question: what does anna like?\nmemory: anna likes tea.\nanswer:");
  });

  it("replace the first fact of a chain by the second, or keep both where asked", () => {
    expect(rows(twoHop).map((row) => row.target)).toEqual([
      " anna likes tea.<|end|>",
      " tea from peru.<|end|>",
      " tea from peru.<|end|>",
      " \\boxed{peru}<|end|>",
    ]);
    expect(rows(twoHop, { keep: "all" })[2]?.target).toBe(" anna likes tea. tea from peru.<|end|>");
  });

  it("note no origin that stood before the fact about the name", () => {
    const document = " ben likes milk. tea from peru. rice from oman. anna likes tea.";
    expect(rows({ ...twoHop, document }).map((row) => row.target)).toEqual([
      " none<|end|>",
      " anna likes tea.<|end|>",
      " \\boxed{tea}<|end|>",
    ]);
  });

  it("write another sentence of the section in the wanted share of updates", () => {
    const tokenizer = wordTokenizer();
    const config = memAgentConfig("tiny", { chunkTokens: 8 });
    const tasks = Array.from({ length: 500 }, () => needle);
    const wrong = memAgentDemonstrations({ tokenizer, config, tasks, seed: 1, wrongFraction: 0.5 })
      .filter((row) => row.kind === "memory")
      .filter((row) => !row.helpful);
    expect(wrong.length).toBeGreaterThan(680);
    expect(wrong.length).toBeLessThan(820);
    for (const row of wrong) {
      const at = row.lossMask.indexOf(1);
      const target = tokenizer.decode(row.tokenIds.slice(at, -1));
      expect(target).not.toBe(" anna likes tea.");
      expect(tokenizer.decode(row.tokenIds.slice(0, at))).toContain(target);
    }
  });

  it("read the answer back from a wrong memory as it stands there", () => {
    const finals = Array.from({ length: 20 }, (_, seed) =>
      rows(needle, { seed, wrongMemoryFraction: 1 }).at(-1),
    );
    for (const row of finals) {
      const value = / likes (\w+)\.\nanswer:$/.exec(row?.prompt ?? "")?.[1];
      expect(value).not.toBe("tea");
      expect(row?.target).toBe(` \\boxed{${value}}<|end|>`);
    }
    const kept = rows(needle, { wrongMemoryFraction: 1 })[2];
    expect(kept?.prompt).toContain(`memory:${kept?.target.replace("<|end|>", "")}\n`);
  });

  it("never take the rest of a sentence that the section before began for a sentence", () => {
    const tokenizer = wordTokenizer();
    const config = memAgentConfig("tiny", { chunkTokens: 6 });
    const tasks = Array.from({ length: 40 }, () => needle);
    const wrong = memAgentDemonstrations({ tokenizer, config, tasks, seed: 1, wrongFraction: 1 }).filter(
      (row) => !row.helpful,
    );
    expect(wrong.length).toBeGreaterThan(40);
    for (const row of wrong) {
      const target = tokenizer.decode(row.tokenIds.slice(row.lossMask.indexOf(1), -1));
      expect(target).toMatch(/^ \w+ likes \w+\.$/);
    }
  });

  it("are the same for the same seed and another for another", () => {
    const options = { wrongFraction: 0.5, wrongMemoryFraction: 0.5 };
    expect(rows(needle, { ...options, seed: 3 })).toEqual(rows(needle, { ...options, seed: 3 }));
    const different = new Set(
      Array.from({ length: 10 }, (_, seed) => JSON.stringify(rows(needle, { ...options, seed }))),
    );
    expect(different.size).toBeGreaterThan(3);
  });

  it("name the task or the limit that stands in the way", () => {
    const config = memAgentConfig("tiny", { memoryTokens: 4 });
    expect(() => rows(needle, { config })).toThrow("memoryTokens: 4 cannot hold");
    expect(() => rows({ ...needle, metadata: {} })).toThrow('"needle" has no evidence');
    expect(() => rows({ ...needle, document: " ben likes milk." })).toThrow("does not hold its evidence");
  });
});
