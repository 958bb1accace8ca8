import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readTurn } from "./calls.js";
import { parseToolCalls } from "./tool-calls.js";

const shared = process.env["PALIMPSEST_SHARED"] ?? resolve(import.meta.dirname, "../../../../../../shared");
const fixture = resolve(shared, "fixtures/scoring/tool_calls.json");
const present = existsSync(fixture);
if (!present) process.stdout.write(`skipped: no golden tool calls in ${fixture}\n`);

/** Calls as both sides are compared: Python's spelling of the arguments does not matter. */
const plain = (calls: Case["calls"]) => calls?.map(({ name, arguments: given }) => ({ name, given })) ?? null;

interface Case {
  readonly id: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[] | null;
  readonly content: string;
  readonly failed_blocks: number;
  readonly contested?: boolean;
}

describe.skipIf(!present)("parseToolCalls beside the reference parser", () => {
  const { cases } = present
    ? (JSON.parse(readFileSync(fixture, "utf8")) as { readonly cases: readonly Case[] })
    : { cases: [] };
  const read = (text: string) => {
    const { blocks, content } = parseToolCalls(text);
    const calls = blocks?.flatMap((block) => ("call" in block ? [block.call] : [])) ?? null;
    return {
      calls: plain(calls),
      content,
      failed: (blocks ?? []).filter((block) => "error" in block).length,
    };
  };

  it("finds the same calls, the same text beside them and as many bad blocks in every uncontested case", () => {
    const settled = cases.filter(({ contested }) => contested !== true);
    expect(settled.length).toBeGreaterThan(50);
    for (const { id, text, calls, content, failed_blocks: failed } of settled)
      expect({ id, ...read(text) }).toEqual({ id, calls: plain(calls), content, failed });
  });

  it("differs in the contested cases in numbers that are not finite alone", () => {
    const differing = cases
      .filter(({ contested }) => contested === true)
      .filter(({ text, calls }) => JSON.stringify(read(text).calls) !== JSON.stringify(plain(calls)));
    for (const { text } of differing) expect(text).toMatch(/NaN|Infinity|1e400|\d{17}/);
  });
});

describe("parseToolCalls", () => {
  it("reads several calls in order, with what is wrong in its place", () => {
    const { blocks, content } = parseToolCalls(
      'a<tool_call>{"name": "x", "arguments": {}}</tool_call>b<tool_call>{</tool_call>c<tool_call>{"name": "y", "arguments": [1]}</tool_call>',
    );
    expect(blocks).toEqual([
      { call: { name: "x", arguments: {} } },
      { error: expect.stringContaining("no valid JSON"), written: "{" },
      { call: { name: "y", arguments: [1] } },
    ]);
    expect(content).toBe("abc");
  });

  it("refuses numbers that JSON does not have", () => {
    for (const number of ["NaN", "-Infinity", "1e400"]) {
      const { blocks } = parseToolCalls(`<tool_call>{"name":"x","arguments":{"a":[${number}]}}</tool_call>`);
      expect(blocks).toEqual([{ error: expect.any(String), written: expect.stringContaining(number) }]);
    }
  });
});

describe("a reply that is one call without its marks", () => {
  const call = { name: "search_memory", arguments: { query: "tea" } };
  const turn = (text: string, malformed: "answer" | "ignore" = "answer") =>
    readTurn(text, { callForm: "hermes", doneWord: "DONE", malformed }, []);

  it("is read by itself and as a block of code, and refused with a reason where it is not JSON", () => {
    const written = JSON.stringify(call, null, 2);
    for (const text of [written, `\n${written} `, `\`\`\`json\n${written}\n\`\`\``])
      expect(turn(text)).toEqual({ blocks: [{ call }], content: "", done: false });
    expect(turn('{"name": "search_memory", "arguments": {"query": "tea",}}').blocks).toMatchObject([
      { error: expect.stringContaining("no valid JSON") },
    ]);
  });

  it("is text for an agent that ignores malformed calls, and beside other text", () => {
    expect(turn(JSON.stringify(call), "ignore").blocks).toEqual([]);
    expect(turn(`I call ${JSON.stringify(call)}`).blocks).toEqual([]);
    expect(turn(`<tool_call>${JSON.stringify(call)}</tool_call>`).blocks).toEqual([{ call }]);
  });
});
