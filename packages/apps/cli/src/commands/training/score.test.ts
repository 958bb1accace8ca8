import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { roundedToHundredths } from "@palimpsest/checks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addScore } from "./score.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../../shared", import.meta.url));
const fixtures = `${shared}/fixtures/scoring`;
const missing = !existsSync(fixtures);
if (missing) process.stderr.write(`skipped: no golden scores in ${fixtures}\n`);

const folder = fileFolder();
const cli = new CommandRun(addScore);
beforeEach(() => cli.begin());
afterEach(() => cli.end());
const score = (...words: string[]) => cli.run("score", ...words);

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Result {
  readonly cases: number;
  readonly passed: number;
  readonly failed: number;
  readonly contested: number;
  readonly results: readonly { readonly id: string; readonly outcome: string; readonly choice?: string }[];
}

describe.skipIf(missing)("score of golden values", () => {
  it.each([
    ["memagent_reward", 130, 5],
    ["qa_metrics", 272, 18],
    ["answer_extraction", 111, 11],
    ["rememr1_retrieval", 81, 15],
    ["rememr1_rewards", 92, 33],
    ["memupdate_reward", 128, 9],
    ["locomo_f1", 135, 0],
    ["locomo_f1_free", 267, 9],
    ["tool_calls", 68, 6],
  ])(
    "reproduces every case of %s that nobody disputes, and says what it does in the others",
    async (metric, cases, contested) => {
      const result: Result = JSON.parse(
        await score("--metric", metric, "--cases", `${fixtures}/${metric}.json`, "--json"),
      );
      expect(result).toMatchObject({ cases, contested, failed: 0, passed: cases - contested });
      expect(process.exitCode).toBeUndefined();
      const disputed = result.results.filter(({ outcome }) => outcome === "contested");
      expect(disputed.every(({ choice }) => (choice?.length ?? 0) > 20)).toBe(true);
    },
  );

  it("fails on a value that is off, and says which", async () => {
    const golden = JSON.parse(readFileSync(`${fixtures}/locomo_f1_free.json`, "utf8"));
    golden.stems[0].stem = "adoptx";
    const path = file("off.json", JSON.stringify(golden));
    const text = await score("--metric", "locomo_f1_free", "--cases", path);
    expect(process.exitCode).toBe(1);
    expect(text).toMatch(/stems +lf-ste000 +word +stem +"adoptx" +"adopt"/);
    expect(text).toContain("257 passed, 1 failed, 9 contested");
  });
});

describe("score of a user's predictions", () => {
  it("gives the mean of every part, from JSON and from JSONL", async () => {
    const rows = [
      { prediction: "green tea", answers: ["tea", "milk"] },
      { id: "b", prediction: null, answers: ["rice"] },
    ];
    const json = await score("--metric", "qa_metrics", "--cases", file("own.json", JSON.stringify(rows)));
    expect(json).toMatch(/f1 +0\.3333/);
    expect(json).toContain("qa_metrics: 2 cases");
    const lines = file("own.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    const facts = JSON.parse(await score("--metric", "boxed-exact-match", "--cases", lines, "--json"));
    expect(facts).toMatchObject({ cases: 2, means: { reward: 0, boxed: 0 } });
  });

  it("scores LoCoMo's categories, by number and by name", async () => {
    const rows = [
      { prediction: "coffee", answers: ["tea, coffee"], category: 1 },
      { prediction: "not mentioned", answers: [], category: "adversarial" },
    ];
    const facts = JSON.parse(
      await score("--metric", "locomo_f1", "--cases", file("locomo.json", JSON.stringify(rows)), "--json"),
    );
    expect(facts.means).toEqual({ f1: 0.75 });
  });

  it("names the case and the field that it cannot take", async () => {
    const path = file("bad.json", JSON.stringify([{ prediction: "x", answers: ["x"] }, { prediction: 3 }]));
    await expect(score("--metric", "qa_metrics", "--cases", path)).rejects.toThrow(/case 2.*prediction/s);
    const empty = file("empty.json", JSON.stringify([{ prediction: "x", answers: [] }]));
    await expect(score("--metric", "qa_metrics", "--cases", empty)).rejects.toThrow("case 1: answers");
    await expect(score("--metric", "qa", "--cases", path)).rejects.toThrow("qa_metrics");
    await expect(score("--metric", "qa_metrics", "--cases", join(folder, "none"))).rejects.toThrow("ENOENT");
    const wrong = file("wrong.json", JSON.stringify({ name: "x", stems: [] }));
    await expect(score("--metric", "qa_metrics", "--cases", wrong)).rejects.toThrow("none of the lists");
  });
});

describe("roundedToHundredths", () => {
  it("rounds ties to the even digit, as Python does, and everything else to the nearest", () => {
    expect([0.125, 0.375, 0.625, 0.875, 0.285, 4 / 7, 1].map(roundedToHundredths)).toEqual([
      0.12, 0.38, 0.62, 0.88, 0.28, 0.57, 1,
    ]);
  });
});
