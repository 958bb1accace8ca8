import { describe, expect, it } from "vitest";
import { chunkDocument } from "../chunks.js";
import { memAgentPrompts } from "../memagent/memagent.js";
import { memAgentConfig } from "../memagent/presets.js";
import { memUpdateConfig } from "../memupdate/presets.js";
import { readerPrompt } from "../memupdate/reader.js";
import { replyPrompts } from "../own-episode.js";
import { rememr1Config } from "../rememr1/presets.js";
import { rememr1Prompts } from "../rememr1/prompts.js";
import { wordTokenizer } from "../testing.js";
import { toolPrompts } from "../tools/tool-prompts.js";
import { compileTemplate } from "./template.js";

const tokenizer = { ...wordTokenizer(["<b>", "<end>", "<|im_start|>", "<|im_end|>"]), beginTokenIds: [0] };
const plain = { prompt: "text" as const, stopTokens: ["<end>"] };
const begins = (ids: readonly number[]) => ids.filter((id) => id === 0).length;

describe("begin tokens of a model that expects them", () => {
  it("stand once before every plain prompt of every agent, and before nothing else", async () => {
    const memAgent = memAgentPrompts(tokenizer, memAgentConfig("memagent", plain));
    const rememr1 = rememr1Prompts(tokenizer, rememr1Config("rememr1", plain));
    const memUpdate = toolPrompts(tokenizer, memUpdateConfig("memupdate", plain), {
      definitions: [],
      lineForms: [],
    });
    const sampler = { generate: () => Promise.reject(new Error("not asked")) };
    const prompts = [
      memAgent.bind("q").memory(memAgent.initialMemory, [9]),
      memAgent.bind("q").final([9]),
      rememr1.bind("q").memory(rememr1.nothingRecalled, rememr1.initialMemory, [9]),
      rememr1.bind("q").final([9], [9]),
      memUpdate.prompt("q"),
      readerPrompt(tokenizer, memUpdateConfig("memupdate", plain), undefined).render("m", "q"),
      replyPrompts({ sampler, tokenizer }, ["<end>"]).tokenIds("q"),
    ];
    for (const prompt of prompts) {
      expect(prompt[0]).toBe(0);
      expect(begins(prompt)).toBe(1);
    }
    expect(begins(memUpdate.results(["a", "b"], true))).toBe(0);
    const { chunks } = await chunkDocument(
      "one two three four",
      tokenizer,
      memAgentConfig("memagent", { chunkTokens: 2 }),
    );
    for await (const { tokenIds } of chunks) expect(begins(tokenIds)).toBe(0);
  });

  it("are a chat's own to write", () => {
    const prompts = memAgentPrompts(tokenizer, memAgentConfig("memagent", { prompt: "chatml" }));
    expect(begins(prompts.bind("q").final([9]))).toBe(0);
  });

  it("are not written twice where a plain template spells them out", () => {
    const form = { textSlots: ["question"], idSlots: [], specialTokens: ["<b>"], plain: true };
    const written = compileTemplate(tokenizer, "prompt", "<b>ask {question}", form);
    const left = compileTemplate(tokenizer, "prompt", "ask {question}", form);
    const bound = { question: "why" };
    expect(left.bind(bound).render({})).toEqual(written.bind(bound).render({}));
    expect(begins(written.bind(bound).render({}))).toBe(1);
  });
});
