import { boxedExactMatch } from "@palimpsest/rewards";
import { type Conversation, plainSampling } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { anEpisode } from "./testing.js";
import { traceEpisode } from "./trace-episode.js";
import { traceMarkdown } from "./trace-markdown.js";
import { traceSchema } from "./trace-schema.js";

const base = { origin: "eval", trajectoryId: "x", agent: "memagent" } as const;

describe("traceEpisode", () => {
  it("holds every section, memory, token count and reward, and is a trace", async () => {
    const { task, tokenizer, episode } = await anEpisode();
    const score = { ...boxedExactMatch(episode.answer, task.answers), stepRewards: [0, 0.5, 0, 0, 1] };
    const trace = traceEpisode(task, episode, { ...base, tokenizer, score, secondsOf: (step) => step / 2 });
    expect(traceSchema.parse(JSON.parse(JSON.stringify(trace)))).toEqual(trace);
    expect(trace.memorySteps.map(({ section }) => section).join("")).toBe(task.document);
    expect(trace.memorySteps.map(({ memory }) => memory)).toEqual(
      episode.memorySteps.map(({ memory }) => memory),
    );
    expect(trace.conversations.map(({ sampledTokens }) => sampledTokens)).toEqual(
      episode.conversations.map(({ sampledTokenIds }) => sampledTokenIds.length),
    );
    expect(trace.conversations[1]).toMatchObject({ reward: 0.5, seconds: 0.5, kind: "memory" });
    expect(trace).toMatchObject({
      reward: { total: 1, components: { exactMatch: 1 } },
      task: { answers: ["figs"], metadata: { lengthTokens: 52 } },
      documentTokens: 52,
    });
  });

  it("holds replies, prompts too, or token ids and log-probs too, as one asks", async () => {
    const { task, tokenizer, episode } = await anEpisode();
    const of = (detail: "replies" | "text" | "tokens") =>
      traceEpisode(task, episode, { ...base, tokenizer, detail, sections: false });
    expect(of("replies").conversations[0]?.sampled).toContain("<|end|>");
    expect(of("replies").conversations[0]).not.toHaveProperty("prompt");
    expect(of("replies").memorySteps[0]).not.toHaveProperty("section");
    expect(of("text").conversations[0]?.prompt).toContain("what does tom like?");
    expect(of("text").conversations[0]).not.toHaveProperty("sampledTokenIds");
    const [first] = of("tokens").conversations;
    expect(first?.sampledTokenIds).toEqual(episode.conversations[0]?.sampledTokenIds);
    expect(first?.rolloutLogprobs).toEqual(episode.conversations[0]?.rolloutLogprobs);
  });

  it("writes log-probs that an engine did not tell as null", async () => {
    const { task, tokenizer, episode } = await anEpisode();
    const conversations = episode.conversations.map((conversation) => ({
      ...conversation,
      rolloutLogprobs: Array.from(conversation.rolloutLogprobs, () => Number.NaN),
    }));
    const trace = traceEpisode(task, { ...episode, conversations }, { ...base, tokenizer, detail: "tokens" });
    expect(new Set(trace.conversations[0]?.rolloutLogprobs)).toEqual(new Set([null]));
    expect(traceSchema.safeParse(trace).success).toBe(true);
  });

  it("finds each call of a tool with its answer, behind it or in the next turn's prompt", async () => {
    const { task, tokenizer, episode } = await anEpisode();
    const turn = (step: number, prompt: string, sampled: string): Conversation => ({
      kind: "tool",
      step,
      promptTokenIds: tokenizer.encode(prompt),
      sampledTokenIds: tokenizer.encode(sampled),
      rolloutLogprobs: [],
      sampling: plainSampling,
      stopReason: "stop",
      policyVersion: 0,
    });
    const call = (name: string) => `<tool_call>\n{"name": "${name}", "arguments": {"k": 1}}\n</tool_call>`;
    const answer = (text: string) => `<tool_response>\n${text}\n</tool_response>`;
    const conversations = [
      turn(0, `example ${answer("none")}`, `${call("a")}${call("b")}<tool_call>nonsense</tool_call>`),
      turn(1, `example ${answer("none")} ${answer("1")} ${answer("2")} ${answer("error")}`, call("c")),
    ];
    const trace = traceEpisode(task, { ...episode, conversations }, { ...base, tokenizer });
    expect(trace.toolCalls).toEqual([
      { step: 0, name: "a", arguments: '{"k":1}', result: "1" },
      { step: 0, name: "b", arguments: '{"k":1}', result: "2" },
      { step: 0, name: "", arguments: "nonsense", result: "error" },
      { step: 1, name: "c", arguments: '{"k":1}' },
    ]);
    const whole = [turn(0, "", `${call("a")} ${answer("1")} ${call("b")} ${answer("2")} DONE`)];
    const inOne = traceEpisode(task, { ...episode, conversations: whole }, { ...base, tokenizer });
    expect(inOne.toolCalls?.map(({ name, result }) => [name, result])).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });
});

describe("traceMarkdown", () => {
  it("shows every section, the memory after it, the answer and the right one", async () => {
    const { task, tokenizer, episode } = await anEpisode();
    const score = boxedExactMatch(episode.answer, task.answers);
    const trace = traceEpisode(task, episode, { ...base, tokenizer, score });
    const markdown = traceMarkdown(trace);
    for (const step of trace.memorySteps) {
      expect(markdown).toContain(step.section?.trim());
      expect(markdown).toContain(step.memory.trim());
    }
    expect(markdown).toContain("\\boxed{figs}");
    expect(markdown).toContain("Right: `figs`. Reward 1.");
  });

  it("marks memories that did not change, cuts long sections, and is not broken by code fences", async () => {
    const { task, tokenizer, episode } = await anEpisode();
    const memorySteps = [0, 1].map((step) => ({
      step,
      documentTokenStart: step * 200,
      documentTokenEnd: (step + 1) * 200,
      memory: " same",
      recalled: "",
    }));
    const document = `\`\`\` ${"word ".repeat(400)}`;
    const trace = traceEpisode({ ...task, document }, { ...episode, memorySteps }, { ...base, tokenizer });
    const markdown = traceMarkdown(trace, { mostCharacters: 100 });
    expect(markdown).toContain("characters omitted");
    expect(markdown).toContain("````");
    expect(markdown.match(/\(as before\)/g)).toHaveLength(1);
  });
});
