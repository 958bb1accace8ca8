import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memAgent } from "./memagent/memagent.js";
import { memAgentConfig } from "./memagent/presets.js";
import { quoteOf } from "./quotes.js";
import { scriptedSampler, wordTokenizer } from "./testing.js";

const section = [
  "Document 3:",
  "Odense Boldklub",
  "The club is based in Odense. It won three Danish championships, and five cups. Its ground is at Ådalen.",
  "",
  "Document 4:",
  "Keld Bordinggaard",
  "He managed the club from 1998 to 2001. He was born on 23 January 1962.",
].join("\n");

function quoted(note: string, mostTokens = 64, text = section): string {
  const tokenizer = wordTokenizer();
  return tokenizer.decode(quoteOf(tokenizer, note, text, mostTokens));
}

describe("a quote", () => {
  it("is the sentence that a note means, with its heading, whatever the note makes of it (QUOTES-1)", () => {
    expect(quoted("Keld Bordinggaard was born in 1962 in Germany")).toBe(
      "Keld Bordinggaard: He was born on 23 January 1962.",
    );
    expect(quoted("five cups")).toBe("Odense Boldklub: It won three Danish championships, and five cups.");
  });

  it("has the sentences in the order of the text, and a heading once (QUOTES-1)", () => {
    expect(quoted("ground at Ådalen; born in January; Danish championships")).toBe(
      "Odense Boldklub: It won three Danish championships, and five cups. Its ground is at Ådalen. Keld Bordinggaard: He was born on 23 January 1962.",
    );
  });

  it("is empty if no sentence has a word of the note (QUOTES-1)", () => {
    expect(quoted("nothing helpful here")).toBe("");
    expect(quoted("")).toBe("");
    expect(quoted("anything", 64, "")).toBe("");
  });

  it("keeps lists and other languages as they are", () => {
    expect(quoted("eggs", 64, "milk\neggs\nbread")).toBe("eggs");
    expect(quoted("猫が好き", 64, "犬は走る。猫が好きだ。鳥は飛ぶ。")).toBe("猫が好きだ。");
  });

  it("never has more tokens than there is room for, and no word that the section lacks (QUOTES-1)", () => {
    const texts = fc.array(fc.constantFrom("anna", "Bob", "1962", "tea.", "the", "猫。", "\n", "-", "🙂"), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 1, max: 20 }), (note, text, most) => {
        const tokenizer = wordTokenizer();
        const ids = quoteOf(tokenizer, note.join(" "), text.join(" "), most);
        expect(ids.length).toBeLessThanOrEqual(most);
        for (const word of tokenizer
          .decode(ids)
          .split(/[\s:]+/)
          .filter(Boolean))
          expect(text.join(" ")).toContain(word);
      }),
    );
  });
});

describe("heads that quote", () => {
  const tokenizer = wordTokenizer();
  const run = async (replies: readonly string[]) => {
    let at = 0;
    const sampler = scriptedSampler({
      tokenizer,
      reply: (prompt) => (prompt.endsWith("answer:") ? " x" : (replies[at++] ?? "")),
    });
    const memory = { heads: 3, quotes: true, label: " |{head}|", turn: " write{head}" };
    const config = memAgentConfig("tiny", { chunkTokens: 6, memoryTokens: 30, memory });
    const document = " anna likes green tea. w bob likes old trains. w carl likes nothing much. w";
    return await memAgent({ sampler, tokenizer, config }).run({ document, question: "who likes tea?" });
  };

  it("hold sentences of the sections, and stay as they are where a note says nothing that stands there", async () => {
    const { memory, steps } = await run([" she drinks green tea", " invented", " carl"]);
    expect(memory).toContain("anna likes green tea.");
    expect(memory).toContain("carl likes nothing much.");
    expect(memory).not.toContain("invented");
    expect(steps).toHaveLength(3);
  });

  it("are refused where there is but one, whose quote would replace all that was read", () => {
    expect(() => memAgentConfig("tiny", { memory: { heads: 1, quotes: true } })).toThrow(
      /memory\.quotes: is true, but memory\.heads is 1/,
    );
  });
});
