import { describe, expect, it } from "vitest";
import { ChatSession, type ChatSettings } from "./chat-session.js";
import type { TextQuestion, TextSource } from "./text-source.js";

/** Answers each question with the next text, in pieces of words. */
function aSource(...answers: readonly (string | Error)[]) {
  const asked: TextQuestion[] = [];
  const source: TextSource = {
    name: "scripted",
    ask: (question) => {
      const answer = answers[asked.push(question) - 1] ?? "";
      const pieces = answer instanceof Error ? [] : answer.split(/(?= )/);
      const usage = { promptTokens: 1, sampledTokens: pieces.length };
      const result =
        answer instanceof Error
          ? Promise.reject(answer)
          : Promise.resolve({
              text: answer,
              stopReason: answer.endsWith("…") ? "length" : "stop",
              usage,
            } as const);
      result.catch(() => undefined);
      return {
        result,
        async *[Symbol.asyncIterator]() {
          yield* pieces;
          await result;
        },
      };
    },
    close: async () => undefined,
  };
  return { source, asked };
}

function aSession(source: TextSource, settings: Partial<ChatSettings> = {}) {
  let shown = "";
  const session = new ChatSession(source, { stats: false, ...settings }, (text) => {
    shown += text;
  });
  return { session, shown: () => shown };
}

describe("a chat", () => {
  it("carries what was said before into each question, after the system message", async () => {
    const { source, asked } = aSource(" Hello Ada.", "Ada.");
    const { session, shown } = aSession(source, { system: "Be terse.", seed: 4 });
    await session.line("I am Ada.");
    await session.line("  Who am I?  ");
    expect(shown()).toBe("Hello Ada.\nAda.\n");
    expect(asked[1]?.seed).toBe(4);
    expect(asked[1]?.messages).toEqual([
      { role: "system", content: "Be terse." },
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Hello Ada." },
      { role: "user", content: "Who am I?" },
    ]);
  });

  it("forgets with /reset and /system, ends with /exit, and asks nothing for commands and blank lines", async () => {
    const { source, asked } = aSource("a", "b", "c");
    const { session, shown } = aSession(source);
    expect(await session.line("one")).toBe(true);
    expect(await session.line("/reset")).toBe(true);
    await session.line("two");
    await session.line("/system You are  a cat.");
    await session.line("");
    await session.line("three");
    await session.line("/nonsense");
    expect(await session.line("/exit")).toBe(false);
    expect(asked.map(({ messages }) => messages?.map(({ content }) => content))).toEqual([
      ["one"],
      ["two"],
      ["You are  a cat.", "three"],
    ]);
    expect(shown()).toMatch(/\/nonsense: unknown command[\s\S]*\/reset/);
  });

  it("shows times when asked, and says when an answer was cut", async () => {
    const { source } = aSource("one two three…");
    const { session, shown } = aSession(source);
    await session.line("/stats");
    await session.line("count");
    expect(shown()).toMatch(
      /^one two three…\n\(truncated at --max-tokens\)\n\(first token after \d+\.\d\d s, 3 tokens in .* tokens\/s\)\n$/,
    );
  });

  it("leaves a failed question out of the conversation", async () => {
    const { source, asked } = aSource(new Error("too long"), "fine");
    const { session } = aSession(source);
    await expect(session.line("first")).rejects.toThrow("too long");
    await session.line("second");
    expect(asked[1]?.messages).toEqual([{ role: "user", content: "second" }]);
  });
});
