import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { aTrace } from "./testing.js";
import { readTraces, TraceFile, writeTraces } from "./trace-file.js";
import type { Trace } from "./trace-schema.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

async function appendTrace(path: string, ...traces: readonly Trace[]): Promise<void> {
  const file = await TraceFile.open(path);
  await Promise.all(traces.map((trace) => file.append(trace)));
}

async function all(path: string): Promise<Trace[]> {
  const traces: Trace[] = [];
  for await (const trace of readTraces(path)) traces.push(trace);
  return traces;
}

describe("a trace file", () => {
  it("brings back what was written, whole or line by line", async () => {
    const traces = [
      aTrace({ trajectoryId: "a" }),
      aTrace({ trajectoryId: "b", answer: "line\nbreak\u2028" }),
    ];
    const path = join(folder, "deep", "traces.jsonl");
    await writeTraces(path, traces);
    expect(await all(path)).toEqual(traces);
    await appendTrace(path, aTrace({ trajectoryId: "c" }));
    expect((await all(path)).map(({ trajectoryId }) => trajectoryId)).toEqual(["a", "b", "c"]);
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(4);
  });

  it("passes over half a line that a killed process left, and appending removes it", async () => {
    const path = join(folder, "t.jsonl");
    await appendTrace(path, aTrace({ trajectoryId: "a" }));
    await appendFile(path, JSON.stringify(aTrace()).slice(0, 200_000).slice(0, 40));
    expect(await all(path)).toHaveLength(1);
    await appendTrace(path, aTrace({ trajectoryId: "b" }));
    expect((await all(path)).map(({ trajectoryId }) => trajectoryId)).toEqual(["a", "b"]);
  });

  it("keeps lines whole and in order that are added at once", async () => {
    const path = join(folder, "t.jsonl");
    const traces = Array.from({ length: 50 }, (_, i) =>
      aTrace({ trajectoryId: `${i}`, answer: "x".repeat(9000) }),
    );
    await appendTrace(path, ...traces);
    expect(await all(path)).toEqual(traces);
  });

  it("reads a last line without a line's end, and an empty file", async () => {
    const path = join(folder, "t.jsonl");
    await writeFile(path, JSON.stringify(aTrace()));
    expect(await all(path)).toHaveLength(1);
    await writeFile(path, "");
    expect(await all(path)).toEqual([]);
  });

  it("names a folder by its path", async () => {
    await expect(all(testFolder())).rejects.toThrow(
      /BAD_TRACE\] \/.*: cannot be read \(it is a folder: EISDIR\); give a trace file/,
    );
  });

  it("names the line and the field of what is no trace", async () => {
    const path = join(folder, "t.jsonl");
    const good = JSON.stringify(aTrace());
    await writeFile(path, `${good}\nnonsense\n`);
    await expect(all(path)).rejects.toThrow(/t\.jsonl, line 2: is not JSON/);
    await writeFile(path, `${JSON.stringify({ ...aTrace(), answer: 1 })}\n${good}\n`);
    await expect(all(path)).rejects.toThrow(/t\.jsonl, line 1: .*answer/);
    await writeFile(path, `${JSON.stringify({ ...aTrace(), version: 9 })}\n`);
    await expect(all(path)).rejects.toThrow(/line 1: has version 9, but this program reads version 1/);
    await expect(all(join(folder, "none"))).rejects.toThrow(/\[BAD_TRACE\].*cannot be read/);
  });
});
