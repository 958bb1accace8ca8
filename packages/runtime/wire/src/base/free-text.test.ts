import fc from "fast-check";
import { expect, test } from "vitest";
import { freeText } from "./free-text.js";

test("a text that fits is unchanged, except for halves of surrogate pairs", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(freeText(text)).toBe(text.toWellFormed());
    }),
  );
});

test("a longer text is cut at a whole character and says how much was cut", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", minLength: 200 }),
      fc.integer({ min: 100, max: 200 }),
      (text, max) => {
        fc.pre(Buffer.byteLength(text) > max);
        const cut = freeText(text, max);
        expect(cut.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        const [, kept = "", bytes] = /^(.*) … \[(\d+) bytes were cut here\]$/s.exec(cut) ?? [];
        expect(text.toWellFormed().startsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept) + Number(bytes)).toBe(Buffer.byteLength(text));
      },
    ),
  );
});
