import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { checksumBytes, checksumOf } from "./checksum.js";

/** The same sums, word by word. */
function slowly(bytes: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil(bytes.byteLength / 16) * 16);
  padded.set(bytes);
  const sums = new Uint32Array(8);
  for (let at = 0; at < padded.byteLength; at += 4) {
    const lane = (at / 4) % 4;
    sums[lane] = (sums[lane] ?? 0) + padded.readUInt32LE(at);
    sums[lane + 4] = (sums[lane + 4] ?? 0) + (sums[lane] ?? 0);
  }
  return Buffer.from(sums.buffer);
}

test("it is the sums of the words and the sums of those sums, whatever the length", () => {
  for (const length of [0, 1, 15, 16, 17, 4_097, 65_536, 65_537, 200_003]) {
    const bytes = randomBytes(length);
    expect(Buffer.from(checksumOf(bytes)).equals(slowly(bytes))).toBe(true);
  }
  expect(checksumOf(new Uint8Array()).byteLength).toBe(checksumBytes);
});

test("a changed bit and two words that change places make another one", () => {
  const bytes = randomBytes(100_000);
  const right = Buffer.from(checksumOf(bytes));
  for (let times = 0; times < 200; times++) {
    const at = Math.floor((times / 200) * bytes.byteLength);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (times % 8));
    expect(right.equals(checksumOf(changed))).toBe(false);
  }
  const swapped = Buffer.from(bytes);
  swapped.set(bytes.subarray(0, 16), 160);
  swapped.set(bytes.subarray(160, 176), 0);
  expect(right.equals(checksumOf(swapped))).toBe(false);
});
