import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobLogs } from "./job-logs.js";
import { temporaryFolder } from "./testing/builders.js";

let folder: ReturnType<typeof temporaryFolder>;
let logs: JobLogs;
const forever = new AbortController().signal;

beforeEach(() => {
  folder = temporaryFolder();
  logs = new JobLogs(folder.path, 1_000_000);
});
afterEach(async () => {
  await logs.close();
  folder.remove();
});

const onDisk = () => readFileSync(join(folder.path, "j.log"), "utf8");

async function readAll(offset = 0, from = logs): Promise<string> {
  let text = "";
  for await (const { data } of from.read("j", offset, () => false, forever))
    text += Buffer.from(data).toString();
  return text;
}

describe("JobLogs", () => {
  it("F1: a repeated message changes nothing, an overlapping one adds what is new", async () => {
    await logs.append("j", "héllo\n", 0);
    expect(await logs.append("j", "héllo\n", 0)).toBe(7);
    expect(await logs.append("j", "llo\nmore\n", 3)).toBe(12);
    expect(onDisk()).toBe("héllo\nmore\n");
  });

  it("F1: keeps the order of messages that are written at the same time", async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${String(index).padStart(2, "0")}\n`);
    await Promise.all(lines.map((line, index) => logs.append("j", line, index * line.length)));
    expect(onDisk()).toBe(lines.join(""));
  });

  it("F2: marks output that never came and keeps later offsets", async () => {
    await logs.append("j", "a\n", 0);
    expect(await logs.append("j", "z\n", 102)).toBe(104);
    expect(onDisk()).toHaveLength(104);
    expect(onDisk()).toContain("[100 bytes of output were lost here]\nz\n");
  });

  it("F3: keeps no more than its bound and goes on counting", async () => {
    const small = new JobLogs(folder.path, 5);
    await small.append("j", "abc", 0);
    expect(await small.append("j", "defghi", 3)).toBe(9);
    expect(await small.append("j", "jkl", 9)).toBe(12);
    expect(onDisk()).toBe("abcde");
    expect(await readAll(0, small)).toBe("abcde");
  });

  it("goes on with the file of an earlier head", async () => {
    await logs.append("j", "one\n", 0);
    const later = new JobLogs(folder.path, 1_000);
    expect(later.sizeBytes("j")).toBe(4);
    await later.append("j", "two\n", 4);
    expect(await readAll(2, later)).toBe("e\ntwo\n");
  });

  it("reads from an offset, in pieces, to the end", async () => {
    const text = "x".repeat(200_000);
    await logs.append("j", text, 0);
    expect(await readAll(5)).toHaveLength(199_995);
    expect(await readAll(300_000)).toBe("");
  });

  it("a follower gets output as it comes and ends when the job does", async () => {
    let running = true;
    const reader = logs.read("j", 0, () => running, forever);
    const first = reader.next();
    await logs.append("j", "one\n", 0);
    expect(Buffer.from((await first).value?.data ?? []).toString()).toBe("one\n");
    const second = reader.next();
    await logs.append("j", "two\n", 4);
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
