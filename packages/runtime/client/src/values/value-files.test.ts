import { execFile } from "node:child_process";
import { renameSync, truncateSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  encodeLong,
  mappingProblem,
  markReference,
  objectReference,
  pageBeginBytes,
  releasePages,
  storedValue,
  wholeOf,
} from "@palimpsest/wire";
import { beforeEach, describe, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { readFileInto, readFileValue, writeFileValue } from "./value-files.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const unbound = () => undefined;

test("a file that is freed and cut while it is read is the object's no more, whatever its bytes say (FILEVALUE-1)", async () => {
  const path = join(folder, "value");
  const reference = new (class Reference {})();
  markReference(reference, objectReference("ab".repeat(20), 8, ""));
  const whole = wholeOf(storedValue(encodeLong([reference, new Float64Array(300_000).fill(7)])));
  await writeFile(path, whole);
  const bind = () => {
    // Its reference is read before its array. Other bytes come into the file under another name, as when another value is
    // written there.
    renameSync(path, join(folder, "next"));
    truncateSync(join(folder, "next"), 1_000);
  };
  expect((await readFileValue(path, whole.byteLength, { bind, isMappable: false })) === undefined).toBe(true);
});

test("values of every size are written whole: at once up to 1 MiB, else in slices, and not after the signal", async () => {
  const path = join(folder, "value");
  for (const sizeBytes of [0, 1, 100_000, 1024 * 1024 - 7, 20 * 1024 * 1024]) {
    await writeFile(path, "");
    const body = Buffer.alloc(sizeBytes).map((_byte, at) => at % 251);
    const pieces = [Buffer.from("before"), new Uint8Array(), body, Buffer.from("after")];
    await writeFileValue(path, pieces);
    expect(Buffer.concat(pieces).equals(await readFile(path)), `${sizeBytes} bytes`).toBe(true);
  }
  await expect(writeFileValue(path, [Buffer.from("late")], AbortSignal.abort())).rejects.toThrow();
  await expect(writeFileValue(join(folder, "none"), [Buffer.from("x")])).rejects.toThrow("ENOENT");
});

test("a file that is the object's and does not say so is an error", async () => {
  const path = join(folder, "value");
  await writeFile(path, Buffer.alloc(1_000, 0xff));
  await expect(readFileValue(path, 1_000, { bind: unbound, isMappable: false })).rejects.toMatchObject({
    code: "CODEC",
  });
});

describe.skipIf(mappingProblem() !== "")(
  "values whose arrays are the pages of their file (FILEVALUE-2)",
  () => {
    const long = {
      // Smaller arrays are mapped only where the C library gives them their own pages, and copied elsewhere.
      floats: new Float32Array(8_500_000).fill(1.5),
      bytes: Buffer.alloc(300_000, 7),
      buffer: new Uint8Array(400_000).fill(3).buffer,
      view: new DataView(new ArrayBuffer(500_000)),
      short: new Float64Array(5_000).fill(0.5),
      text: "plain",
    };
    const written = async () => {
      const path = join(folder, "value");
      const whole = wholeOf(storedValue(encodeLong(long)));
      await writeFile(path, whole);
      return { path, sizeBytes: whole.byteLength };
    };
    const read = async (path: string, sizeBytes: number, into?: ArrayBuffer, isShared = false) => {
      const found = await readFileValue(path, sizeBytes, { bind: unbound, isMappable: true, into, isShared });
      return found?.value as typeof long | undefined;
    };

    test("come back equal and of their kinds, each time as a new value, and short arrays are copied", async () => {
      const { path, sizeBytes } = await written();
      const [one, other] = [await read(path, sizeBytes), await read(path, sizeBytes)];
      one?.floats.fill(-1);
      expect(other?.floats.every((value) => value === 1.5)).toBe(true);
      expect(other?.bytes.constructor).toBe(Uint8Array);
      expect(other?.bytes.every((value) => value === 7)).toBe(true);
      expect(other?.buffer).toBeInstanceOf(ArrayBuffer);
      expect(new Uint8Array(other?.buffer ?? new ArrayBuffer(1)).every((value) => value === 3)).toBe(true);
      expect(other?.view).toBeInstanceOf(DataView);
      expect([other?.short[4_999], other?.text]).toEqual([0.5, "plain"]);
      // Every array has a buffer of its own, of exactly its length.
      expect([other?.floats.byteOffset, other?.floats.buffer.byteLength]).toEqual([0, 34_000_000]);
      const released = [one, other].map((value) => releasePages(value?.floats.buffer ?? new ArrayBuffer(1)));
      expect(released).toEqual([true, true]);
    });

    test("a given buffer of an array's length is that array's", async () => {
      const { path, sizeBytes } = await written();
      const into = new ArrayBuffer(34_000_000);
      const value = await read(path, sizeBytes, into);
      expect(value?.floats.buffer).toBe(into);
      expect(value?.floats.every((one) => one === 1.5)).toBe(true);
    });

    test("arrays in shared memory are a reader's own, too, and what is no view keeps its kind", async () => {
      const { path, sizeBytes } = await written();
      const one = await read(path, sizeBytes, undefined, true);
      const other = await read(path, sizeBytes, undefined, true);
      const kinds = [other?.floats, other?.bytes, other?.view, other?.short].map((view) => view?.buffer);
      expect(kinds.every((buffer) => (buffer as unknown) instanceof SharedArrayBuffer)).toBe(true);
      expect(other?.buffer).toBeInstanceOf(ArrayBuffer);
      one?.floats.fill(-1);
      expect(other?.floats.every((value) => value === 1.5)).toBe(true);
      expect(other?.bytes.every((value) => value === 7)).toBe(true);
      const released = [one, other].map((value) => releasePages(value?.floats.buffer ?? new ArrayBuffer(1)));
      expect([...released, other?.floats.every((value) => value === 0)]).toEqual([true, true, true]);
    });

    test("objects of bytes become the pages of targets that are one piece from a page on, and are copied into others", async () => {
      const path = join(folder, "object");
      const body = Buffer.alloc(34_000_000).map((_byte, at) => at % 251);
      await writeFile(path, body);
      // The first may get memory that was freed, and only pages of its own can become those of a file.
      const [, , one = new ArrayBuffer(0)] = Array.from(
        { length: 3 },
        () => new ArrayBuffer(pageBeginBytes + body.byteLength),
      );
      const other = new Uint8Array(body.byteLength);
      const cut = 20_000_001;
      const targets = [new Uint8Array(one, pageBeginBytes, cut), new Uint8Array(one, pageBeginBytes + cut)];
      expect(await readFileInto(path, [other.subarray(0, cut), other.subarray(cut)], true)).toBe(true);
      expect(await readFileInto(path, targets, true)).toBe(true);
      const compared = [other, new Uint8Array(one, pageBeginBytes)].map((bytes) =>
        Buffer.compare(body, bytes),
      );
      expect(compared).toEqual([0, 0]);
      targets[0]?.fill(0);
      expect(Buffer.compare(body, await readFile(path))).toBe(0);
      expect([releasePages(one), releasePages(other.buffer)]).toEqual([true, false]);
    });

    test("a file that lost its name before it was locked is not read", async () => {
      const { path, sizeBytes } = await written();
      expect(await read(path, sizeBytes + 1)).toBeUndefined();
      renameSync(path, join(folder, "freed"));
      expect(await read(path, sizeBytes)).toBeUndefined();
    });

    test("ten thousand of them are kept, dropped, written to, transferred and read in threads while files are reused (MAPPED-1)", async () => {
      const program = fileURLToPath(new URL("../../../../../bench/runtime/mapped-gets.mjs", import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--expose-gc",
        program,
        "10000",
        "262144",
      ]);
      const { gets, transferred, shared, recycled, threads } = JSON.parse(stdout);
      expect([gets, transferred > 50, shared > 10, recycled > 50, threads]).toEqual([
        ...[10_000, true, true],
        ...[true, 2],
      ]);
    });
  },
);
