import { memAgentConfig } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { memAgentTwoHopDemonstrations, type TwoHopPolicyChances } from "./two-hop-policy.js";

const likes = " anna likes tea.";
const origin = " tea from peru.";
const task: Task = {
  id: "two-hop",
  question: "where is what anna likes from?",
  answers: ["peru"],
  document: ` ben likes milk. rain and wind. figs from mali.${likes}${origin} eva likes jazz. rice from oman.`,
  metadata: { evidence: likes, secondEvidence: origin },
};
const never: TwoHopPolicyChances = {
  answer: 0,
  emptyMemory: 0,
  oneFact: 0,
  ownFact: 0,
  nextInSection: 0,
  keepBesideNext: 0,
  takeNext: 0,
  keep: 0,
};

function rows(chances: Partial<TwoHopPolicyChances>, count = 60) {
  const tokenizer = wordTokenizer();
  const config = memAgentConfig("tiny", { chunkTokens: 12 });
  const options = {
    tokenizer,
    config,
    tasks: Array<Task>(count).fill(task),
    seed: 1,
    fillers: [" rain and wind."],
    chances: { ...never, ...chances },
  };
  return memAgentTwoHopDemonstrations(options).map(({ kind, tokenIds, lossMask, helpful }) => {
    const at = lossMask.indexOf(1);
    const prompt = tokenizer.decode(tokenIds.slice(0, at));
    const memory = /\nmemory:(.*)\n/.exec(prompt)?.[1] ?? "";
    const section = /\nsection:(.*)\n/.exec(prompt)?.[1] ?? "";
    const target = tokenizer.decode(tokenIds.slice(at)).replace("<|end|>", "");
    return { kind, memory, section, target, helpful };
  });
}

describe("memAgentTwoHopDemonstrations", () => {
  it("begin a chain with its first fact where the section holds it", () => {
    for (const row of rows({ emptyMemory: 1, nextInSection: 1, takeNext: 1 })) {
      expect(row).toMatchObject({ memory: " none", target: likes, helpful: true });
      expect(row.section).toContain(likes);
      expect(row.section).not.toContain(origin);
    }
  });

  it("add the second fact behind the first", () => {
    for (const row of rows({ oneFact: 1, ownFact: 1, nextInSection: 1, takeNext: 1 }))
      expect(row).toMatchObject({ memory: likes, target: `${likes}${origin}`, helpful: true });
  });

  it("take other facts by chance: behind one fact, in place of two, never a filler", () => {
    const one = new Set(rows({ oneFact: 1, ownFact: 1 }).map((row) => row.target));
    expect(one).toEqual(new Set([`${likes} ben likes milk.`, `${likes} figs from mali.`]));
    const two = rows({ ownFact: 1 });
    expect(new Set(two.map((row) => row.target))).toEqual(new Set([" ben likes milk.", " figs from mali."]));
    expect(two.every((row) => row.memory === `${likes}${origin}` && !row.helpful)).toBe(true);
  });

  it("keep the memory by its chances, whatever it holds", () => {
    for (const row of rows({ oneFact: 0.5, ownFact: 0.5, keep: 1 })) expect(row.target).toBe(row.memory);
    const beside = rows({ oneFact: 1, ownFact: 1, nextInSection: 1, keepBesideNext: 1 });
    expect(beside.every((row) => row.target === likes && !row.helpful)).toBe(true);
  });

  it("read the memory's last word back as the answer", () => {
    for (const row of rows({ answer: 1, oneFact: 0.5, ownFact: 0.7 })) {
      const word = /(\w+)\.?$/.exec(row.memory)?.[1];
      expect(row).toMatchObject({ kind: "final", target: ` \\boxed{${word}}`, helpful: word === "peru" });
    }
  });
});
