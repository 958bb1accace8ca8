import { describe, expect, it } from "vitest";
import { ChatTemplate } from "../text/chat-template.js";
import { TextModel } from "../text/text-model.js";
import { beginTokenIdsOf } from "./begin-tokens.js";
import { BpeTokenizer } from "./bpe-tokenizer.js";

const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
const template = (single: readonly object[]) => ({
  type: "TemplateProcessing",
  single,
  pair: single,
  special_tokens: {
    "<b>": { id: "<b>", ids: [2], tokens: ["<b>"] },
    "<e>": { id: "<e>", ids: [3], tokens: ["<e>"] },
  },
});
const text = { Sequence: { id: "A", type_id: 0 } };
const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
const beginning = template([special("<b>"), text]);

const tokenizerWith = (postProcessor: unknown, config: Record<string, unknown> = {}) =>
  new BpeTokenizer(
    {
      added_tokens: ["<b>", "<e>"].map((content, i) => ({
        ...{ id: 2 + i, content, special: true },
        ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
      })),
      normalizer: null,
      pre_tokenizer: null,
      post_processor: postProcessor,
      decoder: byteLevel,
      model: { type: "BPE", vocab: { a: 0, c: 1 }, merges: [] },
    },
    { bos_token: "<b>", eos_token: "<e>", ...config },
  );

describe("tokens that a post-processor writes before a text", () => {
  // The ids of transformers 5.19 for these files, without what it writes after a text.
  it.each([
    ["none", null, []],
    ["ByteLevel alone", byteLevel, []],
    ["a template", beginning, [2]],
    ["a template with an end", template([special("<b>"), text, special("<e>")]), [2]],
    ["a template with an end alone", template([text, special("<e>")]), []],
    ["a sequence of both", { type: "Sequence", processors: [byteLevel, beginning] }, [2]],
    ["RobertaProcessing", { type: "RobertaProcessing", sep: ["<e>", 3], cls: ["<b>", 2] }, [2]],
  ])("%s", (_, postProcessor, expected) => {
    expect(beginTokenIdsOf(postProcessor)).toEqual(expected);
    const tokenizer = tokenizerWith(postProcessor);
    expect(tokenizer.encodePrompt("ac")).toEqual([...expected, 0, 1]);
    expect(tokenizer.encodePrompt("")).toEqual(expected);
    expect(tokenizer.encode("ac")).toEqual([0, 1]);
  });

  it("are not decided by add_bos_token, and a begin token that the text spells out comes as well", () => {
    expect(tokenizerWith(null, { add_bos_token: true }).encodePrompt("ac")).toEqual([0, 1]);
    expect(tokenizerWith(beginning, { add_bos_token: false }).encodePrompt("ac")).toEqual([2, 0, 1]);
    expect(tokenizerWith(beginning).encodePrompt("<b>ac")).toEqual([2, 2, 0, 1]);
  });

  it("stand before plain prompts, and once before chats, whose template writes them", async () => {
    const tokenizer = tokenizerWith(beginning, {
      chat_template: "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}",
    });
    const prompts: number[][] = [];
    const model = new TextModel({
      tokenizer,
      template: new ChatTemplate(tokenizer),
      sampler: {
        generate: async ({ promptTokenIds }) => {
          prompts.push([...promptTokenIds]);
          return {
            ...{ tokenIds: [3], rolloutLogprobs: [0], stopReason: "stop" },
            ...{ policyVersion: 0, weightsHash: "" },
          };
        },
      },
    });
    await model.generateText({ prompt: "ac" });
    await model.generateText({ messages: [{ role: "user", content: "ac" }] });
    expect(prompts).toEqual([
      [2, 0, 1],
      [2, 0, 1],
    ]);
  });
});
