import { memAgentConfig } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import { describe, expect, it } from "vitest";
import { type WorldPolicyChances, worldDemonstrations, worldVocabulary } from "./world-policy.js";

const sentences = { min: 28, max: 32 };

async function rows(
  chances: Partial<WorldPolicyChances>,
  worlds = ["trade", "carry"],
  seed = 1,
  chunkEnds: "sentence" | "every-sentence" = "sentence",
) {
  const tokenizer = wordTokenizer();
  const config = memAgentConfig("tiny", { chunkTokens: 40, chunkEnds });
  const made = await worldDemonstrations({
    ...{ tokenizer, config, count: 60, seed, reading: { worlds, sentences } },
    chances: { answer: 0, changes: 0, follow: 1, ...chances },
  });
  return made.map(({ kind, tokenIds, lossMask, helpful }) => {
    const at = lossMask.indexOf(1);
    const prompt = tokenizer.decode(tokenIds.slice(0, at));
    const target = tokenizer.decode(tokenIds.slice(at)).replace("<|end|>", "");
    const [, memory = "", section = ""] = /\nmemory:(.*)\n(?:section:(.*)\n)?/.exec(prompt) ?? [];
    return { kind, memory, section, target, helpful };
  });
}

describe("worldDemonstrations", () => {
  it("answer with the last word of the memory", async () => {
    for (const { kind, memory, target } of await rows({ answer: 1 })) {
      expect(kind).toBe("final");
      expect(target).toBe(` \\boxed{${memory.split(" ").at(-1)}}`);
    }
  });

  it("remember what follows from a section, by its words alone", async () => {
    const made = await rows({ changes: 1 });
    expect(made.every(({ helpful }) => helpful)).toBe(true);
    expect(made.filter(({ memory, target }) => memory !== target).length).toBeGreaterThan(50);
    for (const { memory, section, target } of made)
      for (const word of target.trim().split(" "))
        expect(`${memory}${section}`.split(/[^\p{L}]+/u), `${memory} | ${section}`).toContain(word);
    // Otherwise nothing happens that matters.
    const kept = (await rows({})).filter(({ memory, target }) => memory === target);
    expect(kept.length).toBeGreaterThan(40);
  });

  it("stray by their chances, are those of their seed, and refuse worlds that need more than a few words", async () => {
    const strayed = await rows({ changes: 1, follow: 0 });
    expect(strayed.some(({ helpful }) => helpful)).toBe(false);
    expect(strayed.filter(({ memory, target }) => memory === target).length).toBeGreaterThan(50);
    expect(await rows({})).toEqual(await rows({}));
    expect(await rows({})).not.toEqual(await rows({}, ["trade", "carry"], 2));
    await expect(rows({}, ["count"])).rejects.toThrow(/worlds: "count" has no note.*use trade or carry/);
  });

  it("read what is rare as often as what is frequent", async () => {
    // Three quarters of the sentences are bait, of which there would be about fifty.
    const kept = await rows({}, ["trade"], 1, "every-sentence");
    const bait = kept.filter(({ section }) => /about|like to|song|dreams|mind/.test(section));
    expect(kept).toHaveLength(60);
    expect(bait.length).toBeGreaterThan(5);
    expect(bait.length).toBeLessThan(30);
  });

  it("have the words of texts for training", () => {
    const words = new Set(
      worldVocabulary({ worlds: ["trade", "carry"] }).flatMap((text) => text.match(/\w+/g) ?? []),
    );
    for (const word of ["ada", "kitchen", "swap", "hands", "which"]) expect(words).toContain(word);
    for (const word of ["amir", "porch", "yara", "quill", "museum"]) expect(words).not.toContain(word);
  });
});
