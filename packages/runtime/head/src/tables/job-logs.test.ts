import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ManualClock } from "../testing/manual-clock.js";
import { JobLogs, type JobLogsOptions } from "./job-logs.js";

let folder: string;
let logs: JobLogs;
const forever = new AbortController().signal;

beforeEach(() => {
  folder = testFolder();
  logs = open(1_000_000);
});
afterEach(async () => {
  await logs.close();
});

const open = (maxBytes: number, over: Partial<JobLogsOptions> = {}) =>
  new JobLogs({ folder, maxBytes, retryMs: 1_000, ...over });
const append = (text: string, offset: number, to = logs) => to.append("j", Buffer.from(text), offset);
const onDisk = () => readFileSync(join(folder, "j.log"), "utf8");

async function readAll(offset = 0, from = logs): Promise<string> {
  let text = "";
  for await (const { data } of from.read("j", offset, () => false, forever))
    text += Buffer.from(data).toString();
  return text;
}

describe("JobLogs", () => {
  it("LOG-1: a repeated message changes nothing, an overlapping one adds what is new", async () => {
    await append("héllo\n", 0);
    expect(await append("héllo\n", 0)).toBe(7);
    expect(await append("llo\nmore\n", 3)).toBe(12);
    expect(onDisk()).toBe("héllo\nmore\n");
  });

  it("LOG-1: keeps the order of messages that are written at the same time", async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${String(index).padStart(2, "0")}\n`);
    await Promise.all(lines.map((line, index) => append(line, index * line.length)));
    expect(onDisk()).toBe(lines.join(""));
  });

  it("LOG-2: marks output that never came and keeps later offsets", async () => {
    await append("a\n", 0);
    expect(await append("z\n", 102)).toBe(104);
    expect(onDisk()).toHaveLength(104);
    expect(onDisk()).toContain("[100 bytes of output were lost here]\nz\n");
  });

  it("LOG-2: an offset far away makes a hole that takes neither memory nor disk, and followers leave it out", async () => {
    const large = open(1_000_000_000);
    await append("a\n", 0, large);
    expect(await append("z\n", 900_000_000, large)).toBe(900_000_002);
    const { blocks } = statSync(join(folder, "j.log"));
    expect(blocks * 512).toBeLessThan(100_000);
    const from = 900_000_002 - 300_000;
    const text = await readAll(from, large);
    expect(text.replaceAll("\0", "")).toBe("\n[899999998 bytes of output were lost here]\nz\n");
    await large.close();
  });

  it("LOG-2: refuses offsets that are none", async () => {
    await expect(append("x", -1)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(append("x", 2 ** 53)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("LOG-3: keeps no more than its bound, says so at the end, and goes on counting", async () => {
    const small = open(100);
    await append("a".repeat(60), 0, small);
    expect(await append("b".repeat(60), 60, small)).toBe(120);
    expect(await append("c".repeat(60), 3_000_000_000, small)).toBe(3_000_000_060);
    expect(onDisk()).toHaveLength(100);
    expect(onDisk()).toMatch(/^a+\n\[the output beyond this point was not kept: jobLogMaxBytes\]\n$/);
    const later = open(100);
    expect(later.sizeBytes("j")).toBe(100);
    expect(await append("d", 3_000_000_060, later)).toBe(3_000_000_061);
    expect(onDisk()).toHaveLength(100);
  });

  it("LOG-4: an append that fails harms no other, of this job or of another, nor close()", async () => {
    let broken = true;
    const disk = open(1_000, {
      writeAt: async (path, bytes, position) => {
        if (broken && path.endsWith("j.log")) throw new Error("ENOSPC: no space left on device");
        const text = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
        writeFileSync(path, Buffer.concat([text.subarray(0, position), bytes]));
      },
    });
    await expect(append("one\n", 0, disk)).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
    await disk.append("other", Buffer.from("fine\n"), 0);
    await disk.close();
    broken = false;
    expect(await append("one\n", 0, disk)).toBe(4);
    expect(await readAll(0, disk)).toBe("one\n");
  });

  it("LOG-4: gives output up after a while, so that its driver goes on, and marks the hole", async () => {
    const clock = new ManualClock();
    let broken = true;
    const disk = open(1_000, {
      clock,
      writeAt: async (path, bytes, position) => {
        if (broken) throw new Error("ENOSPC: no space left on device");
        const text = Buffer.alloc(position);
        if (existsSync(path)) readFileSync(path).copy(text);
        writeFileSync(path, Buffer.concat([text, bytes]));
      },
    });
    const lost = "x".repeat(60);
    await expect(append(lost, 0, disk)).rejects.toThrow("ENOSPC");
    await clock.advance(999);
    await expect(append(lost, 0, disk)).rejects.toThrow("ENOSPC");
    await clock.advance(1);
    expect(await append(lost, 0, disk)).toBe(60);
    broken = false;
    expect(await append("y\n", 60, disk)).toBe(62);
    expect(onDisk()).toContain("[60 bytes of output were lost here]\ny\n");
  });

  it("goes on with the file of an earlier head", async () => {
    await append("one\n", 0);
    const later = open(1_000);
    expect(later.sizeBytes("j")).toBe(4);
    await append("two\n", 4, later);
    expect(await readAll(2, later)).toBe("e\ntwo\n");
  });

  it("reads from an offset, in pieces, to the end", async () => {
    const text = "x".repeat(200_000);
    await append(text, 0);
    expect(await readAll(5)).toHaveLength(199_995);
    expect(await readAll(300_000)).toBe("");
  });

  it("a follower gets output as it comes and ends when the job does", async () => {
    let running = true;
    const reader = logs.read("j", 0, () => running, forever);
    const first = reader.next();
    await append("one\n", 0);
    expect(Buffer.from((await first).value?.data ?? []).toString()).toBe("one\n");
    const second = reader.next();
    await append("two\n", 4);
    running = false;
    logs.ended("j");
    expect(await second).toMatchObject({ value: { offsetBytes: 4 } });
    expect((await reader.next()).done).toBe(true);
  });

  it("a follower that goes away stops waiting", async () => {
    const controller = new AbortController();
    const reader = logs.read("j", 0, () => true, controller.signal);
    const waiting = reader.next();
    controller.abort();
    expect((await waiting).done).toBe(true);
  });
});
