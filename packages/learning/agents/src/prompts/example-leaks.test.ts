import { describe, expect, it } from "vitest";
import { memAgent } from "../memagent/memagent.js";
import { memAgentConfig } from "../memagent/presets.js";
import { rememr1Config } from "../rememr1/presets.js";
import { rememr1 } from "../rememr1/rememr1.js";
import { scriptedSampler, wordTokenizer } from "../testing.js";
import { ExampleLeaks, exampleNames, leakedNames } from "./example-leaks.js";

const { memoryExamples } = memAgentConfig("small");

describe("names of examples", () => {
  it("are those within sentences that are never written small", () => {
    const names = exampleNames(memoryExamples);
    for (const name of ["Ada", "Holm", "Varn", "Lund", "Kai", "Berg"]) expect(names).toContain(name);
    for (const word of ["The", "Barn", "Question", "Notes", "Copy", "Chess"])
      expect(names).not.toContain(word);
  });

  it("have leaked where the reply has them from nowhere else", () => {
    const names = exampleNames(memoryExamples);
    expect(leakedNames("Eve was born in Varn, by Holm.", ["Who is Eve?", "Holm was a town."], names)).toEqual(
      ["Varn"],
    );
    expect(leakedNames("Eve was born in Oslo.", [], names)).toEqual([]);
  });

  it("LEAKS-2: change nothing of a memory that has none of them", () => {
    const leaks = new ExampleLeaks(memAgentConfig("small"));
    expect(leaks.kept("Eve was born in Oslo.", [])).toBeUndefined();
    expect(leaks.counts).toMatchObject({ leaked_memories: 0 });
  });
});

describe("an agent with examples in its prompts", () => {
  const marks = ["<|im_start|>", "<|im_end|>"];
  async function episode(kind: "memagent" | "rememr1", replies: readonly string[]) {
    const tokenizer = wordTokenizer(marks);
    let said = 0;
    const sampler = scriptedSampler({ tokenizer, reply: () => replies[said++] ?? "" });
    const overrides = { chunkTokens: 12 };
    const agent =
      kind === "memagent"
        ? memAgent({ sampler, tokenizer, config: memAgentConfig("small", overrides) })
        : rememr1({ sampler, tokenizer, config: rememr1Config("small", overrides) });
    return await agent.run({
      question: "Who painted The Sea?",
      document: "The Sea was painted by Eve Lund in 1920. ".repeat(3),
    });
  }

  it.each(["memagent", "rememr1"] as const)(
    "LEAKS-1: its memories lose the sentences with them, and the memory before stays where nothing remains: %s",
    async (kind) => {
      const replies = [
        "Eve Lund painted it. Ada Holm was born in Varn.",
        "Ada Holm was born in Varn.",
        "Ada Holm was born in Varn.",
        "Eve",
      ];
      const { memory, counters } = await episode(kind, replies);
      expect(memory).toBe("Eve Lund painted it.");
      expect(counters).toMatchObject({ leaked_memories: 3 });
    },
  );

  it.each(["memagent", "rememr1"] as const)(
    "counts what leaked into a memory and an answer: %s",
    async (kind) => {
      const clean = await episode(kind, ["Eve Lund painted it.", "Eve Lund painted it.", "Eve"]);
      expect(clean.counters).toMatchObject({ leaked_memories: 0, leaked_answers: 0 });
      const leaking = await episode(kind, [
        "Ada Holm painted it.",
        "Ada Holm painted it.",
        "Ada Holm",
        "Ina Roth",
      ]);
      // Each time: no memory before held the names.
      expect(leaking.counters).toMatchObject({ leaked_memories: 3 });
    },
  );

  it("has no such counters without examples", async () => {
    const tokenizer = wordTokenizer();
    const sampler = scriptedSampler({ tokenizer, reply: () => "a" });
    const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
    expect(await agent.run({ question: "q", document: "d" })).not.toHaveProperty("counters");
  });
});
