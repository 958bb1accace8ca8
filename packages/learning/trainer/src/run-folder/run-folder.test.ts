import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { dataFilesOf } from "../recipe/data-files.js";
import { parseRecipe } from "../recipe/recipe.js";
import { openRunFolder, runFolderName } from "./run-folder.js";

const folder = fileFolder();

const recipe = parseRecipe(
  `
name: tiny-run
model: { path: ./base }
agent: { preset: tiny }
data: { source: jsonl, path: tasks.jsonl }
learner: { buckets: [{ rows: 8, length: 48 }] }
train: { steps: 3 }
`,
  "/data",
);

test("a folder's name says what run it is and sorts by time", () => {
  expect(runFolderName("quickstart", new Date(2026, 0, 2, 3, 4, 5))).toBe("quickstart-20260102-030405");
});

test("a run is begun once; opening its folder again goes on with the same run", async () => {
  const path = join(folder, "run");
  const first = await openRunFolder(path, recipe, false);
  await first.appendMetrics({ step: 1 });
  appendFileSync(join(path, "metrics.jsonl"), '{"step":2,"upd');
  const second = await openRunFolder(path, recipe, false);
  await second.appendMetrics({ step: 2 });
  expect(second.lastMetricsStep()).toBe(2);
  expect(first.resumed).toBe(false);
  expect(second).toMatchObject({ resumed: true, runId: first.runId, path: first.path });
  expect(readFileSync(join(path, "metrics.jsonl"), "utf8")).toBe('{"step":1}\n{"step":2}\n');
});

test("a folder with a run of another recipe is refused and left as it is", async () => {
  const path = join(folder, "other");
  const first = await openRunFolder(path, recipe, false);
  await expect(openRunFolder(path, { ...recipe, seed: 9 }, false)).rejects.toThrowError(
    /another recipe: seed is 1 there and 9 here; give another folder with --run-dir/,
  );
  const shorter = { ...recipe, train: { ...recipe.train, steps: 2 } };
  await expect(openRunFolder(path, shorter, false)).rejects.toThrowError(
    /: train\.steps is 3 there and 2 here;.*only train\.steps and learner\.schedule\.totalSteps may be larger/,
  );
  await expect(openRunFolder(path, recipe, true)).rejects.toThrowError(
    /another recipe: shuffleRewards is false there and true here/,
  );
  expect((await openRunFolder(path, recipe, false)).runId).toBe(first.runId);
});

test("a run goes on with more steps, which its folder says from then on", async () => {
  const path = join(folder, "longer");
  const first = await openRunFolder(path, recipe, false);
  const schedule = { kind: "cosine", learningRate: 1, warmupSteps: 0, endFraction: 0 } as const;
  const longer = { ...recipe, train: { ...recipe.train, steps: 5 } };
  expect(await openRunFolder(path, longer, false)).toMatchObject({ resumed: true, runId: first.runId });
  const saved = JSON.parse(readFileSync(join(path, "run.json"), "utf8"));
  expect(saved).toMatchObject({ runId: first.runId, recipe: { train: { steps: 5 } } });
  await expect(openRunFolder(path, recipe, false)).rejects.toThrowError(/train\.steps is 5 there and 3 here/);
  // Both at once would be a longer run of another seed.
  const other = { ...longer, seed: 9, train: { ...longer.train, steps: 6 } };
  await expect(openRunFolder(path, other, false)).rejects.toThrowError(/seed is 1 there and 9 here/);
  expect(JSON.parse(readFileSync(join(path, "run.json"), "utf8"))).toEqual(saved);
  const decaying = (totalSteps: number) => ({
    ...recipe,
    learner: { ...recipe.learner, schedule: { ...schedule, totalSteps } },
  });
  await openRunFolder(join(folder, "decaying"), decaying(8), false);
  expect((await openRunFolder(join(folder, "decaying"), decaying(9), false)).resumed).toBe(true);
});

test("what a run can give only at its start is made once and found again by a driver that resumes it", async () => {
  const path = join(folder, "once");
  const first = await openRunFolder(path, recipe, false);
  let made = 0;
  const make = async () => ({ value: ++made });
  expect(await first.once("before.json", true, make)).toEqual({ value: 1 });
  const second = await openRunFolder(path, recipe, false);
  expect(await second.once("before.json", false, make)).toEqual({ value: 1 });
  expect(await second.once("other.json", false, make)).toBeUndefined();
  expect(made).toBe(1);
});

test("a run is not gone on with over other data than it was begun with: each file is named by its field", async () => {
  const of = (name: string) => join(folder, name);
  const row = (id: string) => `${JSON.stringify({ id, question: "q?", answers: ["x"], document: "d" })}\n`;
  const restored = () => {
    for (const name of ["own.jsonl", "mixed.jsonl", "rates.jsonl", "asked.jsonl"])
      writeFileSync(of(name), row("a") + row("b"));
  };
  const withFiles = parseRecipe(
    `
name: tiny-run
model: { path: ./base }
agent: { preset: tiny }
data: { source: jsonl, path: own.jsonl }
curriculum: { passRates: { path: rates.jsonl }, mix: [{ weight: 1, data: { source: jsonl, path: mixed.jsonl } }] }
evaluation: { files: [{ path: asked.jsonl, lengthTokens: 100 }] }
learner: { buckets: [{ rows: 8, length: 48 }] }
train: { steps: 3 }
`,
    folder,
  );
  const run = async () => (await openRunFolder(of("with-data"), withFiles, false)).resumed;
  restored();
  expect([await run(), await run()]).toEqual([false, true]);
  for (const [name, field] of [
    ["own.jsonl", "data.path"],
    ["mixed.jsonl", "curriculum.mix[0].data.path"],
    ["rates.jsonl", "curriculum.passRates.path"],
    ["asked.jsonl", "evaluation.files[0].path"],
  ] as const) {
    // Of the same size.
    writeFileSync(of(name), row("a") + row("c"));
    await expect(run()).rejects.toMatchObject({ message: expect.stringContaining(`${field}: ${of(name)}`) });
    restored();
  }
  expect(await run()).toBe(true);
});

test("of a large file of data size, beginning and end are looked at, and not all that lies between", async () => {
  const path = join(folder, "large.jsonl");
  writeFileSync(path, "a");
  // Holes in a file take no space; a whole reading of this one would take minutes.
  truncateSync(path, 2 ** 36);
  const large = { ...recipe, data: { source: "jsonl", path, maxBadRows: 0 } } as const;
  const seen = async () => (await dataFilesOf(large))[0];
  const first = await seen();
  expect(first).toMatchObject({ field: "data.path", sizeBytes: 2 ** 36 });
  truncateSync(path, 2 ** 36 - 1);
  writeFileSync(path, "z", { flag: "a" });
  expect(await seen()).toMatchObject({
    sizeBytes: first?.sizeBytes,
    sha256: expect.not.stringMatching(first?.sha256 ?? ""),
  });
});
