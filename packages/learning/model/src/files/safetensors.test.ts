import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { f32, safetensorsBytes } from "./model.fixture.js";
import { readSafetensors, SafetensorsFile } from "./safetensors.js";
import { writableTensor, writeSafetensors } from "./safetensors-writer.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, "x.safetensors");
});

const halves = (...words: number[]) => new Uint8Array(new Uint16Array(words).buffer);
const aTensor = { dtype: "F32", shape: [2], bytes: f32(1, 2) };

describe("a safetensors file", () => {
  it("widens BF16 and F16 exactly", async () => {
    await writeFile(
      path,
      safetensorsBytes({
        odd: { dtype: "F32", shape: [1], bytes: f32(0.1) },
        bf: { dtype: "BF16", shape: [4], bytes: halves(0x3f80, 0xc000, 0x3e20, 0x0000) },
        half: { dtype: "F16", shape: [5], bytes: halves(0x3c00, 0xc000, 0x0001, 0x7bff, 0x3555) },
        whole: { dtype: "I32", shape: [2], bytes: new Uint8Array(new Int32Array([-7, 7]).buffer) },
        empty: { dtype: "F32", shape: [0, 4], bytes: f32() },
        scalar: { dtype: "F32", shape: [], bytes: f32(3) },
      }),
    );
    const tensors = await readSafetensors(path);
    expect([...(tensors["bf"]?.values ?? [])]).toEqual([1, -2, 0.15625, 0]);
    expect([...(tensors["half"]?.values ?? [])]).toEqual([1, -2, 2 ** -24, 65504, 1365 / 4096]);
    expect(tensors["odd"]?.values[0]).toBe(Math.fround(0.1));
    expect([...(tensors["whole"]?.values ?? [])]).toEqual([-7, 7]);
    expect(tensors["empty"]?.values).toHaveLength(0);
    expect([...(tensors["scalar"]?.values ?? [])]).toEqual([3]);
  });

  it("gives values in pieces of a few MiB, in order, and comes back as it was written", async () => {
    const values = Float32Array.from({ length: 2_500_000 }, (_, i) => i);
    await writeSafetensors(path, [writableTensor("w", [2_500, 1_000], values)]);
    const file = await SafetensorsFile.open(path);
    const offsets: number[] = [];
    const seen = new Float32Array(values.length);
    await file.read("w", (piece, offset) => {
      offsets.push(offset);
      seen.set(piece, offset);
    });
    await file.close();
    expect(offsets).toEqual([0, 1 << 20, 2 << 20]);
    expect(Buffer.from(seen.buffer).equals(Buffer.from(values.buffer))).toBe(true);
  });

  it("rounds to the nearest bfloat16, ties to even", async () => {
    const values = new Float32Array([
      1,
      1 + 2 ** -8,
      1 + 3 * 2 ** -8,
      1 + 2 ** -8 + 2 ** -12,
      -3.14159274,
      0,
    ]);
    await writeSafetensors(path, [writableTensor("w", [2, 3], values)], "bfloat16");
    const stored = (await readSafetensors(path))["w"];
    expect([...(stored?.values ?? [])]).toEqual([1, 1, 1 + 2 ** -6, 1 + 2 ** -7, -3.140625, 0]);
  });

  it("stops reading when the signal says so", async () => {
    await writeFile(path, safetensorsBytes({ w: aTensor }));
    const file = await SafetensorsFile.open(path);
    const reading = file.read("w", () => undefined, AbortSignal.abort(new Error("enough")));
    await expect(reading).rejects.toThrow("enough");
    await file.close();
  });
});

