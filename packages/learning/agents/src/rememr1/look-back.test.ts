import { describe, expect, it } from "vitest";
import type { EpisodeState } from "../episode.js";
import { scriptedSampler, wordTokenizer } from "../testing.js";
import type { ReMemR1ConfigInput } from "./config.js";
import { rememr1Config } from "./presets.js";
import { rememr1 } from "./rememr1.js";

const tags = ["<update>", "</update>", "<recall>", "</recall>"];
const sentences = [
  " tea from peru.",
  " figs from oman.",
  " dan likes figs.",
  " ben likes tea.",
  " snow and fog.",
];
const document = sentences.join("");
const question = "where is what ben likes from?";
const field = (prompt: string, name: string) => new RegExp(`\n${name}:(.*)\n`).exec(prompt)?.[1] ?? "";

/** Notes what ben likes, never where anything is from, and asks the document for it. */
function forgetful(prompt: string): string {
  if (prompt.endsWith("answer:")) return ` \\boxed{${/(\w+)\.$/.exec(field(prompt, "recalled"))?.[1] ?? ""}}`;
  const liked = / ben likes (\w+)\./.exec(`${field(prompt, "memory")}${field(prompt, "section")}`);
  return liked ? `<update>${liked[0]}</update><recall> ${liked[1]} from</recall>` : "<update> none</update>";
}

function reader(
  lookBack: ReMemR1ConfigInput["lookBack"],
  reply: (prompt: string) => string = forgetful,
  more: Partial<ReMemR1ConfigInput> = {},
) {
  const tokenizer = wordTokenizer(["<|end|>", ...tags]);
  const prompts: string[] = [];
  const sampler = scriptedSampler({
    tokenizer,
    reply(prompt) {
      prompts.push(prompt);
      return reply(prompt);
    },
  });
  const config = rememr1Config("tiny", {
    chunkTokens: 4,
    memoryTokens: 12,
    ...(lookBack ? { lookBack } : {}),
    ...more,
  });
  return { agent: rememr1({ sampler, tokenizer, config }), prompts };
}

