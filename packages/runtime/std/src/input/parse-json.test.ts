import fc from "fast-check";
import { expect, it } from "vitest";
import { parseJson } from "./index.js";

it.each([
  ["hello", '"hello" stands at line 1, column 1, where a value in JSON\'s form is expected'],
  ["", "it ends at line 1, column 1, where a value in JSON's form is expected"],
  ['{"id": "a", "question": ', "it ends at line 1, column 25, where a value in JSON's form is expected"],
  ["{'id': 1}", "\"'id': 1}\" stands at line 1, column 2, where a name in double quotes is expected"],
  ['{"id": NaN}', '"NaN}" stands at line 1, column 8, where a value in JSON\'s form is expected'],
  ['{"a": 01}', '"01}" stands at line 1, column 7, where a value in JSON\'s form is expected'],
  ["[1,\n2,\n]", '"]" stands at line 3, column 1, where a value in JSON\'s form is expected'],
  ['{"a": 1,}', '"}" stands at line 1, column 9, where a name in double quotes is expected'],
  ['{"a": 1 "b": 2}', '"\\"b\\": 2}" stands at line 1, column 9, where a comma or } is expected'],
  ['{"a" 1}', '"1}" stands at line 1, column 6, where a colon is expected'],
  ["[1}", '"}" stands at line 1, column 3, where a comma or ] is expected'],
  ["{} {}", '"{}" stands at line 1, column 4, where its end is expected'],
  ["trueish", '"trueish" stands at line 1, column 1, where a value in JSON\'s form is expected'],
  ['["a\tb"]', '"\\"a\\tb\\"]" stands at line 1, column 2, where a value in JSON\'s form is expected'],
  [
    `x${"y".repeat(1_000)}`,
    `"x${"y".repeat(19)}…" stands at line 1, column 1, where a value in JSON's form is expected`,
  ],
])("says of %j what stands where", (text, said) => {
  expect(() => parseJson(text)).toThrow(new SyntaxError(said));
});

it("finds a place in whatever JSON.parse refuses", () => {
  const signs = fc.constantFrom(..."{}[]:,\"'\\ 0.1e-tnf\n", "true", '"a"', "null");
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      try {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      } catch (reason) {
        // A scan that found nothing wrong would say that the text ends where it should.
        expect(String(reason)).toMatch(/at line \d+, column \d+, where/);
        expect(String(reason)).not.toMatch(/it ends .*where its end/);
      }
    }),
    { numRuns: 500 },
  );
});

it("tells where a text of tens of megabytes stops being JSON", () => {
  const long = "x".repeat(30_000_000);
  expect(() => parseJson(`{"a": "${long}\\n${long}",}`)).toThrow(
    /^"}" stands at line 1, column 60000012, where a name in double quotes is expected$/,
  );
  expect(() => parseJson(`[${" ".repeat(60_000_000)}}`)).toThrow(/^"}" stands at line 1, column 60000002/);
});
