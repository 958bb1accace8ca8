import { createRandom } from "@palimpsest/std/random";
import { describe, expect, it } from "vitest";
import { ByteWindow } from "./byte-window.js";
import { StringScan } from "./json-string.js";

function isJson(text: Buffer): boolean {
  try {
    JSON.parse(text.toString("latin1"));
    return true;
  } catch {
    return false;
  }
}

/** One for all: a window takes two megabytes, whose making would be the most of 22,000 scans. */
const shared = new ByteWindow();

/** The shared window with these bytes alone; behind them lies what was in it before, which nothing may look at. */
function windowOf(bytes: Buffer): ByteWindow {
  shared.from = 0;
  shared.to = 0;
  shared.append(bytes);
  return shared;
}

describe("StringScan", () => {
  it("takes for clean what JSON.parse takes, and ends where it ends, wherever a string stands in its words", () => {
    const random = createRandom("strings");
    const pieces = ["a", "abcdefg", "\\n", "\\\\", '\\"', "\\u00e4", "\\uD83D", "\x80\xff", "\x7f", " "];
    const wrong = ["\t", "\x00", "\x1f", "\\x", "\\u12", "\\u12g4", "\\U1234"];
    let refused = 0;
    for (let round = 0; round < 20_000; round++) {
      const parts = Array.from({ length: random.below(8) }, () => random.pick(pieces));
      if (round % 2 === 0) parts.splice(random.below(parts.length + 1), 0, random.pick(wrong));
      const string = Buffer.from(`"${parts.join("")}"`, "latin1");
      const before = random.below(4);
      const window = windowOf(Buffer.concat([Buffer.alloc(before, "["), string, Buffer.from(',"more"')]));
      const scan = new StringScan();
      expect(scan.endOf(window, before + 1, window.to)).toBe(before + string.length - 1);
      expect(scan.clean, string.toString("latin1")).toBe(isJson(string));
      refused += scan.clean ? 0 : 1;
      expect(scan.endOf(window, before + 1, before + string.length - 1)).toBe(-1);
    }
    expect(refused).toBeGreaterThan(5_000);
  });

  it("meets every byte at every place of a word", () => {
    for (let byte = 0; byte < 256; byte++) {
      for (let place = 0; place < 8; place++) {
        const string = Buffer.alloc(12, "x");
        string.set([byte], 1 + place);
        string.set([0x22], 11);
        const window = windowOf(string);
        const scan = new StringScan();
        const escaped = byte === 0x5c ? -2 : byte;
        expect(scan.endOf(window, 1, 12)).toBe(byte === 0x22 ? 1 + place : 11);
        expect(scan.clean).toBe(escaped >= 0x20);
      }
    }
  });
});
