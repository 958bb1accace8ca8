import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { shellWord } from "./shell-word.js";

it("leaves plain paths alone, and gives a shell every other text as one word", () => {
  expect(shellWord("/a/b-1.2/c_d")).toBe("/a/b-1.2/c_d");
  expect(shellWord("nº 22")).toBe("'nº 22'");
  expect(shellWord("")).toBe("''");
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((one) => !one.includes("\0"));
  const texts = fc.sample(
    fc.oneof(text, fc.string({ unit: fc.constantFrom(..."' $`\\\"~*&;\n!#"), maxLength: 8 })),
    200,
  );
  const said = execFileSync("sh", ["-c", `printf '%s\\0' ${texts.map(shellWord).join(" ")}`], {
    encoding: "utf8",
  });
  expect(said.split("\0").slice(0, -1)).toEqual(texts);
});
