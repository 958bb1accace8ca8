import { describe, expect, it } from "vitest";
import type { AgentProgress, EpisodeState } from "../episode.js";
import { memAgent } from "../memagent/memagent.js";
import { memAgentConfig } from "../memagent/presets.js";
import type { GenerateRequest, Sampler } from "../sampler.js";
import { scriptedSampler, wordTokenizer } from "../testing.js";
import type { ReMemR1ConfigInput } from "./config.js";
import { rememr1Config } from "./presets.js";
import { rememr1 } from "./rememr1.js";

const tags = ["<update>", "</update>", "<recall>", "</recall>"];
const document =
  " tea from peru. dan likes figs. figs from oman. rain and wind. ben likes tea. snow and fog. jazz from oslo. eva likes jazz.";
const question = "where is what ben likes from?";

/** Notes each section's origin; from the name's fact on keeps that and asks for what it names. */
function lookBack(prompt: string): string {
  const field = (name: string) => new RegExp(`\n${name}:(.*)\n`).exec(prompt)?.[1] ?? "";
  if (prompt.endsWith("answer:")) return ` \\boxed{${/(\w+)\.$/.exec(field("recalled"))?.[1] ?? ""}}`;
  const liked = / ben likes (\w+)\./.exec(`${field("memory")}${field("section")}`);
  if (liked) return `<update>${liked[0]}</update><recall> ${liked[1]}</recall>`;
  return `<update>${/ \w+ from \w+\./.exec(field("section"))?.[0] ?? field("memory")}</update>`;
}

function recorded(reply: (prompt: string, request: GenerateRequest) => string = lookBack) {
  const tokenizer = wordTokenizer(["<|end|>", ...tags]);
  const requests: GenerateRequest[] = [];
  const sampler = scriptedSampler({ tokenizer, reply, onRequest: (request) => requests.push(request) });
  const agentOf = (settings: Partial<ReMemR1ConfigInput> = {}) =>
    rememr1({ sampler, tokenizer, config: rememr1Config("tiny", settings), now: () => 7 });
  return { tokenizer, sampler, requests, agentOf };
}

