import { expect, test } from "vitest";
import { printable, printableJson, printableLine } from "./printable.js";
import { formatTable } from "./table.js";

test.each([
  ["colors", "\u001b[1;31mred\u001b[0m", "red"],
  ["cursor moves and clearing", "\u001b[2J\u001b[Hgone", "gone"],
  ["a title", "\u001b]0;evil\u0007text", "text"],
  ["a clipboard write that ends with ST", "\u001b]52;c;aGk=\u001b\\text", "text"],
  ["a line that overwrites another", "all is well\rnothing is", "all is wellnothing is"],
  ["Windows line ends", "one\r\ntwo", "one\ntwo"],
  ["a C1 introducer", "\u009b2Jtext", "2Jtext"],
  ["plain text", "tab\tand ünïcode ✓\n", "tab\tand ünïcode ✓\n"],
])("a terminal is shown %s as text", (_what, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("tables show names of others as text", () => {
  expect(formatTable(["role"], [["\u001b[2Jrollout"]])).not.toContain("\u001b");
});

test("a name with line feeds stays in its row, and forges none", () => {
  const table = formatTable(["job", "status"], [["job-1\njob-2  succeeded", "failed"]]);
  expect(table.split("\n")).toHaveLength(2);
  expect(printableLine("a\u2028b\n\nc")).toBe("a b c");
});

test("JSON carries everything, and nothing that a terminal obeys", () => {
  const value = { name: "\u001b[2J\u009b2J\u007f\n" };
  const text = printableJson(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(JSON.parse(text)).toEqual(value);
});