describe("looking back", () => {
  it("finds in the document what no memory has ever held, and only what was read (RECALL-1)", async () => {
    const { agent } = reader({});
    const result = await agent.run({ document, question });
    expect(result.answer).toBe(" \\boxed{peru}");
    expect(result.steps.map(({ found }) => found)).toEqual([
      ...[undefined, undefined, undefined],
      ...[" tea from peru.", " tea from peru."],
    ]);
    expect(result.counters).toMatchObject({ recall_queries: 2, recalled_memories: 2, recalled_tokens: 8 });
    // The memories alone do not have it.
    expect((await reader(undefined).agent.run({ document, question })).answer).toBe(" \\boxed{}");
    const backward = [...sentences].reverse().join("");
    const early = await reader({}).agent.run({ document: backward, question });
    expect(early.steps[1]?.found).toBe(" ben likes tea.");
  });

  it("finds several passages in the order of the document, within the tokens of a memory (RECALL-2)", async () => {
    const { agent } = reader({ passages: 3 }, (prompt) =>
      prompt.endsWith("answer:") ? " figs" : "<update> none</update><recall> figs from</recall>",
    );
    const result = await agent.run({ document, question });
    expect(result.steps.at(-1)?.found).toBe(" tea from peru. figs from oman. dan likes figs.");
    const short = reader({ passages: 4 }, () => "<update> none</update><recall> oman</recall>");
    const cut = await short.agent.run({ document, question });
    expect(cut.steps.at(-1)?.found).toBe(" figs from oman");
  });

  it("quotes what was looked up as what is read, and nothing else", async () => {
    const memory = { heads: 3, select: "lru", quotes: true, label: "", turn: "" } as const;
    const copying = (words: string) => (prompt: string) =>
      prompt.endsWith("answer:") ? " figs" : `<update> ${words}</update><recall> tea from</recall>`;
    const quoted = async (words: string) => {
      const { agent } = reader({}, copying(words), { memory });
      return (await agent.run({ document, question })).steps.map((step) => step.memory.trim());
    };
    // The first section alone has it; from the second on it was looked up.
    const found = await quoted("tea from peru.");
    expect(found[0]).toContain("tea from peru.");
    expect(found.at(-1)).toContain("tea from peru.");
    expect((await quoted("gold from mars.")).at(-1)).not.toContain("mars");
  });

  it("keeps sections up to its bytes, and counts those that it forgot (RECALL-3)", async () => {
    const many = Array.from({ length: 40 }, (_, i) => ` box${i} from oman.`);
    const { agent } = reader({ bytes: 1024 }, (prompt) =>
      prompt.endsWith("answer:") ? " figs" : "<update> none</update><recall> box0 box39</recall>",
    );
    const result = await agent.run({ document: many.join(""), question });
    expect(result.steps[1]?.found).toBe(" box0 from oman.");
    expect(result.steps.at(-1)?.found).toBe(" box39 from oman.");
    // Each takes about 34 bytes of text and 64 of ids.
    expect(result.counters?.["forgotten_passages"]).toBe(30);
  });

  it("reads one section again for a sub-question in place of the answer", async () => {
    const replies = (prompt: string) => {
      const last = prompt.endsWith("answer:");
      if (last && field(prompt, "memory") === " none") return "<recall> tea from</recall>";
      if (last) return ` \\boxed{${/(\w+)\.$/.exec(field(prompt, "memory"))?.[1]}}`;
      return prompt.startsWith("question:  tea from") ? `<update>${field(prompt, "section")}</update>` : "";
    };
    const { agent, prompts } = reader({ rereads: 2 }, replies);
    const result = await agent.run({ document, question });
    expect(result.answer).toBe(" \\boxed{peru}");
    expect(prompts.slice(-3).map((prompt) => prompt.split("\n")[0])).toEqual([
      `question: ${question}`,
      "question:  tea from",
      `question: ${question}`,
    ]);
    expect(result.conversations.map(({ kind }) => kind).slice(-3)).toEqual(["final", "memory", "final"]);
    expect(result.steps.at(-1)).toMatchObject({ documentTokenStart: 0, memory: " tea from peru." });
    // A section that is read again counts as read, and what was found has its price.
    expect(result.counters).toMatchObject({ rereads: 1, unrecalled_share: 1 });
    const found = await reader({}).agent.run({ document, question });
    expect(found.counters).toMatchObject({ unrecalled_share: 1 - 8 / (5 * 12) });
    // A reader that never answers is asked three times, and no more.
    const stubborn = reader({ rereads: 2 }, () => "<recall> tea</recall>");
    expect((await stubborn.agent.run({ document, question })).counters).toMatchObject({ rereads: 2 });
    expect(stubborn.prompts).toHaveLength(5 + 2 + 3);
  });

  it("shows what a query in place of the answer finds, beside the question", async () => {
    const replies = (prompt: string) => {
      if (!prompt.endsWith("answer:")) return "<update> none</update>";
      const found = /(\w+)\.$/.exec(field(prompt, "recalled"))?.[1];
      return found === undefined ? "<recall> tea from</recall>" : ` \\boxed{${found}}`;
    };
    const { agent, prompts } = reader({ rereads: 2, reread: "passages" }, replies);
    const result = await agent.run({ document, question });
    expect(result.answer).toBe(" \\boxed{peru}");
    expect(result.memory).toBe(" none");
    expect(result.conversations.map(({ kind }) => kind).slice(-3)).toEqual(["memory", "final", "final"]);
    expect(field(prompts.at(-1) ?? "", "recalled")).toBe(" tea from peru.");
    expect(result.counters).toMatchObject({ rereads: 1, recall_queries: 1, recalled_memories: 1 });
    const nowhere = reader({ rereads: 2, reread: "passages" }, () => "<recall> gold</recall>");
    expect((await nowhere.agent.run({ document, question })).counters).toMatchObject({
      recalled_memories: 0,
    });
    expect(nowhere.prompts).toHaveLength(5 + 1);
  });

  it("finds after a resumption what the first run would have found (RECALL-4)", async () => {
    const states: EpisodeState[] = [];
    const whole = await reader({}).agent.run(
      { document, question },
      { onProgress: ({ state }) => state && states.push(structuredClone(state)) },
    );
    for (const state of states) {
      const resumed = await reader({}).agent.run({ document, question }, { resumeFrom: state });
      expect(resumed.answer).toBe(whole.answer);
      expect(resumed.counters).toEqual(whole.counters);
    }
  });

  it("refuses more passages than a memory has tokens, naming the fix", () => {
    expect(() => rememr1Config("tiny", { lookBack: { passages: 12 } })).toThrow(
      /lookBack.passages: is 12, but memoryTokens is 11.*fewer passages/,
    );
  });
});
