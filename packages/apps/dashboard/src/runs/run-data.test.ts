/** Tests how runs of other users, and runs that continue meanwhile, affect readers. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { writePlantedRun } from "../../../../../test/support/planted-run.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { EpisodeIndex } from "./episode-index.js";
import { RunFolders } from "./run-folders.js";
import { RunMetrics } from "./run-metrics.js";
import { Scanner } from "./scanner.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

describe("curves", () => {
  const put = (...lines: readonly string[]) =>
    appendFileSync(join(folder, "metrics.jsonl"), lines.map((line) => `${line}\n`).join(""));
  const line = (step: number, more: object = {}) => JSON.stringify({ step, reward: step / 10, ...more });

  test("names of others' files are names, and reach no object of this process", async () => {
    put('{"step":0,"__proto__":7,"constructor":1,"toString":{"__proto__":3,"x":2}}', line(1));
    const { steps, series } = await new RunMetrics(folder).read();
    const bare: Record<string, unknown> = {};
    expect(bare["0"]).toBeUndefined();
    expect(steps).toEqual([0, 1]);
    expect(series).toEqual({ constructor: [1, null], "toString.x": [2, null], reward: [null, 0.1] });
  });

  test("go on where they were read to; a step that was taken again replaces the one before (CURVES-1)", async () => {
    const curves = new RunMetrics(folder);
    expect(await curves.read()).toMatchObject({ steps: [], series: {}, skipped: 0 });
    put(line(1), "no JSON", line(2));
    expect((await curves.read()).series).toEqual({ reward: [0.1, 0.2] });
    put(line(2, { reward: 5 }));
    appendFileSync(join(folder, "metrics.jsonl"), line(3).slice(0, 8));
    expect(await curves.read()).toMatchObject({ steps: [1, 2], series: { reward: [0.1, 5] }, skipped: 1 });
    appendFileSync(join(folder, "metrics.jsonl"), `${line(3).slice(8)}\n`);
    const [one, two] = await Promise.all([curves.read(), curves.read()]);
    expect(one).toMatchObject({ steps: [1, 2, 3], series: { reward: [0.1, 5, 0.3] }, skipped: 1 });
    expect(two).toEqual(one);
    truncateSync(join(folder, "metrics.jsonl"));
    put(line(9));
    expect(await curves.read()).toMatchObject({ steps: [9], series: { reward: [0.9] }, skipped: 0 });
  });

  test("are sent once to a reader that names what it has, and again when that has changed (CURVES-3)", async () => {
    const curves = new RunMetrics(folder);
    put(line(1), line(2));
    const { generation } = await curves.read();
    expect(await curves.read(2, generation)).toMatchObject({ from: 2, steps: [], series: { reward: [] } });
    put(line(3, { loss: 4 }));
    expect(await curves.read(2, generation)).toMatchObject({
      from: 2,
      generation,
      steps: [3],
      series: { reward: [0.3], loss: [4] },
    });
    expect(await curves.read(1, generation + 1)).toMatchObject({ from: 0, steps: [1, 2, 3] });
    expect(await curves.read(9, generation)).toMatchObject({ from: 0, steps: [1, 2, 3] });
    put(line(2, { reward: 7 }));
    const again = await curves.read(3, generation);
    expect(again).toMatchObject({ from: 0, steps: [1, 2, 3], series: { reward: [0.1, 7, 0.3] } });
    expect(again.generation).not.toBe(generation);
  });

  test("are as bounded for a run of many steps and names as for a short one (CURVES-2)", async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`n${at}`, at]));
    put(...Array.from({ length: 3_000 }, (_, step) => line(step, step % 100 === 0 ? many : {})));
    put(`{"step":9999,"long":"${"x".repeat(2 ** 21)}"}`);
    const { steps, series, skipped } = await new RunMetrics(folder).read();
    expect(Object.keys(series)).toHaveLength(500);
    expect(steps).toEqual(Array.from({ length: 1_500 }, (_, at) => 2 * at));
    expect(series["reward"]?.at(-1)).toBe(299.8);
    expect(skipped).toBe(1);
  });
});

test("a pipe in place of a run's file keeps nobody waiting", async () => {
  for (const name of ["run.json", "metrics.jsonl"]) execFileSync("mkfifo", [join(folder, name)]);
  const rows = await new RunFolders([folder]).rows();
  expect(rows).toMatchObject([{ lastStep: 0, problem: expect.stringContaining("is not a regular file") }]);
});

describe("episodes", () => {
  /** The real scanner, which also reports each of its requests and each line that it has read. */
  class WatchedScanner extends Scanner {
    orders = 0;
    lines = 0;
    onLines: () => void = () => undefined;
    override scan(...[path, fromBytes, listener]: Parameters<Scanner["scan"]>): void {
      this.orders += 1;
      super.scan(path, fromBytes, (lines, done, problem) => {
        listener(lines, done, problem);
        this.lines += lines.length;
        if (!done) this.onLines();
      });
    }
  }

  test("of a file that grows while it is read are read once: nothing waits behind orders of before (EPISODES-3)", async () => {
    writePlantedRun(folder, { steps: 1, groupsPerStep: 60, groupSize: 10, chunks: 2 });
    const scanner = new WatchedScanner();
    const index = new EpisodeIndex(folder, scanner);
    const looks: Promise<void>[] = [];
    scanner.onLines = () => {
      if (looks.length === 20) return;
      appendFileSync(join(folder, "traces/step-00000001.jsonl"), `{"no":"trace"}\n`);
      looks.push(index.complete());
    };
    await index.complete();
    await Promise.all(looks);
    const { total, readBytes, allBytes } = await index.page(0, 1);
    expect({ total, readBytes }).toEqual({ total: 600, readBytes: allBytes });
    expect(looks.length).toBeGreaterThanOrEqual(5);
    expect(scanner.lines).toBe(600 + looks.length);
    expect(scanner.orders).toBeLessThanOrEqual(3);
    await scanner.close();
  });

  test("beyond the most that are kept are told and left out (EPISODES-2)", async () => {
    writePlantedRun(folder, { steps: 1, groupsPerStep: 2, groupSize: 4, chunks: 1 });
    const scanner = new Scanner();
    const index = new EpisodeIndex(folder, scanner, { maxRows: 5 });
    await index.complete();
    const { total, problems } = await index.page(0, 10);
    expect({ total, problems }).toEqual({ total: 5, problems: ["only the first 5 episodes are shown"] });
    await scanner.close();
  });

  test("half a line at the end is not being read: whoever waits for the rest asks at leisure", async () => {
    writePlantedRun(folder, { steps: 1, groupsPerStep: 1, groupSize: 2, chunks: 2 });
    appendFileSync(join(folder, "traces/step-00000001.jsonl"), '{"half');
    const scanner = new Scanner();
    const index = new EpisodeIndex(folder, scanner);
    expect((await index.page(0, 9)).reading).toBe(true);
    await index.complete();
    const { total, reading, readBytes, allBytes } = await index.page(0, 9);
    expect({ total, reading }).toEqual({ total: 2, reading: false });
    expect(allBytes - readBytes).toBe(6);
    await scanner.close();
  });

  test("of an index that is made anew have a generation of their own (EPISODES-1)", async () => {
    mkdirSync(join(folder, "traces"));
    writeFileSync(join(folder, "traces/a.jsonl"), "");
    const scanner = new Scanner();
    const generation = async () => (await new EpisodeIndex(folder, scanner).page(0, 1)).generation;
    expect(await generation()).not.toBe(await generation());
    await scanner.close();
  });
});