describe("a damaged safetensors file", () => {
  const header = (text: string, length = text.length) => {
    const bytes = Buffer.alloc(8 + text.length);
    bytes.writeBigUInt64LE(BigInt(length));
    bytes.write(text, 8);
    return bytes;
  };

  it.each([
    ["is empty", Buffer.alloc(0), /0 bytes, too short/],
    ["ends within the length", Buffer.alloc(5), /5 bytes, too short/],
    [
      "has a header longer than itself",
      header("{}", 1000),
      /truncated: header of 1000 bytes in a file of 10/,
    ],
    ["has a header of 2^60 bytes", header("{}", 2 ** 60), /truncated: header/],
    ["has a header that is not JSON", header("{"), /header is not JSON/],
    ["has a header that is no table", header("[1]"), /header/],
    ["has a tensor without offsets", header('{"w":{"dtype":"F32","shape":[1]}}'), /header.*data_offsets/s],
    ["has a negative offset", header('{"w":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}'), /header/],
    [
      "has tensors that overlap",
      safetensorsBytes({ a: aTensor, b: { ...aTensor, offsets: [4, 12] } }),
      /tensor b overlaps a/,
    ],
    [
      "has bytes of no tensor between",
      safetensorsBytes({ a: aTensor, b: { ...aTensor, offsets: [12, 20] } }),
      /4 bytes before tensor b belong to no tensor/,
    ],
    [
      "has bytes of no tensor at the end",
      Buffer.concat([safetensorsBytes({ a: aTensor }), Buffer.alloc(3)]),
      /3 bytes at the end/,
    ],
    [
      "has a shape that its bytes do not fill",
      safetensorsBytes({ w: { ...aTensor, shape: [3] } }),
      /tensor w: 8 bytes for F32 \[3\]/,
    ],
    [
      "has offsets that run backwards",
      safetensorsBytes({ w: { ...aTensor, offsets: [8, 0] } }),
      /tensor w: -8 bytes/,
    ],
  ])("is refused when it %s", async (_, bytes, message) => {
    await writeFile(path, bytes);
    await expect(readSafetensors(path)).rejects.toThrow(message);
    await expect(readSafetensors(path)).rejects.toMatchObject({ code: "FILE_DAMAGED" });
  });

  it.each([
    [
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 269060552\n",
      /is a Git LFS pointer.*git lfs pull/,
    ],
    ["/annex/objects/SHA256E-s269060552--4d7a2146.safetensors\n", /is a git-annex pointer.*git annex get/],
    ["<!DOCTYPE html><html><head><title>Sign in</title>", /is a web page.*HF_TOKEN/],
    ["\n  <html lang=en>", /is a web page/],
    ['{"error":"Access to model is restricted"}', /is JSON and not the weights: \{"error":"Access/],
  ])("is named when a download left something else: %j", async (text, message) => {
    await writeFile(path, text);
    await expect(readSafetensors(path)).rejects.toThrow(message);
    await expect(readSafetensors(path)).rejects.toMatchObject({ code: "FILE_DAMAGED" });
  });

  it("is refused with metadata that are not texts, as by Python", async () => {
    const header = Buffer.from(JSON.stringify({ __metadata__: { step: 3 } }));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    await writeFile(path, Buffer.concat([length, header]));
    await expect(readSafetensors(path)).rejects.toThrow(/__metadata__ in the header must have texts/);
  });

  it("is refused when it is cut short, also between opening and reading", async () => {
    const whole = safetensorsBytes({
      w: { dtype: "F32", shape: [1000], bytes: f32(...Array(1000).fill(1)) },
    });
    await writeFile(path, whole);
    const file = await SafetensorsFile.open(path);
    await truncate(path, whole.length - 1);
    await expect(file.read("w", () => undefined)).rejects.toThrow(/FILE_DAMAGED.*truncated while/);
    await file.close();
    await expect(readSafetensors(path)).rejects.toThrow(/FILE_DAMAGED.*truncated: tensor w/);
  });

  it("names the tensor of a dtype that cannot be widened", async () => {
    await writeFile(
      path,
      safetensorsBytes({ w: { dtype: "F8_E4M3", shape: [2], bytes: new Uint8Array(2) } }),
    );
    await expect(readSafetensors(path)).rejects.toThrow(/DTYPE_UNSUPPORTED.*tensor w.*F8_E4M3/);
  });
});
