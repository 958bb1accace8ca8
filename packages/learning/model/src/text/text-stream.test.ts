import { StopText } from "@palimpsest/memory/text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextStream } from "./text-stream.js";

/** A token a byte: the hardest case for whole characters. */
const bytes = {
  decode: (tokenIds: readonly number[]) => new TextDecoder().decode(Uint8Array.from(tokenIds)),
};
const bytesOf = (text: string) => [...new TextEncoder().encode(text)];
const cut = <T>(items: readonly T[], sizes: readonly number[]): T[][] => {
  const pieces: T[][] = [];
  for (let at = 0, i = 0; at < items.length; i++) {
    const size = sizes.length === 0 ? 1 : (sizes[i % sizes.length] as number);
    pieces.push(items.slice(at, at + size));
    at += size;
  }
  return pieces;
};
/** No half of a surrogate pair. */
const wellFormed = (text: string) => Buffer.from(text).toString() === text;
const sizes = fc.array(fc.integer({ min: 1, max: 5 }));

describe("a text stream", () => {
  it("never puts out half a character, and all of it is the whole text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), sizes, (text, cuts) => {
        const stream = new TextStream(bytes);
        const pieces = cut(bytesOf(text), cuts).map((piece) => stream.push(piece));
        pieces.push(stream.end());
        expect(pieces.join("")).toBe(bytes.decode(bytesOf(text)));
        for (const piece of pieces) expect(wellFormed(piece)).toBe(true);
        if (!text.includes("\ufffd") && wellFormed(text)) expect(pieces.join("")).not.toContain("\ufffd");
      }),
    );
  });

  it("puts out what is certain before bytes that never become a character", () => {
    const stream = new TextStream(bytes);
    expect(stream.push([0x61, 0xe2])).toBe("a");
    expect(stream.push([0x82])).toBe("");
    expect(stream.push([0x62])).toBe("\ufffdb");
    expect(stream.push([0xf0, 0x9f])).toBe("");
    expect(stream.end()).toBe("\ufffd");
    expect(stream.end()).toBe("");
  });

  it("keeps the spaces of a tokenizer that leaves out the first", () => {
    const words = ["one", "two", "three"];
    const decode = (tokenIds: readonly number[]) => tokenIds.map((id) => words[id]).join(" ");
    const stream = new TextStream({ decode });
    expect([0, 1, 2].map((id) => stream.push([id])).join("")).toBe("one two three");
  });

  it("stays fast over a long text", () => {
    let decoded = 0;
    const stream = new TextStream({
      decode: (tokenIds) => {
        decoded += tokenIds.length;
        return "x".repeat(tokenIds.length);
      },
    });
    for (let i = 0; i < 1000; i++) stream.push([i]);
    expect(decoded).toBeLessThan(4000);
  });
});

describe("a stop text", () => {
  it("ends the text before its first occurrence, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "<", "|"), { maxLength: 20 }),
        fc.array(fc.constantFrom("<|", "ab", "a<|b", "|", "bb"), { maxLength: 3 }),
        sizes,
        (letters, stops, cuts) => {
          const text = letters.join("");
          const filter = new StopText(stops);
          let out = "";
          let read = 0;
          for (const piece of cut([...text], cuts)) {
            out += filter.push(piece.join(""));
            read += piece.length;
            if (filter.reached !== undefined) break;
          }
          if (filter.reached === undefined) out += filter.end();
          const seen = text.slice(0, read);
          const ends = stops.map((stop) => seen.indexOf(stop)).filter((at) => at >= 0);
          expect(out).toBe(ends.length === 0 ? seen : seen.slice(0, Math.min(...ends)));
          expect(filter.reached !== undefined).toBe(ends.length > 0);
        },
      ),
    );
  });

  it("lets nothing through afterwards", () => {
    const filter = new StopText([".", ""]);
    expect(filter.push("Yes. No")).toBe("Yes");
    expect(filter.reached).toBe(".");
    expect(filter.push(" more") + filter.end()).toBe("");
  });
});