describe("rememr1", () => {
  it("finds an overwritten memory when it is asked for, and shows it to the next conversation alone (REMEMR-2, REMEMR-3)", async () => {
    const { agentOf } = recorded();
    const result = await agentOf().run({ document, question });
    expect(result.answer).toBe(" \\boxed{peru}");
    expect(result.memory).toBe(" ben likes tea.");
    expect(
      result.steps.map(({ memory, recalled, recallQuery, found }) => [memory, recalled, recallQuery, found]),
    ).toEqual([
      [" tea from peru.", "", undefined, undefined],
      [" figs from oman.", "", undefined, undefined],
      [" ben likes tea.", "", " tea", " tea from peru."],
      [" ben likes tea.", " tea from peru.", " tea", " tea from peru."],
    ]);
    expect(result.steps[2]).toMatchObject({
      documentTokenStart: 16,
      documentTokenEnd: 24,
      section: " ben likes tea. snow and fog.",
      reply: "<update> ben likes tea.</update><recall> tea</recall>",
    });
    expect(result.counters).toEqual({ recall_queries: 2, recalled_memories: 2, missing_updates: 0 });
    expect(result.conversations.map(({ kind }) => kind)).toEqual([
      "memory",
      "memory",
      "memory",
      "memory",
      "final",
    ]);
  });

  it("splices sampled and read ids into prompts without encoding them again (REMEMR-1)", async () => {
    const tokenizer = wordTokenizer(["<|end|>", ...tags]);
    // Ids of letters: decoded and encoded again they would become one word token.
    const letters = ["a", "n", "n", "a"].flatMap((letter) => tokenizer.encode(letter));
    const [open, close] = tags.map((tag) => tokenizer.specialTokenId(tag) as number);
    const requests: GenerateRequest[] = [];
    const sampler: Sampler = {
      async generate(request) {
        requests.push(request);
        const tokenIds = [open as number, ...letters, close as number, 0];
        const rolloutLogprobs = tokenIds.map(() => -1);
        return { tokenIds, rolloutLogprobs, stopReason: "stop", policyVersion: 3, weightsHash: "h" };
      },
    };
    const agent = rememr1({ sampler, tokenizer, config: rememr1Config("tiny") });
    await agent.run({ document, question });
    const none = tokenizer.encode(" none");
    expect(requests[1]?.promptTokenIds).toEqual([
      ...tokenizer.encode(`question: ${question}\nrecalled:`),
      ...none,
      ...tokenizer.encode("\nmemory:"),
      ...letters,
      ...tokenizer.encode("\nsection:"),
      ...tokenizer.encode(document).slice(8, 16),
      ...tokenizer.encode("\nnew memory:"),
    ]);
  });

  it("encodes a memory again where tokens run over its tags", async () => {
    const { agentOf } = recorded(() => "x<note>y</note>z");
    const result = await agentOf({ updateTag: "note" }).run({ document, question });
    expect(result.memory).toBe("y");
    expect(result.counts.emptyUpdates).toBe(0);
  });

  it("feeds what the last section asked for to the final question", async () => {
    const { agentOf } = recorded();
    const result = await agentOf().run({ document: document.slice(0, document.indexOf(" jazz")), question });
    expect(result.steps.map(({ recalled }) => recalled)).toEqual(["", "", ""]);
    expect(result.answer).toBe(" \\boxed{peru}");
  });

  it("never recalls the present memory, nor one without a word in common (REMEMR-3)", async () => {
    const { agentOf } = recorded((prompt) =>
      prompt.includes("peru")
        ? "<update> same tea.</update><recall> tea</recall>"
        : "<update> same tea.</update><recall> sand</recall>",
    );
    const result = await agentOf().run({ document, question });
    expect(result.counters).toMatchObject({ recall_queries: 4, recalled_memories: 0 });
    expect(result.steps.every(({ recalled }) => recalled === "")).toBe(true);
  });

  it("recalls nothing with recall: false, and still counts what is asked", async () => {
    const { agentOf, requests } = recorded();
    const result = await agentOf({ recall: false }).run({ document, question });
    expect(result.counters).toEqual({ recall_queries: 2, recalled_memories: 0, missing_updates: 0 });
    expect(result.answer).toBe(" \\boxed{}");
    const { tokenizer } = recorded();
    for (const { promptTokenIds } of requests.slice(-1))
      expect(promptTokenIds.length).toBe(
        tokenizer.encode(`question: ${question}\nrecalled: none\nmemory: ben likes tea.\nanswer:`).length,
      );
  });

  it("keeps the memory where a reply has no update, and counts that and what was cut (REMEMR-6)", async () => {
    const { agentOf } = recorded((prompt) => {
      if (prompt.includes("section: tea")) return "<update> kept.</update>";
      return prompt.includes("section: figs")
        ? "kept? not at all"
        : "<update> a b c d e f g h i j k l m</update>";
    });
    const result = await agentOf().run({ document, question });
    expect(result.memory).toBe(" kept.");
    expect(result.counts).toMatchObject({ truncated: 3, emptyUpdates: 3 });
    expect(result.counters).toMatchObject({ missing_updates: 3 });
  });

  it("as released remembers whole replies and recalls the best memory whatever it is", async () => {
    const { agentOf } = recorded((prompt) =>
      prompt.endsWith("answer:")
        ? ""
        : `<thinking>t</thinking><update>${prompt.length}</update><recall>sand</recall>`,
    );
    const config = { memoryOf: "reply", similarityFloor: null, memoryTokens: 40 } as const;
    const result = await agentOf(config).run({ document, question });
    expect(result.steps[0]?.memory).toMatch(/^<thinking>t<\/thinking><update>\d+<\/update>$/);
    expect(result.steps.map(({ recalled }) => recalled)).toEqual([
      "",
      "",
      result.steps[0]?.memory,
      result.steps[1]?.memory,
    ]);
  });

  it("recalls from before its reply, or with recallOrder after also what it has just written", async () => {
    const script = (prompt: string) =>
      prompt.endsWith("answer:") ? "" : `<update> sand ${prompt.length}.</update><recall>sand</recall>`;
    const recalledBy = async (recallOrder: "before" | "after") => {
      const { agentOf } = recorded(script);
      const { steps } = await agentOf({ recallOrder, memoryTokens: 40 }).run({ document, question });
      return steps.map(({ recalled, memory }) => ({ recalled, memory }));
    };
    const [, second] = await recalledBy("before");
    expect(second?.recalled).toBe("");
    const [first, own] = await recalledBy("after");
    expect(own?.recalled).toBe(first?.memory);
  });

  it("samples at most replyTokens for a reply, which may not be more than memoryTokens", async () => {
    const { agentOf, requests } = recorded();
    await agentOf({ memoryTokens: 40, replyTokens: 9 }).run({ document, question });
    expect(requests.slice(0, -1).map(({ maxTokens }) => maxTokens)).toEqual([9, 9, 9, 9]);
    expect(() => agentOf({ memoryTokens: 40, replyTokens: 41 })).toThrow(
      /replyTokens.*is 41, but a reply with all of memoryTokens has 40; lower replyTokens/,
    );
  });

  it("gives the same episode from any state of it, with the totals of the whole (REMEMR-5)", async () => {
    const task = { document, question };
    const states: EpisodeState[] = [];
    const keep = ({ state }: AgentProgress) => {
      if (state) states.push(JSON.parse(JSON.stringify(state)) as EpisodeState);
    };
    const { agentOf, requests } = recorded();
    const whole = await agentOf().run(task, { seed: 3, onProgress: keep });
    expect(states.map(({ documentPosition }) => documentPosition)).toEqual([8, 16, 24, 32]);
    for (const [at, resumeFrom] of states.entries()) {
      requests.length = 0;
      const rest = await agentOf().run(task, { seed: 3, resumeFrom });
      expect(requests).toHaveLength(4 - at);
      const { steps, conversations, ...totals } = whole;
      expect(rest).toEqual({
        ...totals,
        steps: steps.slice(at + 1),
        conversations: conversations.slice(at + 1),
      });
    }
  });

  it("refuses a state of another agent or of other settings", async () => {
    const { agentOf, sampler, tokenizer } = recorded();
    const states: EpisodeState[] = [];
    await agentOf().run({ document, question }, { onProgress: ({ state }) => state && states.push(state) });
    const resumeFrom = states[0] as EpisodeState;
    const other = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
    const refused = { code: "BAD_STATE" };
    await expect(other.run({ document, question }, { resumeFrom })).rejects.toMatchObject(refused);
    const wider = agentOf({ chunkTokens: 12 });
    await expect(wider.run({ document, question }, { resumeFrom })).rejects.toMatchObject(refused);
  });

  it("makes no further call after an abort and throws its reason (REMEMR-7)", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { agentOf, requests } = recorded((prompt) => {
      if (prompt.includes("figs from")) controller.abort(reason);
      return lookBack(prompt);
    });
    await expect(agentOf().run({ document, question }, { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(2);
  });
});
