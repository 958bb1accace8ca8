import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import {
  canMapIn,
  isUnmapped,
  type MappableFile,
  mapInto,
  mappedBuffer,
  mappedBytes,
  mappingProblem,
  openMappable,
  pageBeginBytes,
  releasePages,
} from "./mapped-files.js";
import { writableMapping } from "./writable-mapping.js";

const problem = mappingProblem();
if (problem !== "") process.stdout.write(`files are not mapped here: ${problem}\n`);
/** Smaller buffers are mapped only where the C library gives them their own pages. */
const lengthBytes = 34_000_000;
const sizeBytes = lengthBytes + 100_000;

function fileOf(bytes: Uint8Array): string {
  const path = join(testFolder(), "file");
  writeFileSync(path, bytes);
  return path;
}

function counted(length: number): Buffer {
  return Buffer.from(Uint32Array.from({ length: length / 4 }, (_, at) => at * 2_654_435_761).buffer);
}

/** Opens and locks the file, and leaves it open to the end of the test. */
function opened(path: string): MappableFile {
  const file = locked(path);
  onTestFinished(() => closeSync(file.descriptor));
  return file;
}

function locked(path: string): MappableFile {
  const file = openMappable(path);
  if (file === undefined) throw new Error(`${path} cannot be locked`);
  return file;
}

