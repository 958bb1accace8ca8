import fc from "fast-check";
import { expect, test } from "vitest";
import { writeOutput } from "./output.js";
import { TerminalText } from "./terminal-text.js";

function shown(chunks: readonly Uint8Array[]): string {
  const text = new TerminalText();
  return chunks.map((chunk) => text.push(chunk)).join("") + text.end();
}

const cases = [
  ["colors, and ends them", "\u001b[1;31mred\u001b[0m", "\u001b[1;31mred\u001b[0m\u001b[0m"],
  ["a progress bar as lines", "10%\r50%\r100%\n", "10%\n50%\n100%\n"],
  ["no cursor moves", "\u001b[2J\u001b[Hgone", "gone"],
  ["no title", "\u001b]0;evil\u0007text", "text"],
  ["no clipboard write that ends with ST", "\u001b]52;c;aGk=\u001b\\text", "text"],
  ["Windows line ends", "one\r\ntwo", "one\ntwo"],
  ["characters of several bytes", "日本 👍\n", "日本 👍\n"],
] as const;

test.each(cases)("a terminal is shown %s, however the bytes are cut", (_, text, expected) => {
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.byteLength), { maxLength: 6 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.byteLength];
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      expect(shown(chunks)).toBe(expected);
    }),
  );
});

test("a terminal obeys nothing of any output but styles", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (chunks) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      const rest = shown(chunks).replace(/\u001b\[[0-9;:]*m/g, "");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(rest).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});

test("a file or a pipe gets the bytes as they are", async () => {
  const chunks = [Buffer.from([0xff, 0xfe, 0, 0x80]), Buffer.from("\u001b[31mred\r\nno end")];
  const written: (string | Uint8Array)[] = [];
  const write = (chunk: string | Uint8Array) => written.push(chunk) > 0;
  async function* output() {
    yield* chunks;
  }
  await writeOutput(output(), { isTTY: false, write });
  expect(written).toEqual(chunks);
});
