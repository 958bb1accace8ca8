import { expect, test } from "vitest";
import { entry } from "./entry.js";

test("an entry is read by index or by name, and one that is missing is named", () => {
  expect(entry([7, 0], 1)).toBe(0);
  expect(entry(Float32Array.of(2), 0)).toBe(2);
  expect(entry({ x: "a" }, "x")).toBe("a");
  expect(() => entry([7], 1)).toThrow('there is no entry "1"; the entries are 0');
  expect(() => entry({}, "x")).toThrow('there is no entry "x"; the entries are none');
});
