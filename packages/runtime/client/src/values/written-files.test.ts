import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { mappingProblem } from "@palimpsest/wire";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { writeMapped } from "./written-files.js";

const memory = "/dev/shm";
const sizeBytes = 9_000_000;
const bytes = Buffer.from(Buffer.alloc(sizeBytes).map((_byte, at) => at % 251));

/** Opens a file in shared memory that has that content, for writing. */
function opened(content: Uint8Array): { readonly path: string; readonly descriptor: number } {
  const folder = mkdtempSync(join(memory, "palimpsest-test-"));
  const path = join(folder, "file");
  writeFileSync(path, content);
  const descriptor = openSync(path, "r+");
  onTestFinished(() => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });
  return { path, descriptor };
}

const isWritten = async (descriptor: number, pieces: readonly Uint8Array[], ofBytes = sizeBytes) =>
  await writeMapped(descriptor, pieces, ofBytes).then((written) => {
    written?.done();
    return written !== undefined;
  });

const isMapped = (path: string) => readFileSync("/proc/self/maps", "utf8").includes(path);

describe.skipIf(mappingProblem() !== "" || !existsSync(memory))("files written as memory", () => {
  test("have all of their pages before; others are left to calls (WRITTEN-1)", async () => {
    const { path, descriptor } = opened(Buffer.alloc(sizeBytes));
    expect(await isWritten(descriptor, [bytes.subarray(0, 100), bytes.subarray(100)])).toBe(true);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const holes = opened(Buffer.alloc(10));
    truncateSync(holes.path, sizeBytes);
    expect(await isWritten(holes.descriptor, [bytes])).toBe(false);
    expect(await isWritten(descriptor, [bytes], sizeBytes + 1)).toBe(false);
    const aborted = writeMapped(descriptor, [bytes], sizeBytes, AbortSignal.abort());
    await expect(aborted).rejects.toThrow("aborted");
  });

  test("are copied by threads from shared memory, beside other memory", async () => {
    const { path, descriptor } = opened(Buffer.alloc(sizeBytes));
    const shared = new Uint8Array(new SharedArrayBuffer(sizeBytes));
    shared.set(bytes);
    const pieces = [shared.subarray(0, 7), bytes.subarray(7, 2_000_001), shared.subarray(2_000_001)];
    let isWritten = false;
    const writing = writeMapped(descriptor, pieces, sizeBytes).finally(() => {
      isWritten = true;
    });
    // This thread is free before the copy is done.
    await Promise.resolve();
    expect(isWritten).toBe(false);
    expect(await writing).toBeDefined();
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const aborted = writeMapped(descriptor, [shared], sizeBytes, AbortSignal.abort());
    await expect(aborted).rejects.toThrow("aborted");
  });

  test("an array that is transferred while it is written is an error", async () => {
    const { descriptor } = opened(Buffer.alloc(sizeBytes));
    const array = Uint8Array.from(bytes);
    const writing = writeMapped(descriptor, [array], sizeBytes);
    structuredClone(array, { transfer: [array.buffer] });
    await expect(writing).rejects.toThrow("transferred while the value was stored");
  });

  test("are unmapped some time after their last use (WRITTEN-2)", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { path, descriptor } = opened(Buffer.alloc(sizeBytes));
    const kept = await writeMapped(descriptor, [bytes], sizeBytes);
    rmSync(path);
    vi.advanceTimersByTime(60_000);
    expect(isMapped(path)).toBe(true);
    expect(bytes.equals(kept?.bytes() ?? bytes.subarray(1))).toBe(true);
    kept?.done();
    vi.advanceTimersByTime(60_000);
    expect(isMapped(path)).toBe(false);
    expect(await isWritten(descriptor, [bytes])).toBe(true);
  });
});
