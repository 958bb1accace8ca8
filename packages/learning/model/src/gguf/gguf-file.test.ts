import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { ModelError, type ModelErrorCode } from "../base/error.js";
import { type GgufFile, openGguf } from "./gguf-file.js";
import {
  bool,
  float32,
  float32Tensor,
  ggufBytes,
  int32s,
  text,
  texts,
  uint32,
} from "./gguf-writer.fixture.js";

const folder = fileFolder();
let files = 0;

/** Opens the bytes as a file, hands it over and closes it. */
async function withFile<T>(bytes: Uint8Array, use: (file: GgufFile) => Promise<T> | T): Promise<T> {
  const path = join(folder, `${files++}.gguf`);
  await writeFile(path, bytes);
  const file = await openGguf(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function expectRefused(bytes: Uint8Array, code: ModelErrorCode, words: string): Promise<void> {
  const refused = withFile(bytes, () => undefined);
  await expect(refused).rejects.toMatchObject({ code });
  await expect(refused).rejects.toThrow(words);
}

const values = Float32Array.from({ length: 12 }, (_, i) => i / 4 - 1);
const q8 = Uint8Array.from({ length: 2 * 34 }, (_, i) => (i % 34 === 0 ? 0 : i % 34 === 1 ? 0x3c : i % 34));
const tensors = [
  float32Tensor("plain", [3, 4], values),
  { name: "packed", shape: [2, 32], type: 8, bytes: q8 },
];
const everyType = {
  u8: { type: 0, value: 250 },
  i8: { type: 1, value: -3 },
  u16: { type: 2, value: 65_000 },
  i16: { type: 3, value: -30_000 },
  u32: uint32(4_000_000_000),
  i32: { type: 5, value: -2_000_000_000 },
  f32: float32(0.5),
  bool: bool(true),
  text: text("grüß dich"),
  texts: texts(["a", "", "Ġb"]),
  ints: int32s([1, -2, 3]),
  u64: { type: 10, value: 2n ** 40n },
  beyond: { type: 10, value: 2n ** 60n },
  i64: { type: 11, value: -5n },
  f64: { type: 12, value: Math.PI },
  nested: {
    type: 9,
    of: 9,
    value: [
      { type: 9, of: 4, value: [1, 2] },
      { type: 9, of: 8, value: ["x"] },
    ],
  },
} as const;

describe("a GGUF file", () => {
  it.each([2, 3])(
    "of version %i gives typed metadata, shapes slowest axis first, and values",
    async (version) => {
      await withFile(ggufBytes(everyType, tensors, { version }), async (file) => {
        expect(file.version).toBe(version);
        expect(Object.fromEntries(file.metadata)).toEqual({
          u8: 250,
          i8: -3,
          u16: 65_000,
          i16: -30_000,
          u32: 4_000_000_000,
          i32: -2_000_000_000,
          f32: 0.5,
          bool: true,
          text: "grüß dich",
          texts: ["a", "", "Ġb"],
          ints: [1, -2, 3],
          u64: 2 ** 40,
          beyond: 2n ** 60n,
          i64: -5,
          f64: Math.PI,
          nested: [[1, 2], ["x"]],
        });
        const [plain, packed] = [...file.tensors.values()];
        if (plain === undefined || packed === undefined) throw new Error("two tensors were written");
        expect(plain.shape).toEqual([3, 4]);
        expect(await file.read(plain)).toEqual(values);
        expect(packed.shape).toEqual([2, 32]);
        const read = await file.read(packed);
        expect([...read.subarray(0, 3), read[63]]).toEqual([2, 3, 4, 33]);
      });
    },
  );

  it("keeps its own alignment", async () => {
    const bytes = ggufBytes({ "general.alignment": uint32(64) }, tensors, { alignment: 64 });
    await withFile(bytes, async (file) => {
      const plain = file.tensors.get("plain");
      if (plain === undefined) throw new Error("plain was written");
      expect(plain.offset % 64).toBe(0);
      expect(await file.read(plain)).toEqual(values);
    });
  });

  it("reads a tensor of more than one chunk, and stops between chunks when told to", async () => {
    const many = Float32Array.from({ length: (1 << 20) + 5 }, (_, i) => i % 1000);
    await withFile(ggufBytes({}, [float32Tensor("many", [many.length], many)]), async (file) => {
      const tensor = file.tensors.get("many");
      if (tensor === undefined) throw new Error("many was written");
      expect(Buffer.from((await file.read(tensor)).buffer).equals(Buffer.from(many.buffer))).toBe(true);
      const stopped = AbortSignal.abort(new Error("enough"));
      await expect(file.read(tensor, stopped)).rejects.toThrow("enough");
    });
  });

  it("that is cut anywhere is refused as damaged, never read beyond its end", async () => {
    const bytes = ggufBytes({ name: text("m"), list: int32s([1, 2]) }, tensors);
    // Behind the last tensor there is only padding.
    for (let cut = 0; cut < bytes.length - 28; cut += 3) {
      await expect(withFile(bytes.subarray(0, cut), () => undefined)).rejects.toMatchObject({
        code: "FILE_DAMAGED",
      });
    }
  });

  it("with any byte changed opens or is refused by a ModelError", async () => {
    const bytes = ggufBytes({ ...everyType }, tensors);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, value) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        await withFile(changed, async (file) => {
          for (const tensor of file.tensors.values()) await file.read(tensor);
        }).catch((reason: unknown) => {
          expect(reason).toBeInstanceOf(ModelError);
        });
      }),
      { numRuns: 300 },
    );
  });

  it("refuses what is no GGUF, another byte order, another version, and one part of several", async () => {
    const good = ggufBytes({});
    await expectRefused(Buffer.concat([Buffer.from("PK"), good]), "FILE_DAMAGED", "does not begin with GGUF");
    await expectRefused(ggufBytes({}, [], { version: 3 << 24 }), "FILE_DAMAGED", "big-endian");
    await expectRefused(ggufBytes({}, [], { version: 1 }), "FILE_DAMAGED", "version 1");
    await expectRefused(
      ggufBytes({ "split.count": { type: 2, value: 4 } }),
      "FILE_DAMAGED",
      "one of 4 parts",
    );
    await expect(openGguf(join(folder, "nowhere.gguf"))).rejects.toMatchObject({ code: "FILE_MISSING" });
  });

  it("refuses tensors that it cannot hold or read, by name", async () => {
    const one = (more: object) =>
      ggufBytes({}, [{ name: "w", shape: [32], type: 0, bytes: new Uint8Array(128), ...more }]);
    await expectRefused(one({ type: 20 }), "DTYPE_UNSUPPORTED", "tensor w is IQ4_NL");
    await expectRefused(one({ type: 99 }), "DTYPE_UNSUPPORTED", "of type 99");
    await expectRefused(
      one({ shape: [40], type: 8 }),
      "FILE_DAMAGED",
      "rows of 40 values, which blocks of 32 do not divide",
    );
    await expectRefused(one({ shape: [2 ** 40, 2 ** 40] }), "FILE_DAMAGED", "has the shape");
    await expectRefused(one({ shape: [2 ** 30] }), "FILE_DAMAGED", "truncated: tensor w ends at byte");
    await expectRefused(one({ shape: [2, 2, 2, 2, 2] }), "FILE_DAMAGED", "5 dimensions");
    const twice = float32Tensor("w", [12], values);
    await expectRefused(ggufBytes({}, [twice, twice]), "FILE_DAMAGED", "occurs twice");
  });
});
