import { describe, expect, it } from "vitest";
import { ToolCallReader } from "./tool-calls.js";

const call = '<tool_call>\n{"name": "look", "arguments": {"where": "Rome"}}\n</tool_call>';

/** What comes out when the text comes in pieces of so many characters. */
function read(text: string, size: number) {
  const reader = new ToolCallReader();
  let written = "";
  for (let at = 0; at < text.length; at += size) written += reader.push(text.slice(at, at + size));
  const { text: rest, calls } = reader.end();
  return { text: written + rest, calls: calls.map((each) => each.function) };
}

describe.each([1, 3, 1000])("an answer in pieces of %i characters", (size) => {
  it("gives its text and its calls apart", () => {
    const look = { name: "look", arguments: '{"where": "Rome"}' };
    expect(read(`I look. ${call}`, size)).toEqual({ text: "I look. ", calls: [look] });
    expect(read(`${call}\n${call}`, size)).toEqual({ text: "", calls: [look, look] });
    // The model was cut before it closed its call, which is whole all the same.
    expect(read(call.replace("</tool_call>", ""), size).calls).toEqual([look]);
  });

  it.each([
    ['{"id": 12345678901234567890, "x": 1.0, "e": 1e3}'],
    ['{"b": 1, "2": "two", "1": "one", "__proto__": {"a": 1}}'],
    ['{"text": "</tool_call> and <tool_call>", "q": "\\n"}'],
    ["{ }"],
  ])("hands on the arguments as they are written: %s", (given) => {
    const expected = [{ name: "get", arguments: given }];
    expect(read(`<tool_call>{"name": "get", "arguments": ${given}}</tool_call>`, size).calls).toEqual(
      expected,
    );
    expect(read(`<tool_call>{"parameters": ${given}, "name": "get"}`, size).calls).toEqual(expected);
    const quoted = JSON.stringify(given);
    expect(read(`<tool_call>{"name": "get", "arguments": ${quoted}}</tool_call>`, size).calls).toEqual(
      expected,
    );
  });

  it("keeps what is no call as the text that it is", () => {
    for (const text of [
      '<tool_call>{"name": "a", "arguments": [1]}</tool_call>',
      "a < b <tool",
      "no call",
      '<tool_call>{"name": </tool_call> then',
      "",
    ])
      expect(read(text, size)).toEqual({ text, calls: [] });
  });
});
