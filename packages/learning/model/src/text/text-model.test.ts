import { describe, expect, it } from "vitest";
import { BpeTokenizer } from "../tokens/bpe-tokenizer.js";
import { trainBpe } from "../tokens/bpe-trainer.js";
import { ChatTemplate } from "./chat-template.js";
import { TextModel, type TokenRequest, type TokenSampler } from "./text-model.js";

const tokenizer = trainBpe(["the cat sat on the mat. the dog sat on the log."], {
  vocabSize: 300,
  specialTokens: ["<|im_start|>", "<|im_end|>"],
  alphabet: "bytes",
});
const template = new ChatTemplate(tokenizer, {
  template:
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n",
});
const stopTokens = ["<|im_end|>"];

/** Says a text token by token, then the stop token; waits for a turn of the event loop between tokens. */
function saying(
  text: string,
  { streams = true, seen }: { streams?: boolean; seen?: TokenRequest[] } = {},
): TokenSampler {
  return {
    async generate(request, signal) {
      seen?.push(request);
      const whole = [...tokenizer.encode(text), ...request.stopTokenIds.slice(0, 1)];
      const tokenIds: number[] = [];
      for (const id of whole.slice(0, request.maxTokens)) {
        await Promise.resolve();
        signal?.throwIfAborted();
        tokenIds.push(id);
        if (streams) request.onTokens?.([id]);
      }
      return {
        tokenIds,
        rolloutLogprobs: tokenIds.map(() => -0.5),
        stopReason: tokenIds.length < whole.length ? "length" : "stop",
        policyVersion: 3,
        weightsHash: "abc",
      };
    },
  };
}

describe("a text model", () => {
  it("answers messages through the chat template and leaves special tokens out", async () => {
    const seen: TokenRequest[] = [];
    const model = new TextModel({
      sampler: saying("the cat — 猫", { seen }),
      tokenizer,
      template,
      stopTokens,
    });
    const answer = await model.generateText({
      messages: [{ role: "user", content: "who?" }],
      temperature: 0,
      topK: 5,
      seed: 7,
    });
    expect(answer.text).toBe("the cat — 猫");
    expect(answer.stopReason).toBe("stop");
    expect(answer.tokenIds.at(-1)).toBe(tokenizer.specialTokenId("<|im_end|>"));
    expect(answer.rolloutLogprobs).toHaveLength(answer.tokenIds.length);
    expect(answer.usage.sampledTokens).toBe(answer.tokenIds.length);
    expect(answer).toMatchObject({ policyVersion: 3, weightsHash: "abc" });
    const [request] = seen;
    expect(tokenizer.decode(request?.promptTokenIds ?? [])).toBe(
      "<|im_start|>user\nwho?<|im_end|>\n<|im_start|>assistant",
    );
    expect(request).toMatchObject({ temperature: 0, topK: 5, seed: 7, maxTokens: 512 });
    expect(request).not.toHaveProperty("topP");
    expect(request).not.toHaveProperty("stop");
  });

  it("streams the same text, from samplers that stream and from those that do not", async () => {
    for (const streams of [true, false]) {
      const model = new TextModel({ sampler: saying("naïve 猫 🚀", { streams }), tokenizer, stopTokens });
      const generation = model.streamText({ prompt: "say:" });
      const pieces: string[] = [];
      for await (const piece of generation) pieces.push(piece);
      expect(pieces.join("")).toBe("naïve 猫 🚀");
      expect(pieces.length > 1).toBe(streams);
      expect((await generation.result).text).toBe("naïve 猫 🚀");
    }
  });

  it("ends at a stop text, which it asks the sampler for and does not show", async () => {
    const seen: TokenRequest[] = [];
    const model = new TextModel({ sampler: saying("the cat. the dog.", { seen }), tokenizer, stopTokens });
    const answer = await model.generateText({ prompt: "x", stop: ["."], maxTokens: 8 });
    expect(answer.text).toBe("the cat");
    expect(answer.stopReason).toBe("stop");
    expect(seen[0]?.stop).toEqual(["."]);
  });

  it("ends at the tokenizer's own end token unless told otherwise", async () => {
    const seen: TokenRequest[] = [];
    const named = new BpeTokenizer(tokenizer.json, { eos_token: { content: "<|im_end|>" } });
    const sampler = saying("a", { seen });
    await new TextModel({ sampler, tokenizer: named }).generateText({ prompt: "x" });
    await new TextModel({ sampler, tokenizer }).generateText({ prompt: "x" });
    expect(seen.map(({ stopTokenIds }) => stopTokenIds)).toEqual([
      [tokenizer.specialTokenId("<|im_end|>")],
      [],
    ]);
  });

  it("asks for no more than there is room for, and for one token where there is none", async () => {
    const seen: TokenRequest[] = [];
    const prompt = "the cat sat on the mat.";
    const length = tokenizer.encode(prompt).length;
    const sampler = saying("a", { seen });
    for (const maxLength of [length + 9, length - 1]) {
      const model = new TextModel({ sampler, tokenizer, maxLength });
      await model.generateText({ prompt });
      await model.generateText({ prompt, maxTokens: 5 });
    }
    expect(seen.map(({ maxTokens }) => maxTokens)).toEqual([9, 5, 1, 1]);
  });

  it("draws another seed each time that none is given", async () => {
    const seen: TokenRequest[] = [];
    const model = new TextModel({ sampler: saying("a", { seen }), tokenizer, stopTokens });
    for (let i = 0; i < 3; i++) await model.generateText({ prompt: "x" });
    expect(new Set(seen.map(({ seed }) => seed)).size).toBeGreaterThan(1);
  });

  it("aborts with the caller's reason, before the start and in the middle", async () => {
    const model = new TextModel({ sampler: saying("a b c d e f g h"), tokenizer, stopTokens });
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(model.generateText({ prompt: "x", signal: gone })).rejects.toThrow("gone");
    const controller = new AbortController();
    const generation = model.streamText({ prompt: "x", signal: controller.signal });
    await expect(
      (async () => {
        for await (const _piece of generation) controller.abort(new Error("enough"));
      })(),
    ).rejects.toThrow("enough");
    await expect(generation.result).rejects.toThrow("enough");
  });

  it("stops sampling when the reader of a stream leaves", async () => {
    const model = new TextModel({ sampler: saying("a b c d e f g h"), tokenizer, stopTokens });
    const generation = model.streamText({ prompt: "x" });
    for await (const _piece of generation) break;
    await expect(generation.result).rejects.toThrow(/CLOSED.*reader stopped/);
  });

  it("says what is missing: a template for messages, a stop token of the vocabulary", async () => {
    const model = new TextModel({ sampler: saying("a"), tokenizer, stopTokens });
    await expect(model.generateText({ messages: [{ role: "user", content: "x" }] })).rejects.toThrow(
      /TEMPLATE_MISSING.*prompt/,
    );
    expect(() => new TextModel({ sampler: saying("a"), tokenizer, stopTokens: ["<|nope|>"] })).toThrow(
      /CONFIG_INVALID.*<\|nope\|>/,
    );
  });

  it("hands on what the sampler throws", async () => {
    const sampler: TokenSampler = {
      generate: async () => {
        throw new Error("no room");
      },
    };
    const model = new TextModel({ sampler, tokenizer, stopTokens });
    await expect(model.generateText({ prompt: "x" })).rejects.toThrow("no room");
    await expect(
      (async () => {
        for await (const piece of model.streamText({ prompt: "x" })) throw new Error(piece);
      })(),
    ).rejects.toThrow("no room");
  });
});
