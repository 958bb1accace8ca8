import { describe, expect, it } from "vitest";
import { readExactJson, readWrittenObject } from "./exact-json.js";
import { Float } from "./values.js";

describe("JSON, read exactly,", () => {
  it("keeps numbers, the order of keys and every key", () => {
    expect(
      readExactJson(' {"b": 12345678901234567890, "2": 1.0, "1": [1e3, -0], "__proto__": {"a": null}} '),
    ).toEqual(
      new Map<string, unknown>([
        ["b", 12345678901234567890n],
        ["2", new Float(1)],
        ["1", [new Float(1000), 0]],
        ["__proto__", new Map([["a", null]])],
      ]),
    );
    expect(readExactJson('"\\u00e9\\n"')).toBe("é\n");
  });

  it.each(["", "{", '{"a":1,}', "[1 2]", "01", "NaN", "'a'", '"\n"', "{}x", "[".repeat(500)])(
    "is refused as JSON.parse refuses it: %s",
    (text) => {
      expect(() => readExactJson(text)).toThrow(SyntaxError);
    },
  );

  it("gives the members of an object as they are written", () => {
    const { members, end } = readWrittenObject('x {"a" : {"k":  1.0 }, "b": "</x>"} rest', 1);
    expect([...members]).toEqual([
      ["a", '{"k":  1.0 }'],
      ["b", '"</x>"'],
    ]);
    expect(end).toBe(35);
  });
});