/** Starts a process that maps the file, says how many bytes, and goes on with the statement. */
function mapper(path: string, statement: string) {
  const module = pathToFileURL(join(import.meta.dirname, "../../dist/machine/mapped-files.js")).href;
  const program = `
    import { closeSync } from "node:fs";
    import { collectBuffers, mappedBuffer, openMappable } from ${JSON.stringify(module)};
    const file = openMappable(${JSON.stringify(path)});
    let buffer = mappedBuffer([{ file, offsetBytes: 16, lengthBytes: ${lengthBytes} }]);
    closeSync(file.descriptor);
    process.stdout.write(String(buffer.byteLength));
    ${statement}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe.skipIf(problem !== "")("mapped files", () => {
  test("are locked by what is mapped alone, and a reader that writes changes nobody else's bytes (MAPPED-2, MAPPED-3)", () => {
    const bytes = counted(sizeBytes);
    const path = fileOf(bytes);
    const file = locked(path);
    const part = { file, offsetBytes: 16, lengthBytes };
    expect(isUnmapped(path)).toBe(false);
    const one = mappedBuffer([part]);
    const before = mappedBytes();
    const other = mappedBuffer([part]);
    closeSync(file.descriptor);
    if (one === undefined || other === undefined) throw new Error("not mapped");
    expect(mappedBytes()).toBe(before);
    new Uint8Array(one).fill(1);
    expect(Buffer.from(other).equals(bytes.subarray(16, lengthBytes + 16))).toBe(true);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect([isUnmapped(path), releasePages(one), isUnmapped(path)]).toEqual([false, true, false]);
    expect([releasePages(other), isUnmapped(path), releasePages(other)]).toEqual([true, true, false]);
    expect(Buffer.from(other).equals(Buffer.alloc(lengthBytes))).toBe(true);
    // Whole pages, but for the first, which has the header of the block.
    expect(mappedBytes()).toBe(before - 33_996_800);
  });

  test("become one buffer in parts, whether their pages fit or their bytes are copied, and a given one", () => {
    const bytes = counted(sizeBytes);
    const file = opened(fileOf(bytes));
    const parts = [
      { file, offsetBytes: 0, lengthBytes: 33_554_432 },
      { file, offsetBytes: 8_192, lengthBytes: 100_000 },
      { file, offsetBytes: 3, lengthBytes: 300_001 },
      { file, offsetBytes: sizeBytes - 1, lengthBytes: 1 },
    ];
    const whole = Buffer.concat(
      parts.map(({ offsetBytes, lengthBytes }) => bytes.subarray(offsetBytes, offsetBytes + lengthBytes)),
    );
    const buffer = mappedBuffer(parts, { beginBytes: 4_080 });
    if (buffer === undefined) throw new Error("not mapped");
    expect(Buffer.from(buffer).equals(Buffer.concat([Buffer.alloc(4_080), whole]))).toBe(true);
    const into = new ArrayBuffer(lengthBytes);
    new Uint8Array(into).fill(9);
    const big = opened(fileOf(Buffer.alloc(lengthBytes + 16, 5)));
    const part = { file: big, offsetBytes: 16, lengthBytes };
    expect(mappedBuffer([part], { into })).toBe(into);
    expect(Buffer.from(into).equals(Buffer.alloc(lengthBytes, 5))).toBe(true);
    // One of another length is left alone.
    expect(mappedBuffer([part], { into: new ArrayBuffer(lengthBytes + 1) })).toBeUndefined();
  });

  test("become a part of a buffer, where it begins at the same place of a page", () => {
    const bytes = counted(sizeBytes);
    const file = opened(fileOf(bytes));
    const buffer = new ArrayBuffer(pageBeginBytes + 2 * lengthBytes);
    const memory = Buffer.from(buffer);
    memory.fill(9);
    const part = { file, offsetBytes: 0, lengthBytes: sizeBytes };
    expect([mapInto(buffer, pageBeginBytes + 1, part), memory.every((byte) => byte === 9)]).toEqual([
      false,
      true,
    ]);
    expect(mapInto(buffer, pageBeginBytes, part)).toBe(true);
    expect(memory.subarray(pageBeginBytes, pageBeginBytes + sizeBytes).equals(bytes)).toBe(true);
    expect(memory.subarray(0, pageBeginBytes).every((byte) => byte === 9)).toBe(true);
    // Nothing after it changed, though it ends within a page.
    expect(memory.subarray(pageBeginBytes + sizeBytes).every((byte) => byte === 9)).toBe(true);
    expect(releasePages(buffer)).toBe(true);
  });

  test("are not mapped beyond their end: a file that is too short is an error (MAPPED-4)", () => {
    const file = opened(fileOf(counted(lengthBytes)));
    const part = { file, offsetBytes: 16, lengthBytes };
    expect(() => mappedBuffer([part])).toThrow("shorter");
  });

  test("stay locked until a process that was killed is gone (MAPPED-3)", async () => {
    const path = fileOf(counted(sizeBytes));
    const child = mapper(path, "setInterval(() => new Uint8Array(buffer)[0], 1e6)");
    const [said] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    expect([String(said), isUnmapped(path)]).toEqual(["34000000", false]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isUnmapped(path)).toBe(true);
  });

  test("are written in memory within their size alone, and only where they are in memory", async () => {
    const path = fileOf(counted(sizeBytes));
    const descriptor = openSync(path, "r+");
    onTestFinished(() => closeSync(descriptor));
    const mapping = writableMapping(descriptor, sizeBytes);
    // The folder of tests is on a disk on some machines.
    if (mapping === undefined) return;
    mapping.write(Buffer.from("xyz"), sizeBytes - 3);
    expect(readFileSync(path).subarray(-3).toString()).toBe("xyz");
    expect(() => mapping.write(Buffer.from("xyz"), sizeBytes - 2)).toThrow(RangeError);
    const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(65);
    await mapping.writeInThread(shared, sizeBytes - 3);
    expect(readFileSync(path).subarray(-3).toString()).toBe("AAA");
    await expect(mapping.writeInThread(shared, sizeBytes - 2)).rejects.toThrow(RangeError);
    await expect(mapping.writeInThread(Buffer.from("xyz"), 0)).rejects.toThrow("not shared memory");
    mapping.close();
    expect(() => mapping.write(Buffer.from("x"), 0)).toThrow(RangeError);
  });

  test("are not mapped beyond half of their file system (MAPPED-5)", () => {
    const path = fileOf(counted(1_000));
    const { blocks, bsize } = statfsSync(path);
    const part = { file: opened(path), offsetBytes: 16, lengthBytes: (blocks * bsize) / 2 + 1 };
    expect(mappedBuffer([part])).toBeUndefined();
  });

  test("are mapped again however often, as their bytes are there once (MAPPED-5)", () => {
    const folder = mkdtempSync("/dev/shm/palimpsest-mapped-");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "sparse");
    writeFileSync(path, "");
    const { blocks, bsize } = statfsSync(path);
    const count = 64;
    const lengthOnce = Math.ceil((blocks * bsize) / 2 / count / 4096) * 4096;
    truncateSync(path, 16 + lengthOnce);
    const file = locked(path);
    // Shared memory, for which V8 collects no garbage by itself.
    const parts = [{ file, offsetBytes: 16, lengthBytes: lengthOnce }];
    const buffers = Array.from({ length: count + 2 }, () => mappedBuffer(parts, { isShared: true }));
    closeSync(file.descriptor);
    expect(buffers.every((buffer) => buffer !== undefined && releasePages(buffer))).toBe(true);
  });

  test("are unmapped soon when buffers that nobody has any more are to be collected", async () => {
    const path = fileOf(counted(sizeBytes));
    const child = mapper(path, "buffer = undefined; process.stdin.on('data', collectBuffers)");
    await once(child.stdout, "data");
    expect(isUnmapped(path)).toBe(false);
    child.stdin.write("now");
    await expect.poll(() => isUnmapped(path), { timeout: 20_000 }).toBe(true);
  });

  test("a folder is tried before its files are mapped", () => {
    expect([canMapIn(testFolder()), canMapIn(join(testFolder(), "none"))]).toEqual([true, false]);
  });
});
