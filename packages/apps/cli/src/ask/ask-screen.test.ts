import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { harmless, openAskScreen } from "./ask-screen.js";

function aStream(terminal: boolean) {
  let written = "";
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString();
      done();
    },
  });
  Object.assign(stream, { isTTY: terminal, columns: 100, rows: 30 });
  return { stream: stream as unknown as NodeJS.WriteStream, written: () => written };
}

const step = (at: number, memory: string, recalled = "") => ({
  step: at,
  kind: "memory" as const,
  memoryStep: { step: at, documentTokenStart: at * 10, documentTokenEnd: at * 10 + 10, memory, recalled },
  documentTokensRead: at * 10 + 10,
  sampledTokens: 4,
  truncated: at === 2,
  seconds: 1,
});

function show(terminal: boolean): string {
  const { stream, written } = aStream(terminal);
  const screen = openAskScreen(stream);
  screen.start({ documentTokens: 40, documentTokensRead: 0, memory: "" });
  screen.step(step(0, "tom\nlikes tea"));
  screen.step(step(1, "tom\nlikes tea"));
  screen.note("tried again:\nbusy");
  screen.step(step(2, "tom likes \u001b[2Jfigs", "an earlier\u0007 note"));
  screen.close();
  return written();
}

describe("what a person sees of ask", () => {
  it("is a line a step where there is no terminal, with the memory when it changed", () => {
    expect(show(false).split("\n")).toEqual([
      "reading 40 tokens",
      "[ 25 %] step 1, 10 tokens read; memory: tom likes tea",
      "[ 50 %] step 2, 20 tokens read; memory unchanged",
      "tried again: busy",
      "[ 75 %] step 3, 30 tokens read; recalled: an earlier note; memory: tom likes [2Jfigs (truncated at its token limit)",
      "",
    ]);
  });

  it("is an estimate of the rest, too, in a log of what takes long", () => {
    const { stream, written } = aStream(false);
    let nowMs = 0;
    const screen = openAskScreen(stream, () => nowMs);
    screen.start({ documentTokens: 40, documentTokensRead: 0, memory: "" });
    nowMs = 60_000;
    screen.step(step(0, "tom"));
    screen.close();
    expect(written()).toContain("[ 25 %] step 1, 10 tokens read, ETA 3 min 00 s; memory: tom\n");
  });

  it("is a bar by document tokens and the memory on a terminal, what is new in it in green", () => {
    const written = show(true);
    const text = stripVTControlCharacters(written);
    expect(text).toMatch(/reading {3}█{18}░{6} 75 % {3}30 of 40 tokens/);
    expect(text).toContain("recalled  an earlier note");
    expect(written).toContain("\u001b[32m [2Jfigs\u001b[39m");
    expect(text).toContain("tried again: busy\n");
  });

  it("never passes on what a terminal would obey", () => {
    expect(show(true)).not.toContain("\u001b[2J\u001b");
    expect(show(true)).not.toContain("\u0007");
    expect(harmless("a\u001b]0;title\u0007b\u009bc\u202ed\ne")).toBe("a ]0;title b c d\ne");
  });
});
