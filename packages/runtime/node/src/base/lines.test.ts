import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter, LineTail } from "./lines.js";

test("lines are passed on when they are whole, with their ends", () => {
  const splitter = new LineSplitter();
  const push = (text: string) => splitter.push(Buffer.from(text)).toString();
  expect(push("one\ntw")).toBe("one\n");
  expect(push("o")).toBe("");
  expect(push("\nthree")).toBe("two\n");
  expect(splitter.end().toString()).toBe("three");
  expect(splitter.end().toString()).toBe("");
});

test("a line that does not end is passed on in pieces, so that memory stays bounded", () => {
  const splitter = new LineSplitter(8);
  expect(splitter.push(Buffer.from("12345678")).toString()).toBe("");
  expect(splitter.push(Buffer.from("9")).toString()).toBe("123456789");
  expect(splitter.push(Buffer.from("0\n")).toString()).toBe("0\n");
  expect(splitter.push(Buffer.from("a\n123456789")).toString()).toBe("a\n123456789");
});

test("bytes of any kind come out as they went in", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      const splitter = new LineSplitter(16);
      const out = [...chunks.map((chunk) => splitter.push(Buffer.from(chunk))), splitter.end()];
      expect(Buffer.concat(out)).toEqual(Buffer.concat(chunks));
    }),
  );
});

test("the tail keeps the last lines, oldest first, also one without an end", () => {
  const tail = new LineTail(3);
  tail.push(Buffer.from("a\nb\nc\nd\n"));
  tail.push(Buffer.from("e"));
  expect(tail.lines()).toEqual(["c", "d", "e"]);
});

test("the tail cuts lines that are too long for a certificate", () => {
  const tail = new LineTail(1);
  tail.push(Buffer.from(`${"x".repeat(2_000)}\n`));
  expect(tail.lines()[0]).toHaveLength(500);
});
