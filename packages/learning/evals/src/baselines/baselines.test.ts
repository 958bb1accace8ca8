import type { GenerateRequest } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { hashedEmbedder } from "@palimpsest/memory";
import { describe, expect, it } from "vitest";
import type { EvalItem } from "../suite/item.js";
import type { System } from "../suite/system.js";
import { anItem } from "../suite/testing.js";
import { closedBook, fullContext, truncatedContext, withoutMiddle } from "./direct.js";
import { createReader } from "./reader.js";
import { type ReaderConfigInput, readerConfigSchema } from "./reader-config.js";
import { retrievalSystem } from "./retrieval.js";

/** A model that replies with the prompt it was shown, so that tests see every prompt. */
function echoing(overrides: ReaderConfigInput = {}) {
  const tokenizer = wordTokenizer();
  const prompts: string[] = [];
  const requests: GenerateRequest[] = [];
  const scripted = scriptedSampler({
    tokenizer,
    reply: (prompt) => {
      prompts.push(prompt);
      return " noted";
    },
  });
  const sampler = {
    generate: (request: GenerateRequest, signal?: AbortSignal) => {
      requests.push(request);
      return scripted.generate(request, signal);
    },
  };
  const config = readerConfigSchema.parse({
    prompt: "text",
    stopTokens: ["<|end|>"],
    documentPrompt: "text:{document} question: {question} answer:",
    closedPrompt: "question: {question} answer:",
    answerTokens: 4,
    contextTokens: 64,
    ...overrides,
  });
  const reader = createReader({ sampler, tokenizer }, config);
  return { prompts, requests, base: { name: "baseline", reader, model: "test" }, tokenizer };
}

const options = { signal: new AbortController().signal, seed: 3 };
const words = (count: number, name = "w") => Array.from({ length: count }, (_, i) => ` ${name}${i}`).join("");
const documentItem = (document: string, overrides: Partial<EvalItem> = {}) =>
  anItem(1, { question: "who", document, ...overrides });
const ask = (system: System, item: EvalItem) => system.answer(item, options);

describe("fullContext", () => {
  it("shows the whole document, and counts it", async () => {
    const { prompts, requests, base } = echoing();
    const answer = await ask(fullContext(base), documentItem(words(20)));
    expect(prompts).toEqual([`text:${words(20)} question: who answer:`]);
    expect(answer.text.trim()).toBe("noted");
    expect(answer).toMatchObject({ documentTokens: 20, droppedDocumentTokens: 0 });
    expect(answer.counts.promptTokens).toBe(requests[0]?.promptTokenIds.length);
    expect(requests[0]).toMatchObject({ temperature: 0, seed: 3, maxTokens: 4 });
  });

  it("fails where the document does not fit, instead of cutting it in silence", async () => {
    const { base } = echoing();
    await expect(ask(fullContext(base), documentItem(words(80)))).rejects.toThrow(
      /PROMPT_TOO_LONG.*contextTokens 64/,
    );
  });
});

describe("truncatedContext", () => {
  it("keeps head and tail within its limit and says what it left out", async () => {
    const { prompts, requests, base } = echoing({ truncatedTokens: 32 });
    const answer = await ask(truncatedContext(base), documentItem(words(200)));
    expect((requests[0]?.promptTokenIds.length ?? 0) + 4).toBe(32);
    expect(prompts[0]).toContain(" w0 w1");
    expect(prompts[0]).toContain(" w198 w199 question:");
    expect(answer.documentTokens).toBe(200);
    const shown = prompts[0]?.match(/w\d+/g)?.length ?? 0;
    expect(answer.droppedDocumentTokens).toBe(200 - shown);
  });

  it("changes nothing that fits", () => {
    const kept = (ids: readonly number[], most: number) => withoutMiddle(bytes, ids, most);
    expect(kept([1, 2, 3], 3)).toEqual([1, 2, 3]);
    expect(kept([1, 2, 3, 4, 5, 6], 3)).toEqual([1, 2, 6]);
    expect(kept([1, 2, 3], 1)).toEqual([1]);
    expect(kept([1, 2, 3], 0)).toEqual([]);
  });

  it("splits no character on either side of what it leaves out (CHARACTERS-1)", () => {
    const ids = [...Buffer.from("陈芳喜欢茶")];
    const kept = (most: number) => bytes.decode(withoutMiddle(bytes, ids, most));
    expect([14, 12, 10, 8, 7].map(kept)).toEqual(["陈芳欢茶", "陈芳欢茶", "陈茶", "陈茶", "陈茶"]);
  });
});

/** A vocabulary of a token per byte. */
const bytes = { decode: (ids: readonly number[]) => Buffer.from(ids).toString() };

describe("closedBook", () => {
  it("shows the question alone", async () => {
    const { prompts, base } = echoing();
    await ask(closedBook(base), documentItem(words(500)));
    expect(prompts).toEqual(["question: who answer:"]);
  });
});

