import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type KeptPrediction, PredictionCache } from "./prediction-cache.js";
import { aPrediction } from "./testing.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, "predictions.jsonl");
});

const line = (key: string, text = key): KeptPrediction => ({
  key,
  system: "c",
  item: "i",
  prediction: aPrediction(text),
  scorer: "s",
  scores: { exactMatch: 1 },
  seconds: 1,
  busySeconds: 1,
  attempts: 1,
});

describe("PredictionCache", () => {
  it("makes its folder, and says what is wrong where it cannot", async () => {
    await PredictionCache.open(join(folder, "new", "predictions.jsonl"));
    await writeFile(path, "");
    await expect(PredictionCache.open(join(path, "predictions.jsonl"))).rejects.toMatchObject({
      code: "BAD_FOLDER",
      message: expect.stringContaining("give a folder that this process may write"),
    });
  });

  it("gives back what was appended, after it was opened again", async () => {
    const cache = await PredictionCache.open(path);
    await Promise.all(["a", "b", "c"].map((key) => cache.append(line(key))));
    const written = (await readFile(path, "utf8")).trim().split("\n");
    expect(written.map((text) => (JSON.parse(text) as KeptPrediction).key)).toEqual(["a", "b", "c"]);
    const again = await PredictionCache.open(path);
    expect(again.get("b")).toEqual(line("b"));
    expect(again.get("d")).toBeUndefined();
  });

  it("drops a line that was cut short, and writes the next one behind the last whole one", async () => {
    const first = await PredictionCache.open(path);
    await first.append(line("a"));
    await appendFile(path, JSON.stringify(line("b")).slice(0, 40));
    const second = await PredictionCache.open(path);
    expect(second.get("b")).toBeUndefined();
    expect(second.badLines).toBe(0);
    await second.append(line("c"));
    const third = await PredictionCache.open(path);
    expect([third.get("a"), third.get("b"), third.get("c")]).toEqual([line("a"), undefined, line("c")]);
    expect(third.badLines).toBe(0);
  });

  it("counts whole lines that nobody can read, and keeps the newest of the same key", async () => {
    const good = (key: string, text: string) => JSON.stringify(line(key, text));
    await writeFile(path, `${good("a", "old")}\nnonsense\n{"key":"b"}\n${good("a", "new")}\n`);
    const cache = await PredictionCache.open(path);
    expect(cache.badLines).toBe(2);
    expect(cache.get("a")?.prediction.text).toBe("new");
  });
});
