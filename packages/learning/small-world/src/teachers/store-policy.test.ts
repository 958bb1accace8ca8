import { memUpdateConfig } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import type { Task } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { type StorePolicyChances, storeDemonstrations } from "./store-policy.js";

const record = (id: string, content: string) =>
  ({ id, content, memoryType: "semantic", provenance: [], metadata: {} }) as const;
const changed: Task = {
  id: "changed",
  question: " dan likes tea.",
  answers: ["tea"],
  document: "",
  metadata: {},
  records: [record("a", "eva likes milk."), record("b", "dan likes rice.")],
};
const stale: Task = { ...changed, records: [record("a", "dan likes tea."), record("b", "dan likes rice.")] };
const unknown: Task = { ...changed, records: [record("a", "eva likes milk.")] };

const always: StorePolicyChances = { search: 1, searchOther: 0, createUnseen: 0, right: 1, stop: 1 };

/** Trained segments of each row, and all of it. */
async function rows(task: Task, chances: Partial<StorePolicyChances> = {}, count = 1) {
  const tokenizer = wordTokenizer();
  const config = memUpdateConfig("tiny", { userPrompt: "new:{question}\ndo:", episodeTokens: 200 });
  const made = await storeDemonstrations({
    tokenizer,
    config,
    tasks: Array<Task>(count).fill(task),
    seed: 1,
    chances: { ...always, ...chances },
  });
  return made.map(({ tokenIds, lossMask, helpful }) => {
    expect(lossMask).toHaveLength(tokenIds.length);
    const trained = tokenizer.decode(tokenIds.filter((_, i) => lossMask[i] === 1));
    return { calls: trained.split("<|end|>").slice(0, -1), whole: tokenizer.decode(tokenIds), helpful };
  });
}

describe("storeDemonstrations", () => {
  it("show what each store needs, where chances are for it", async () => {
    const calls = async (task: Task) => (await rows(task))[0]?.calls;
    expect(await calls(changed)).toEqual([" search dan", " update b dan likes tea.", " done"]);
    expect(await calls(stale)).toEqual([" search dan", " delete b", " done"]);
    expect(await calls(unknown)).toEqual([" search dan", " create dan likes tea.", " done"]);
  });

  it("hold what the tools said, untrained, as the agent meets it", async () => {
    const [row] = await rows(changed);
    expect(row?.whole).toMatch(/^new: dan likes tea\.\ndo: search dan<\|end\|>\nb dan likes rice\./);
    expect(row?.whole).toContain("update b dan likes tea.<|end|>\nb\ndo: done<|end|>");
    expect(row?.helpful).toBe(true);
  });

  it("begin without looking, and call anything else, by their chances", async () => {
    const first = (await rows(changed, { search: 0, searchOther: 0.5, createUnseen: 0.3 }, 200)).map(
      ({ calls }) => calls[0] as string,
    );
    const share = (line: RegExp) => first.filter((call) => line.test(call)).length / first.length;
    expect(share(/^ search (eva|dan)$/)).toBeCloseTo(0.5, 0.9);
    expect(share(/^ create dan likes tea\.$/)).toBeCloseTo(0.3, 0.9);
    const wrong = await rows(changed, { right: 0 }, 60);
    expect(wrong.every(({ calls, helpful }) => calls[1] !== " update b dan likes tea." && !helpful)).toBe(
      true,
    );
    expect(new Set(wrong.map(({ calls }) => calls[1]))).toContain(" done");
  });

  it("are of lines and compact results", async () => {
    const config = memUpdateConfig("memupdate");
    const options = { tokenizer: wordTokenizer(), config, tasks: [changed], seed: 1, chances: always };
    await expect(storeDemonstrations(options)).rejects.toThrow("callForm is hermes");
  });
});
