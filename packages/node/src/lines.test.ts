import { expect, test } from "vitest";
import { LineSplitter, LineTail } from "./lines.js";

test("lines are told when they are whole, with their ends", () => {
  const splitter = new LineSplitter();
  expect(splitter.push(Buffer.from("one\ntw"))).toBe("one\n");
  expect(splitter.push(Buffer.from("o"))).toBe("");
  expect(splitter.push(Buffer.from("\nthree"))).toBe("two\n");
  expect(splitter.end()).toBe("three\n");
  expect(splitter.end()).toBe("");
});

test("a line that never ends is cut, so that memory stays bounded", () => {
  const splitter = new LineSplitter(8);
  expect(splitter.push(Buffer.from("123456789"))).toBe("123456789\n");
  expect(splitter.end()).toBe("");
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