describe("retrievalSystem", () => {
  const document = [
    "Document 1:\nParis\nParis is a city on the Seine.",
    "Document 2:\nThe Red Barn\nThe Red Barn was painted by Ada Holm.",
    "Document 3:\nVarn\nVarn is a town, and Ada Holm was born there.",
    "Document 4:\nOslo\nOslo is a city in Norway.",
  ].join("\n\n");
  const item = documentItem(document, {
    question: "Where was the painter Ada Holm of the Red Barn born?",
    evidence: ["The Red Barn", "Varn"],
  });

  for (const retrieval of [
    { by: "bm25" } as const,
    { by: "embedding", embedder: hashedEmbedder() } as const,
  ]) {
    it(`shows the best passages in the document's order, and measures what it found (${retrieval.by})`, async () => {
      const { prompts, base } = echoing({ contextTokens: 200, passages: 2, passageTokens: 60 });
      const answer = await ask(retrievalSystem({ ...base, retrieval }), item);
      expect(prompts[0]).toContain("painted by Ada Holm.");
      expect(prompts[0]).toContain("born there.");
      expect(prompts[0]).not.toContain("Seine");
      expect(prompts[0]?.indexOf("Document 2")).toBeLessThan(prompts[0]?.indexOf("Document 3") ?? 0);
      expect(answer.measures).toEqual({ passages: 2, "recall@2": 1 });
    });
  }

  it("looks for the bare question, and puts the one that says how to answer", async () => {
    const { prompts, base } = echoing({ contextTokens: 200, passages: 1, passageTokens: 60 });
    const bare = "Who was born in Varn?";
    const told = { ...item, question: `${bare} Name a city in Norway or on the Seine.` };
    const ask1 = (asked: EvalItem) => ask(retrievalSystem({ ...base, retrieval: { by: "bm25" } }), asked);
    expect((await ask1({ ...told, searchQuery: bare })).retrieved).toEqual([["Varn"]]);
    expect((await ask1(told)).retrieved).not.toEqual([["Varn"]]);
    expect(prompts[0]).toContain(told.question);
  });

  it("shows fewer passages where more do not fit", async () => {
    const { requests, base } = echoing({ contextTokens: 48, passages: 4, passageTokens: 60 });
    const answer = await ask(retrievalSystem({ ...base, retrieval: { by: "bm25" } }), item);
    expect(answer.measures?.["passages"]).toBeLessThan(3);
    expect(answer.measures?.["passages"]).toBeGreaterThan(0);
    expect((requests[0]?.promptTokenIds.length ?? 0) + 4).toBeLessThanOrEqual(48);
  });

  it("searches an item's records, which count by what they come from", async () => {
    const { prompts, base } = echoing({ contextTokens: 200, passages: 1 });
    const record = (id: string, content: string, provenance: string[]) => ({
      id,
      content,
      memoryType: "episodic" as const,
      provenance,
      metadata: {},
      dialogueTime: "2023-05-08T13:56",
      speaker: "Ada",
    });
    const records = [record("m1", "Ada likes tea.", ["D1:1"]), record("m2", "Ada moved to Varn.", ["D2:4"])];
    const asked = documentItem("", { question: "Where did Ada move to, Varn?", records, evidence: ["D2:4"] });
    const answer = await ask(retrievalSystem({ ...base, retrieval: { by: "bm25" } }), asked);
    expect(prompts[0]).toContain("2023-05-08T13:56 · Ada · Ada moved to Varn.");
    expect(answer.retrieved).toEqual([["m2", "D2:4"]]);
    expect(answer.measures?.["recall@1"]).toBe(1);
  });

  it("shows the fact with the greatest number of those that say the same (max-serial)", async () => {
    // Each of 300 facts about names, some of which share words, is replaced by a longer or a shorter one.
    const names = Array.from({ length: 100 }, (_, at) => `Ada${at % 10} Berg${Math.floor(at / 10)}`);
    const relations = ["is famous for", "was born in the city of", "plays the position of"];
    const values = ["Oslo", "the Great Northern Blue Door", "keeper of the gate"];
    const facts = [0, 1].flatMap((round) =>
      names.flatMap((name, at) =>
        relations.map((relation) => `${name} ${relation} ${values[(at + round) % 3]} ${round}${at}.`),
      ),
    );
    const text = `Here is a list of facts:\n${facts.map((fact, at) => `${at}. ${fact}`).join("\n")}`;
    const { prompts, base } = echoing({ contextTokens: 2000, passages: 10 });
    const system = retrievalSystem({ ...base, retrieval: { by: "max-serial" } });
    for (const name of names) {
      const answer = await ask(system, documentItem(text, { question: `What is ${name} famous for?` }));
      expect(answer.measures).toEqual({ passages: 1 });
    }
    const right = prompts.filter((prompt, at) => prompt.includes(` 1${at}.`)).length;
    expect(right).toBe(100);
    const plain = { ...item, document: "No facts." };
    await expect(ask(system, plain)).rejects.toThrow(/has no numbered facts/);
  });

  it("indexes a text once for the questions about it, and again where that failed", async () => {
    const { base } = echoing({ contextTokens: 200, passages: 1, passageTokens: 60 });
    const plain = hashedEmbedder();
    let embedded = 0;
    let isDown = true;
    const embedder = {
      name: plain.name,
      dimensions: plain.dimensions,
      embed: async (texts: readonly string[]) => {
        if (isDown) throw new Error("the embedder is down");
        embedded += texts.length;
        return await plain.embed(texts);
      },
    };
    const system = retrievalSystem({ ...base, retrieval: { by: "embedding", embedder } });
    await expect(ask(system, item)).rejects.toThrow("the embedder is down");
    isDown = false;
    const questions = ["Who painted?", "Where is Oslo?", "What is on the Seine?"];
    for (const question of questions) await ask(system, { ...item, question });
    expect(embedded).toBe(4 + questions.length);
    await ask(system, documentItem("Document 1:\nRome\nRome is a city."));
    expect(embedded).toBe(4 + questions.length + 2);
  });
});
